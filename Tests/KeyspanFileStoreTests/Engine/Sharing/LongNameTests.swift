import KeyspanCore
import KeyspanFileStore
import KeyspanTestSupport
import Testing

/// Files whose names have the same first 200 bytes, or nearly as many as a name may have.
@Suite struct LongNameTests {
    private let folder = TemporaryFolder.forTest
    private static let bad = Array("{\"key\": \"val".utf8)

    /// A name of so many bytes that ends with a number.
    private static func name(_ number: Int, count: Int) -> String {
        String(repeating: "n", count: count - 6) + "\(number).json"
    }

    private func open(_ name: String, _ fileSystem: any FileSystem = POSIXFileSystem()) throws -> ProcessDouble {
        try ProcessDouble(
            path: folder.path(name),
            options: FileStoreOptions(recovery: .lastGoodCopy),
            fileSystem: fileSystem
        )
    }

    @Test(arguments: [200, 201, 215, 216, 230, 231, 240, 241, 255])
    func `files with long names are recovered from copies of their own`(count: Int) throws {
        let names = [1, 2].map { Self.name($0, count: count) }
        for (index, name) in names.enumerated() {
            let process = try open(name)
            try process.save(["key": .init(index)])
            process.passTime()
        }
        for name in names { try folder.write(Self.bad, to: name) }
        var kept: [String] = []
        for (index, name) in names.enumerated() {
            let process = try open(name)
            #expect(process.recovery?.hadGoodCopy == true)
            #expect(process["key"] == .init(index))
            kept.append(try #require(process.recovery?.keptFile))
        }
        #expect(kept[0].split(separator: ".damaged-")[0] != kept[1].split(separator: ".damaged-")[0])
    }

    @Test(arguments: [200, 201, 230, 231, 255])
    func `files with long names do not lose their temporary files to each other`(count: Int) throws {
        let names = [1, 2].map { Self.name($0, count: count) }
        func temporaryFiles() throws -> Int { try folder.names.count { $0.hasSuffix(".tmp") } }
        let fileSystem = FaultyFileSystem()
        let killed = try open(names[0], fileSystem)
        try killed.save(["key": 1])
        for call in 1...200 where try temporaryFiles() == 0 {
            fileSystem.inject(.crash(call: call))
            killed.passTime()
        }
        fileSystem.inject(.crash(call: 1))
        try #require(try temporaryFiles() == 1)
        let other = try open(names[1])
        try other.save(["key": 3])
        other.passTime()
        #expect(try temporaryFiles() == 1)
        let next = try open(names[0])
        next.passTime()
        #expect(try temporaryFiles() == 0)
        withExtendedLifetime(killed) {}
    }
}

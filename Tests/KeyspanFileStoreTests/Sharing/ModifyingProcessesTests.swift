import KeyspanCore
import KeyspanFileStore
import KeyspanTesting
import Testing

@Suite
struct ModifyingProcessesTests {
    private struct Refusal: Error {}
    private let folder: TemporaryFolder
    private let path: String
    private static let number = Defaults.Key<Int>("n", default: 0)

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("file.json")
    }

    @Test(arguments: ExpectationTests.modes)
    func `modify by several processes on one file loses no increment`(
        options: FileStoreOptions,
        validates: Bool
    ) throws {
        let processes = try (0..<2).map { _ in
            try ProcessDouble(path: path, options: options, validate: validates ? { @Sendable _ in } : nil)
        }
        for count in 1...5 {
            for (index, process) in processes.enumerated() {
                let result = Defaults(process.store).modify(Self.number) { number in
                    number += 1
                    return number
                }
                #expect(result == count * 2 - 1 + index)
            }
        }
    }

    @Test func `a change in place is compared with memory, and waits for no disk`() throws {
        let (first, second) = (try ProcessDouble(path: path), try ProcessDouble(path: path))
        Defaults(first.store)[Self.number] += 1
        #expect(try ProcessDouble(path: path)["n"] == nil)
        Defaults(second.store).modify(Self.number) { $0 += 5 }
        #expect(try ProcessDouble(path: path)["n"] == 5)
    }

    @Test(arguments: FileStoreOptions.modes)
    func `a change in place over a value that was refused is written`(options: FileStoreOptions) throws {
        try folder.write(JSONFileCodec().encode(["n": 1]), to: "file.json")
        let process = try ProcessDouble(path: path, options: options) { table in
            if table["n"] == 0 { throw Refusal() }
        }
        try folder.write(JSONFileCodec().encode(["n": 0]), to: "file.json")
        Defaults(process.store)[Self.number] += 1
        try process.store.synchronize()
        #expect(process["n"] == 2)
        process.passTime()
        #expect(try JSONFileCodec().decode(folder.bytes(of: "file.json")) == ["n": 2])
    }
}

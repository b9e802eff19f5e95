import KeyspanCore
import KeyspanFileStore
import Testing

/// Someone who takes no lock replaces the file by a version that was made of one that has been folded away since.
@Suite("An edit of a version that is not the latest")
struct StaleEditTests {
    private let folder: TemporaryFolder
    private let stale: PropertyListTable = ["number": 1, "edited": true]

    init() throws {
        folder = try TemporaryFolder()
    }

    private func file() throws -> SharedFile {
        var file = try SharedFile(
            path: folder.path("file.json"),
            codec: JSONFileCodec(),
            options: FileStoreOptions(),
            fileSystem: POSIXFileSystem()
        )
        _ = try file.open()
        return file
    }

    @Test func `leaves what was saved since, to the process that has saved it`() throws {
        var first = try file()
        try first.save(1, forKey: "number")
        try first.save(2, forKey: "number")
        try folder.write(JSONText.encode(stale), to: "file.json")
        try first.save(1, forKey: "other")
        #expect(first.table == ["number": 2, "edited": true, "other": 1])
    }

    @Test func `leaves what was saved since, although a process writes next that has not seen it`() throws {
        var first = try file()
        try first.save(1, forKey: "number")
        var second = try file()
        try first.save(2, forKey: "number")
        try folder.write(JSONText.encode(stale), to: "file.json")
        try second.save(1, forKey: "other")
        try first.save(1, forKey: "another")
        #expect(first.table == ["number": 2, "edited": true, "other": 1, "another": 1])
    }
}

extension SharedFile {
    /// Writes a value durably and folds it into the file.
    fileprivate mutating func save(_ value: PropertyListValue, forKey key: String) throws {
        try lock(.exclusive)
        defer { unlock() }
        _ = try catchUp(tolerantly: false)
        var delta = TableDelta()
        delta.write(value, forKey: key)
        try write(delta)
        try checkpoint()
    }
}

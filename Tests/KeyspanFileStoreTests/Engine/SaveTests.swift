import KeyspanCore
import KeyspanFileStore
import KeyspanTestSupport
import Testing

@Suite struct SaveTests {
    private let folder = TemporaryFolder.forTest
    private let fileSystem = FaultyFileSystem()

    @Test func `a save creates a file for its owner alone`() throws {
        try save("new", to: "file.json")
        #expect(try status("file.json").permissions == 0o600)
        #expect(try folder.bytes(of: "file.json") == fileBytes("new"))
    }

    @Test(arguments: [UInt32(0o600), 0o644, 0o660, 0o400, 0o777])
    func `a save keeps the permissions of the file`(permissions: UInt32) throws {
        try folder.write(fileBytes("old"), to: "file.json", permissions: Int(permissions))
        try save("new", to: "file.json")
        #expect(try status("file.json").permissions == permissions)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
    func `a save keeps the owner and the group of the file`() throws {
        try folder.write(fileBytes("old"), to: "file.json", permissions: 0o640)
        #expect(chown(folder.path("file.json"), 1234, 2345) == 0)
        try save("new", to: "file.json")
        let status = try status("file.json")
        #expect((status.owner, status.group) == (1234, 2345))
        #expect(status.permissions == 0o640)
    }

    @Test(
        .enabled(if: geteuid() == 0, "only root can give files away"),
        arguments: [(UInt32(0o640), UInt32(0o600)), (0o664, 0o604), (0o604, 0o600), (0o606, 0o600), (0o646, 0o604)]
    )
    func `a save gives no rights to a group that it cannot keep`(before: UInt32, after: UInt32) throws {
        try folder.write(fileBytes("old"), to: "file.json", permissions: Int(before))
        #expect(chown(folder.path("file.json"), 1234, 2345) == 0)
        fileSystem.inject(.refusal(.fchown, errno: EPERM))
        try save("new", to: "file.json")
        let status = try status("file.json")
        #expect((status.owner, status.group) == (geteuid(), getegid()))
        #expect(status.permissions == after)
    }

    @Test(arguments: [["file.json"], ["b", "file.json"], ["sub/c", "../b", "file.json"]])
    func `a save goes through links and leaves them as they are`(targets: [String]) throws {
        try folder.makeFolder("sub")
        try folder.write(fileBytes("old"), to: "file.json")
        var name = "a"
        for target in targets {
            try folder.link(name, to: target)
            name = target.hasPrefix("../") ? String(target.dropFirst(3)) : target
        }
        try save("new", to: "a")
        #expect(try folder.bytes(of: "file.json") == fileBytes("new"))
        #expect(try status("a").kind == .symbolicLink)
        #expect(try status("file.json").kind == .regular)
    }

    @Test func `a save creates the file that an absolute link to nothing names`() throws {
        try folder.makeFolder("sub")
        try folder.link("link", to: folder.path("sub/file.json"))
        try save("new", to: "link")
        #expect(try folder.bytes(of: "sub/file.json") == fileBytes("new"))
        #expect(try status("link").kind == .symbolicLink)
    }

    @Test func `a save makes missing folders for their owner alone, and flushes their names`() throws {
        try save("new", to: "a/b/file.json")
        #expect(try status("a").permissions == 0o700)
        #expect(try status("a/b").permissions == 0o700)
        let flushed = fileSystem.calls.filter { $0.call == .fsync }.map(\.path)
        #expect(flushed.prefix(2) == [folder.path, folder.path("a")])
    }

    @Test func `a save does not make a folder again that went away`() throws {
        try folder.makeFolder("sub")
        try folder.write(fileBytes("old"), to: "sub/file.json")
        let store = try open("sub/file.json")
        try folder.remove("sub")
        try store.set("new")
        let error = #expect(throws: StoreError.self) { try store.synchronize() }
        #expect((error?.underlying as? FileStoreError)?.step == .openFolder)
        #expect(try folder.names.isEmpty)
        #expect(store.value(forKey: "key") == "new")
        try folder.makeFolder("sub")
        try store.synchronize()
        #expect(try folder.bytes(of: "sub/file.json") == fileBytes("new"))
    }

    @Test func `a save does not replace a folder or a pipe that took the place of the file`() throws {
        let store = try open("file.json")
        try store.set("new")
        #expect(mkfifo(folder.path("file.json"), 0o600) == 0)
        #expect(throws: StoreError.self) { try store.synchronize() }
        #expect(try status("file.json").kind == .special)
        try folder.remove("file.json")
        try folder.makeFolder("file.json")
        #expect(throws: StoreError.self) { try store.synchronize() }
        #expect(try status("file.json").kind == .folder)
        try folder.remove("file.json")
    }

    @Test(arguments: [
        String(repeating: "n", count: 255), String(repeating: "é", count: 127), "\u{301}.json", ".x", " ",
    ])
    func `a save works for every name that a file can have`(name: String) throws {
        try save("new", to: name)
        #expect(try folder.names == [name])
    }

    @Test func `a save writes nothing if nothing changed`() throws {
        let untidy = Array("{ \"key\" : \"old\" }".utf8) + [UInt8(ascii: "\n")]
        try folder.write(untidy, to: "file.json")
        do {
            let store = try open("file.json")
            try store.set("old")
            try store.synchronize()
        }
        #expect(try folder.bytes(of: "file.json") == untidy)
        #expect(!fileSystem.calls.contains { $0.call == .rename })
    }

    @Test func `a save writes no file for a store that never had a value`() throws {
        let store = try open("file.json")
        try store.synchronize()
        #expect(try folder.names.isEmpty)
    }

    private func open(_ name: String) throws -> JSONFileStore {
        try JSONFileStore(path: folder.path(name), options: .oneFile, seams: .manual(fileSystem))
    }

    private func save(_ text: String, to name: String) throws {
        let store = try open(name)
        try store.set(text)
        try store.synchronize()
    }

    private func status(_ name: String) throws -> FileStatus {
        try POSIXFileSystem().status(ofItemAt: folder.path(name))
    }
}

import KeyspanCore
import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@Suite struct OneProcessTests {
    private let folder = TemporaryFolder.forTest
    private let tables = OpenEngines()

    init() throws {
        try folder.write(fileBytes("old"), to: "file.json")
        try folder.link("link.json", to: "file.json")
        try folder.makeFolder("real")
        try folder.link("folder", to: "real")
    }

    private func open(
        _ name: String,
        _ options: FileStoreOptions = FileStoreOptions(),
        in fileSystem: any FileSystem = POSIXFileSystem()
    ) throws -> JSONFileStore {
        try JSONFileStore(path: folder.path(name), options: options, seams: .manual(fileSystem, engines: tables))
    }

    @Test(arguments: [
        ["file.json", "file.json"], ["file.json", "link.json"], ["folder/file.json", "real/file.json"],
        ["folder/../file.json", "file.json"],
    ])
    func `two stores of one file share their values and changes`(names: [String]) throws {
        let stores = try names.map { try open($0) }
        let values = Recorder<PropertyListValue?>()
        let observation = stores[1].observe(.all, initial: false) { values($0["key"]?.new) }
        try stores[0].set("new")
        #expect(stores[1].value(forKey: "key") == "new")
        #expect(stores[0].revision == stores[1].revision)
        #expect(values.values == ["new"])
        observation.cancel()
    }

    @Test func `two stores of one file share nothing when the path of the first leads to another file by now`() throws {
        let first = try open("link.json")
        try folder.write(fileBytes("other"), to: "other.json")
        try folder.remove("link.json")
        try folder.link("link.json", to: "other.json")
        let second = try open("file.json")
        let third = try open("file.json")
        try second.set("new")
        #expect(first.value(forKey: "key") == "old")
        #expect(third.value(forKey: "key") == "new")
        try second.synchronize()
        #expect(try open("file.json", FileStoreOptions()).value(forKey: "key") == "new")
    }

    @Test func `two stores of one file have to agree on their options`() throws {
        let store = try open("file.json")
        let error = #expect(throws: FileStoreError.self) { try open("link.json", .oneFile) }
        #expect(error?.step == .open)
        #expect(store.value(forKey: "key") == "old")
    }

    @Test func `two stores of one file save when the last one is released`() throws {
        var stores = try ["file.json", "link.json"].map { try open($0) }
        try stores[0].set("new")
        stores.removeFirst()
        #expect(try folder.bytes(of: "file.json") == fileBytes("old"))
        stores.removeFirst()
        #expect(try folder.bytes(of: "file.json") == fileBytes("new"))
        #expect(try open("file.json", .oneFile).value(forKey: "key") == "new")
    }

    /// The folder is made by the first save, as when a program runs for the first time.
    @Test(arguments: [
        ["new/deep/file.json", "new/deep/file.json"], ["new/deep/file.json", "new/./deep/file.json"],
        ["real/new/file.json", "folder/new/file.json"],
    ])
    func `two stores of one file share their values although its folder was made between them`(names: [String]) throws {
        let stores = try [open(names[0]), open(names[1])]
        try stores[0].set("new")
        #expect(stores[1].value(forKey: "key") == "new")
        try stores[0].synchronize()
        let later = try names.map { try open($0) }
        for store in later { #expect(store.value(forKey: "key") == "new") }
        try later[1].set("newer")
        for store in stores + later { #expect(store.value(forKey: "key") == "newer") }
    }

    @Test func `two stores of one file share their values although its folder was replaced between them`() throws {
        try folder.write(fileBytes("first"), to: "real/file.json")
        let first = try open("real/file.json")
        try folder.rename("real", to: "former")
        try folder.makeFolder("real")
        try folder.write(fileBytes("second"), to: "real/file.json")
        let second = try open("real/file.json")
        #expect([first, second].map { $0.value(forKey: "key") } == ["second", "second"])
        try second.set("new")
        #expect(first.value(forKey: "key") == "new")
        try first.synchronize()
        #expect(try open("folder/file.json").value(forKey: "key") == "new")
        #expect(try folder.bytes(of: "former/file.json") == fileBytes("first"))
    }

    /// The second store finds the engine of the first one and reads the file again, while the third one opens it by another path.
    @Test
    func `two stores that open a file at once by two paths share their values although its folder was made before`()
        throws
    {
        let fileSystem = FaultyFileSystem()
        let first = try open("new/file.json", in: fileSystem)
        try folder.makeFolder("new")
        try folder.link("link", to: "new")
        let third = Locked<JSONFileStore?>(nil)
        fileSystem.inject(
            .interlude(before: .lstat) {
                do {
                    let store = try open("link/file.json")
                    third.withLock { $0 = store }
                } catch {
                    Issue.record(error)
                }
            }
        )
        let second = try open("new/file.json")
        let between = third.withLock(\.self)
        let stores = try [second, #require(between), open("link/file.json")]
        try stores[0].set("new")
        #expect(stores.map { $0.value(forKey: "key") } == ["new", "new", "new"])
        #expect(first.value(forKey: "key") == nil)
        third.withLock { $0 = nil }
    }

    @Test func `increments within one process count although the folder was made between the stores`() throws {
        let (options, count) = (FileStoreOptions(expectations: .withinProcess), Defaults.Key<Int>("count", default: 0))
        let first = try open("new/file.json", options)
        Defaults(first).modify(count) { $0 += 1 }
        try first.synchronize()
        let second = try open("new/file.json", options)
        let threads = [first, second].map { store in
            TestThread { for _ in 1...500 { Defaults(store).modify(count) { $0 += 1 } } }
        }
        for thread in threads { thread.join() }
        try first.synchronize()
        try second.synchronize()
        #expect(Defaults(first)[count] == 1001 && Defaults(second)[count] == 1001)
        let fresh = try JSONFileStore(path: folder.path("new/file.json"), options: options, seams: .manual())
        #expect(Defaults(fresh)[count] == 1001)
    }

    @Test func `a folder that comes to be with a damaged file does not open a further store, and the first one stays`()
        throws
    {
        let first = try open("new/file.json")
        try folder.makeFolder("new")
        try folder.overwrite("new/file.json", "{")
        #expect(throws: FileStoreError.self) { try open("new/file.json") }
        #expect(throws: FileStoreError.self) { try open("new/file.json") }
        try folder.overwrite("new/file.json", #"{"key": "mended"}"#)
        #expect(try open("new/file.json").value(forKey: "key") == "mended")
        #expect(first.value(forKey: "key") == "mended")
    }
}

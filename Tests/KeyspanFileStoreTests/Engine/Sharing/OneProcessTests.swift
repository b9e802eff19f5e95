import KeyspanCore
import KeyspanFileStore
import KeyspanTestSupport
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

    private func open(_ name: String, _ options: FileStoreOptions = FileStoreOptions()) throws -> JSONFileStore {
        try JSONFileStore(path: folder.path(name), options: options, seams: .manual(engines: tables))
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
}

@_spi(StoreAuthors) import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanTestSupport
import Testing

/// A type with names of digits at several levels.
private struct Rates: Codable, Defaults.Serializable {
    var byCode: [String: [String: Int]]
    var byNumber: [Int: [Int]]
}

@Suite struct LineTests {
    private let folder: TemporaryFolder
    private let text = """
        {
          "a": 1, "b": {"a": 2},

          "ü\\"": "line\\nfeed",
          "none": null,
          "last":
            [1,
             2]
        }

        """

    init() throws {
        folder = try TemporaryFolder()
        try folder.write(Array(text.utf8), to: "file.json")
    }

    private func open() throws -> JSONFileStore {
        try JSONFileStore(path: folder.path("file.json"), options: .init(isWatching: false))
    }

    private func description(_ key: String, of store: JSONFileStore) -> String? {
        store.provenance(forKey: key)?.description.replacing(folder.path("file.json"), with: "file")
    }

    @Test(arguments: [("a", 2), ("b", 2), ("ü\"", 4), ("last", 6)])
    func `a value has the line of its key`(_ key: String, _ line: Int) throws {
        let provenance = try open().provenance(forKey: key)
        #expect(provenance?.sources == [.init(store: folder.path("file.json"), line: line)])
        #expect(provenance?.description == "\(folder.path("file.json")):\(line)")
    }

    @Test func `a key without a value has none, and without asking there is no line`() throws {
        let store = try open()
        #expect(store.provenance(forKeys: ["none", "absent"], findingLines: true).isEmpty)
        #expect(store.provenance(forKeys: ["a"], findingLines: false) == ["a": Provenance([.init(store: store.name)])])
    }

    @Test func `a value that the file has not yet has no line, and gets one when it is there`() throws {
        let store = try open()
        try store.apply(PropertyListBatch(.set(3, key: "a")))
        try store.apply(PropertyListBatch(.set(1, key: "new")))
        #expect(description("a", of: store) == "file (not in the file now)")
        #expect(description("new", of: store) == "file (not in the file now)")
        #expect(description("last", of: store) == "file:6")
        try store.apply(PropertyListBatch(.set(1, key: "a")))
        #expect(description("a", of: store) == "file:2")
    }

    @Test func `the line is that of the file as it is now, and never that of another value`() throws {
        let store = try open()
        try folder.write(Array("{\n\n\n\"a\": 1, \"last\": [1]}".utf8), to: "file.json")
        #expect(description("a", of: store) == "file:4")
        #expect(description("last", of: store) == "file (not in the file now)")
        #expect(description("b", of: store) == "file (not in the file now)")
        try folder.write(Array("{\"a\": 1, ".utf8), to: "file.json")
        #expect(description("a", of: store) == "file")
        try folder.remove("file.json")
        #expect(description("a", of: store) == "file (not in the file now)")
    }

    @Test func `stores that reach one file by several names tell their own`() throws {
        try folder.link("link.json", to: "file.json")
        let stores = [try open(), try JSONFileStore(path: folder.path("link.json"), options: .init(isWatching: false))]
        #expect(
            stores.map { $0.provenance(forKey: "last")?.description } == [
                "\(folder.path("file.json")):6", "\(folder.path("link.json")):6",
            ]
        )
    }

    @Test func `a byte-order mark and other line ends move no line`() throws {
        try folder.write([0xEF, 0xBB, 0xBF] + Array("{\r\n\"a\": 1,\r\n\"b\": 2}".utf8), to: "file.json")
        let store = try open()
        #expect(description("a", of: store) == "file:2")
        #expect(description("b", of: store) == "file:3")
    }

    @Test func `a value of an XML property list has the line of its key, and one of a binary list none`() throws {
        let xml = """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0">
            <dict>
              <!-- one -->
              <key>a</key> <integer>1</integer>
              <key>d</key>
              <dict><key>a</key><integer>2</integer></dict>
              <key>ü &amp;</key><string>x</string>
            </dict></plist>
            """
        try folder.write(Array(xml.utf8), to: "file.plist")
        let options = FileStoreOptions(isWatching: false)
        let store = try PropertyListFileStore(path: folder.path("file.plist"), options: options)
        let found = store.provenance(forKeys: ["a", "d", "ü &"], findingLines: true)
        #expect(found.mapValues { $0.sources.map(\.line) } == ["a": [5], "d": [6], "ü &": [8]])
        try store.apply(PropertyListBatch(.set(2, key: "a")))
        #expect(store.provenance(forKey: "a")?.sources.first?.detail == "(not in the file now)")

        try folder.write(PropertyListData.encode(["a": 1] as PropertyListTable, as: .binary), to: "binary.plist")
        let binary = try PropertyListFileStore(path: folder.path("binary.plist"), options: options)
        #expect(binary.provenance(forKey: "a")?.sources == [.init(store: folder.path("binary.plist"))])
    }

    @Test func `a description has the lines of the file, through layers too`() throws {
        let store = LayeredStore([
            .init("environment", EnvironmentStore(prefix: "P_", environment: ["P_B": "{a = 3;}"])),
            .init("file", try open(), isWritable: true),
        ])
        let keys = [
            Defaults.Key<Int>("a", default: 0), Defaults.Key<[String: Int]>("b", default: [:]),
            Defaults.Key<[Int]>("last", default: []), Defaults.Key<Int>("none", default: 0),
        ]
        let rows = Defaults(store).describe(keys).rows
        #expect(
            rows.map { $0.provenance?.description.replacing(folder.path("file.json"), with: "PATH") } == [
                "file: PATH:2", "environment variable P_B", "file: PATH:6", nil,
            ]
        )
    }

    @Test(arguments: [
        ("json", #"{"r": {"byCode": {"7": {"8": "x"}}, "byNumber": {}}}"#, ".byCode.7.8"),
        ("json", #"{"r": {"byCode": {}, "byNumber": {"7": [1, "x"]}}}"#, ".byNumber.7[1]"),
        (
            "plist",
            """
            <plist><dict><key>r</key><dict><key>byNumber</key><dict/><key>byCode</key>
            <dict><key>7</key><dict>
            <key>8</key><string>x</string></dict></dict></dict></dict></plist>
            """, ".byCode.7.8"
        ),
    ])
    func `a name of digits is a name, in the path and for the part that is shown`(
        format: String,
        text: String,
        path: String
    ) throws {
        let file = "rates.\(format)"
        try folder.write(Array(text.utf8), to: file)
        let options = FileStoreOptions(isWatching: false)
        let store: any PropertyListStore =
            format == "json"
            ? try JSONFileStore(path: folder.path(file), options: options)
            : try PropertyListFileStore(path: folder.path(file), options: options)
        let error = #expect(throws: (any Error).self) { try Defaults(store).validate([Defaults.Key<Rates?>("r")]) }
        let beginning = #"key "r"\#(path) of \#(folder.path(file)):1: expected an integer but found the string "x";"#
        #expect(error.map { "\($0)".hasPrefix(beginning) } == true)
    }
}

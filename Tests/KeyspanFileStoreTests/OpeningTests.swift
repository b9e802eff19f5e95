@_spi(StoreAuthors) import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@Suite
struct OpeningTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(arguments: ["file.json", "missing/file.json"])
    func `opening a JSON file that does not exist gives an empty store and writes nothing`(name: String) throws {
        let store = try JSONFileStore(path: folder.path(name))
        #expect(store.snapshot().isEmpty)
        #expect(store.name == folder.path(name))
        #expect(try folder.names.isEmpty)
    }

    @Test func `opening a JSON file reads what another store saved`() throws {
        let values: PropertyListTable = ["a": 1, "b": 1.0, "c": true, "d": ["x", ["y": "z"]], "": "", "ä/\"\n": "🙂"]
        try folder.write(JSONFileCodec().encode(values), to: "file.json")
        #expect(try JSONFileStore(path: folder.path("file.json")).snapshot() == values)
    }

    private static let texts = [
        "", " ", "null", "1", "[]", "\"text\"", "{", "{\"key\":", "{\"key\": \"val", "{\"key\": 1", "{\"key\": 1}}",
        "{key: 1}", "key = value", "<?xml version=\"1.0\"?><plist/>", "{\"key\": nul}", "\u{0}\u{0}\u{0}\u{0}",
        "{\"key\":" + String(repeating: "[", count: 600) + String(repeating: "]", count: 600) + "}",
    ]

    @Test(arguments: texts.map { Array($0.utf8) } + [[0xFF, 0xFE], [0x7B, 0x22, 0xC3, 0x22, 0x3A, 0x31, 0x7D]])
    func `opening a JSON file without a JSON object is refused, and the file is left`(bytes: [UInt8]) throws {
        try folder.write(bytes, to: "file.json")
        let error = #expect(throws: FileStoreError.self) { try JSONFileStore(path: folder.path("file.json")) }
        #expect(error?.step == .parse)
        #expect(error?.path == folder.path("file.json"))
        let cause = try #require(error?.underlying as? JSONTextError)
        #expect(error?.position?.line == cause.line && error?.position?.column == cause.column)
        #expect(try folder.bytes(of: "file.json") == bytes)
        #expect(try folder.names == ["file.json"])
    }

    @Test func `opening a JSON file of open brackets alone is refused`() throws {
        let bytes = [UInt8](
            repeating: UInt8(ascii: "["),
            count: TestLevel.current.pick(10_000_000, thorough: 100_000_000)
        )
        try folder.write(bytes, to: "file.json")
        let error = #expect(throws: FileStoreError.self) { try JSONFileStore(path: folder.path("file.json")) }
        #expect(error?.step == .parse)
        #expect(try folder.bytes(of: "file.json") == bytes)
    }

    @Test(
        arguments: [
            ("", .locate), ("a\u{0}b", .locate), ("folder/", .locate), ("/", .locate), ("$", .open), ("$/pipe", .open),
            ("/dev/zero", .open), ("/dev/null", .open), ("$/file/below", .locate),
        ] as [(String, FileStoreError.Step)]
    )
    func `opening a JSON file at a path without a file is refused without waiting`(
        path: String,
        step: FileStoreError.Step
    ) throws {
        #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
        try folder.write(fileBytes("old"), to: "file")
        let path = path.replacing("$", with: folder.path)
        let error = #expect(throws: FileStoreError.self) { try JSONFileStore(path: path) }
        #expect(error?.step == step && error?.errorNumber == (path.hasSuffix("below") ? ENOTDIR : nil))
    }

    @Test func `opening a JSON file through a loop of links is refused, and later saves are`() throws {
        try folder.link("a", to: "b")
        try folder.link("b", to: "a")
        let error = #expect(throws: FileStoreError.self) { try JSONFileStore(path: folder.path("a")) }
        #expect(error?.errorNumber == ELOOP)

        let store = try JSONFileStore(path: folder.path("c"), options: .oneFile)
        try store.set("new")
        try folder.link("c", to: "d")
        try folder.link("d", to: "c")
        let failure = #expect(throws: StoreError.self) { try store.synchronize() }
        #expect((failure?.underlying as? FileStoreError)?.errorNumber == ELOOP)
        try folder.remove("d")
        try store.synchronize()
        #expect(try folder.bytes(of: "d") == fileBytes("new"))
    }

    @Test(arguments: [FileStoreOptions(), .oneFile], [EIO, EMFILE, ENOMEM, EINTR])
    func `opening a JSON file fails with the error of the system call unless a signal interrupted it`(
        options: FileStoreOptions,
        errno: Int32
    ) throws {
        try folder.write(fileBytes("old"), to: "file.json")
        let fileSystem = FaultyFileSystem()
        for call in 1... {
            fileSystem.inject(.failure(call: call, errno: errno))
            do throws(FileStoreError) {
                let seams = FileStoreSeams(fileSystem: fileSystem, openEngines: OpenEngines())
                let store = try JSONFileStore(path: folder.path("file.json"), options: options, seams: seams)
                #expect(store.value(forKey: "key") == "old")
            } catch {
                #expect(error.errorNumber == errno && errno != EINTR)
            }
            #expect(try folder.bytes(of: "file.json") == fileBytes("old"))
            #expect(try folder.names == ["file.json"])
            if fileSystem.calls.count < call { return }
        }
    }

    @Test func `opening a JSON file says in one sentence what failed, where, why and what to do`() throws {
        try folder.write(Array("{\n  \"key\": tru\n}\n".utf8), to: "file.json")
        let path = folder.path("file.json")
        let parseError = #expect(throws: FileStoreError.self) { try JSONFileStore(path: path) }
        let description = try #require(parseError?.description)
        #expect(description.hasPrefix("\(path): cannot parse the file: expected "))
        #expect(description.contains(" in line 2, column "))
        #expect(description.hasSuffix("; correct the file, which was left as it is, or move it away."))

        let openError = #expect(throws: FileStoreError.self) { try JSONFileStore(path: "\(path)/file.json") }
        #expect(
            openError?.description == """
                \(path)/file.json: cannot find the file: lstat of "\(path)/file.json" failed: Not a directory \
                (errno \(ENOTDIR)); give the path of a file in a folder.
                """
        )
    }
}

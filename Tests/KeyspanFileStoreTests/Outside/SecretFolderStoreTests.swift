import Foundation
@_spi(StoreAuthors) import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@Suite
struct SecretFolderStoreTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.makeFolder("secrets")
    }

    private var path: String { folder.path("secrets") }

    private func write(_ name: String, _ text: String, mode: Int = 0o600) throws {
        try folder.write(Array(text.utf8), to: "secrets/\(name)", permissions: mode)
    }

    @Test(
        arguments: [
            ("dbPassword", [], ["dbPassword": "x"]), ("DB_PASSWORD", [], ["dbPassword": "x", "DB_PASSWORD": "x"]),
            ("db-password", [], ["dbPassword": "x", "db-password": "x"]),
            ("db_password", [], ["dbPassword": "x", "db_password": "x"]),
            ("db.password", [], ["db.password": "x", "db": ["password": "x"]]),
            ("DB__PASSWORD", [], ["db.password": "x", "db": ["password": "x"], "DB__PASSWORD": "x"]),
            ("DB_PASSWORD", ["dbPassword"], ["dbPassword": "x"]),
            ("DB_PASSWORD", ["db-password", "db_password"], ["db-password": "x", "db_password": "x"]),
            ("max-url-length", ["maxURLLength"], ["maxURLLength": "x"]), ("-", [], ["-": "x"]),
            ("a\nb", [], ["a\nb": "x", "aB": "x"]), ("höhe", [], ["höhe": "x"]),
        ] as [(String, [String], PropertyListTable)]
    )
    func `a file stands for the keys with its words`(_ file: String, _ keys: [String], _ values: PropertyListTable)
        throws
    {
        try write(file, "x")
        let double = try SecretFolderDouble(path: path, keys: keys)
        #expect(double.store.snapshot() == values)
        for (key, value) in values { #expect(double.store.value(forKey: key) == value) }
        #expect(double.notices.isEmpty)
    }

    @Test(
        arguments: [
            ("", ""), ("x", "x"), ("x\n", "x"), ("x\r\n", "x"), ("x\n\n", "x\n"), ("x\n\r\n", "x\n"), ("x\r", "x\r"),
            ("\n", ""), (" x \n", " x "), ("a\0b", "a\0b"), ("ü 🦄\n", "ü 🦄"),
            ("-----\nkey\n-----\n", "-----\nkey\n-----"), ("\u{FEFF}x\r\n", "x"), ("\u{FEFF}", ""),
            ("x\u{FEFF}", "x\u{FEFF}"),
        ] as [(String, PropertyListValue)]
    )
    func `one line end and a byte-order mark do not belong to the value`(_ text: String, _ value: PropertyListValue)
        throws
    {
        try write("key", text)
        #expect(try SecretFolderDouble(path: path).store.snapshot() == ["key": value])
    }

    @Test func `a file that is not UTF-8 is data, so a key of a text reports it`() throws {
        try folder.write([0xEF, 0xBB, 0xBF, 0xFF, 0x0A], to: "secrets/key")
        let defaults = Defaults(try SecretFolderDouble(path: path).store)
        #expect(try defaults.value(for: Defaults.Key<Data?>("key")) == Data([0xEF, 0xBB, 0xBF, 0xFF]))
        #expect(throws: Defaults.ReadError.self) { try defaults.value(for: Defaults.Key<String?>("key")) }
    }

    @Test func `a key of another type converts the text, and its error names the file and not the value`() throws {
        try write("PORT", "8080\n")
        try write("COUNT", "many")
        let (port, count) = (Defaults.Key<Int>("port", default: 1), Defaults.Key<Int>("count", default: 1).secret())
        let secrets = try SecretFolderDouble(path: path, keys: ["port", "count"]).store
        let defaults = Defaults(
            LayeredStore([.init("secrets", secrets), .init("memory", InMemoryStore(), isWritable: true)])
        )
        #expect(try defaults.value(for: port) == 8080)
        let error = #expect(throws: Defaults.ReadError.self) { try defaults.value(for: count) }
        #expect(error?.description.contains("key \"count\" of secrets: \(folder.path("secrets/COUNT")): ") == true)
        #expect(error?.description.contains("many") == false)
        #expect(defaults.provenance(of: port)?.description == "secrets: \(folder.path("secrets/PORT"))")
    }

    @Test func `a dictionary is from the files of its members`() throws {
        try write("tls.crt", "a")
        try write("tls.key", "b")
        let store = try SecretFolderDouble(path: path).store
        #expect(store.value(forKey: "tls") == ["crt": "a", "key": "b"])
        let sources = store.provenance(forKeys: ["tls", "absent"], findingLines: false).mapValues {
            $0.sources.map(\.store)
        }
        #expect(sources == ["tls": [folder.path("secrets/tls.crt"), folder.path("secrets/tls.key")]])
    }

    @Test(arguments: [
        (0o400, false, true), (0o600, false, true), (0o440, false, true), (0o444, false, false), (0o644, false, false),
        (0o604, false, false), (0o444, true, true), (0o644, true, true), (0o602, true, false), (0o666, true, false),
        (0o601, false, true),
    ])
    func `a file that every user may read or write is refused`(_ mode: Int, _ isAllowed: Bool, _ isTaken: Bool) throws {
        try write("key", "hidden", mode: mode)
        let double = try SecretFolderDouble(path: path, allowsWorldReadable: isAllowed)
        #expect(double.store.snapshot() == (isTaken ? ["key": "hidden"] : [:]))
        double.look()
        #expect(double.notices.map(\.kind) == (isTaken ? [] : [.unusableSecret]))
        guard let notice = double.notices.first else { return }
        #expect(notice.path == folder.path("secrets/key"))
        #expect(notice.description.contains("mode \(String(mode, radix: 8))"))
        #expect(notice.remedy.contains("chmod 0400"))
        #expect(notice.remedy.contains("allowsWorldReadable: true") == (mode & 0o002 == 0))
        #expect(!notice.description.contains("hidden"))
    }

    @Test func `hidden files, folders and links that lead to nothing are passed over`() throws {
        for name in [".key", "..data_tmp", "..2026"] { try write(name, "x") }
        try folder.makeFolder("secrets/folder")
        try folder.link("secrets/dangling", to: "nowhere")
        let double = try SecretFolderDouble(path: path)
        #expect(double.store.snapshot() == [:])
        #expect(double.notices.isEmpty)
    }

    #if os(Linux)
    private static let kinds = ["pipe", "device", "loop", "large", "socket"]
    #else
    private static let kinds = ["pipe", "device", "loop", "large"]
    #endif

    /// Items that are refused without waiting for them.
    @Test(arguments: kinds)
    func `an item that is no small file is refused, and the others are read`(_ kind: String) throws {
        try write("key", "x")
        switch kind {
        case "pipe": try #require(mkfifo(folder.path("secrets/bad"), 0o600) == 0)
        case "socket": try check(mknod(folder.path("secrets/bad"), S_IFSOCK | 0o600, 0))
        case "device": try folder.link("secrets/bad", to: "/dev/zero")
        case "loop": try folder.link("secrets/bad", to: "bad")
        default: try write("bad", String(repeating: "x", count: 1 << 20 | 1))
        }
        let double = try SecretFolderDouble(path: path, allowsWorldReadable: true)
        #expect(double.store.snapshot() == ["key": "x"])
        #expect(double.notices.map(\.kind) == [.unusableSecret])
        #expect(double.notices.map(\.path) == [folder.path("secrets/bad")])
        double.look()
        #expect(double.notices.count == 1)
    }

    @Test func `the largest file is read`() throws {
        let text = String(repeating: "x", count: 1 << 20)
        try write("key", text)
        #expect(try SecretFolderDouble(path: path).store.snapshot() == ["key": .string(text)])
    }

    @Test func `a file that grows while it is read is read no further than to the limit`() throws {
        try write("key", "x")
        let folder = folder
        let double = try SecretFolderDouble(
            path: path,
            fault: .interlude(before: .read) {
                try? folder.append(String(repeating: "x", count: 3 << 20), to: "secrets/key")
            }
        )
        #expect(double.store.snapshot() == [:])
        #expect(double.notices.first?.reason.contains("more than 1048576 bytes") == true)
        #expect(double.notices.allSatisfy { $0.kind == .unusableSecret })
    }

    @Test func `a file that the process may not read is refused, and a disk that fails is not`() throws {
        try write("key", "x")
        let double = try SecretFolderDouble(path: path, fault: .failureOfNext("open key", errno: EACCES))
        #expect(double.notices.map(\.kind) == [.unusableSecret])
        #expect(double.store.snapshot() == ["key": "x"], "the look after the start of the watch reads it")
        let error = #expect(throws: FileStoreError.self) {
            try SecretFolderDouble(path: path, fault: .failureOfNext("open key", errno: EIO))
        }
        #expect(error?.errorNumber == EIO && error?.path == folder.path("secrets/key"))
    }

    @Test func `a folder of too many files is not read`() throws {
        for number in 0...1000 { try folder.overwrite("secrets/\(number)", "x") }
        let error = #expect(throws: FileStoreError.self) { try SecretFolderDouble(path: path) }
        #expect(error?.step == .readFolder)
        try folder.remove("secrets/1000")
        #expect(try SecretFolderDouble(path: path).store.snapshot().count == 1000)
    }

    @Test func `of two files for one key that with its name counts, and otherwise the first one does`() throws {
        try write("API_KEY", "1")
        try write("api-key", "2")
        let double = try SecretFolderDouble(path: path, keys: ["apiKey"])
        #expect(double.store.snapshot() == ["apiKey": "1"])
        #expect(double.notices.map(\.kind) == [.unusableSecret])
        let text = try #require(double.notices.first?.description)
        for word in ["\"apiKey\"", folder.path("secrets/API_KEY"), folder.path("secrets/api-key")] {
            #expect(text.contains(word))
        }
        try write("apiKey", "3")
        double.look()
        #expect(double.store.snapshot() == ["apiKey": "3"])
        #expect(double.notices.count == 1)
    }

    @Test func `a folder that is missing is an error unless it is optional`() throws {
        let missing = folder.path("missing")
        let error = #expect(throws: FileStoreError.self) { try SecretFolderDouble(path: missing) }
        #expect(error?.step == .readFolder && error?.description.contains("isOptional: true") == true)
        let double = try SecretFolderDouble(path: missing, isOptional: true)
        #expect(double.store.snapshot() == [:])
        try folder.makeFolder("missing")
        try folder.overwrite("missing/key", "x")
        double.look()
        #expect(double.store.snapshot() == ["key": "x"])
        #expect(double.notices.isEmpty)
    }

    @Test(arguments: ["", "a\0b", "secrets/file"])
    func `a path that cannot be that of a folder is an error`(_ name: String) throws {
        try write("file", "x")
        let path = name == "secrets/file" ? folder.path(name) : name
        #expect(throws: FileStoreError.self) { try SecretFolderDouble(path: path, isOptional: true) }
    }

    @Test func `the public initializer follows the folder`() async throws {
        try write("API_TOKEN", "old")
        let token = Defaults.Key<String?>("apiToken").secret()
        let store = try SecretFolderStore(path: path + "/", keys: [token])
        #expect(Defaults(store)[token] == "old")
        try folder.replace("secrets/API_TOKEN", "new")
        try await eventually("the store reads the new token", Defaults(store)[token], is: "new")
    }
}

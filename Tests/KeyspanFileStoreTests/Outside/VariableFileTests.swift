import Foundation
import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanTestSupport
import Testing

/// Variables that name the files of values.
@Suite
struct VariableFileTests {
    private let password = Defaults.Key<String?>("db.password").secret()
    private let log = Defaults.Key<String>("log", default: "")
    private let logFile = Defaults.Key<String>("logFile", default: "")
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.overwrite("file", "hidden\n")
    }

    private func store(_ environment: [String: String], keys: [Defaults.AnyKey]? = nil) throws -> EnvironmentStore {
        try EnvironmentStore(
            prefix: "P_",
            fileSuffix: "_FILE",
            keys: keys ?? [password, log],
            environment: environment
        )
    }

    @Test(arguments: ["hidden", "hidden\n", "hidden\r\n", "\u{FEFF}hidden\n"])
    func `a key has the text of the file that its variable names`(_ text: String) throws {
        try folder.overwrite("file", text)
        let store = try store(["P_DB__PASSWORD_FILE": folder.path("file"), "P_OTHER": "x"])
        #expect(store.snapshot() == ["db.password": "hidden", "db": ["password": "hidden"], "other": "x"])
        #expect(Defaults(store)[password] == "hidden")
        #expect(
            store.provenance(forKey: "db.password")?.description
                == "environment variable P_DB__PASSWORD_FILE (\(folder.path("file")))"
        )
        #expect(store.variableName(forKey: "db.password") == "P_DB__PASSWORD")
    }

    @Test func `a file that is not UTF-8 is data`() throws {
        try folder.write([0xFF, 0x0A], to: "file")
        let store = try store(["P_LOG_FILE": folder.path("file")])
        #expect(store.value(forKey: "log") == .data(Data([0xFF])))
    }

    @Test func `only the variables of given keys name files`() throws {
        let store = try store(["P_TLS_CERT_FILE": "/nowhere", "P_FILE": "/nowhere", "TLS_FILE": "/nowhere"])
        #expect(store.snapshot() == ["tlsCertFile": "/nowhere", "file": "/nowhere"])
    }

    @Test func `the variable of a given key is its own, whatever it ends with`() throws {
        let path = folder.path("file")
        #expect(try store(["P_LOG_FILE": path]).snapshot() == ["log": "hidden"])
        #expect(try store(["P_LOG_FILE": path], keys: [log, logFile]).snapshot() == ["logFile": .string(path)])
        #expect(try store(["P_LOG_FILE_FILE": path], keys: [log, logFile]).snapshot() == ["logFile": "hidden"])
    }

    @Test func `an empty variable names no file`() throws {
        #expect(try store(["P_LOG_FILE": ""]).snapshot() == [:])
        #expect(try store(["P_LOG_FILE": "", "P_LOG": "x"]).snapshot() == ["log": "x"])
    }

    @Test(arguments: ["x", ""])
    func `two variables of one key are an error that names both`(_ value: String) {
        let error = #expect(throws: VariableFileError.self) {
            try store(["P_LOG_FILE": folder.path("file"), "P_LOG": value])
        }
        #expect(error?.description.contains("both P_LOG and P_LOG_FILE are set") == true)
        #expect(error?.underlying == nil)
    }

    /// Items that cannot be read as a value, and a word of the reason.
    @Test(arguments: [
        ("missing", "does not exist"), ("folder", "folder"), ("pipe", "pipe"), ("loop", "symbolic links"),
        ("large", "1048577 bytes"),
    ])
    func `a file without a value is an error that names the variable and the path`(_ name: String, _ word: String)
        throws
    {
        try folder.makeFolder("folder")
        try #require(mkfifo(folder.path("pipe"), 0o600) == 0)
        try folder.link("loop", to: "loop")
        try folder.overwrite("large", String(repeating: "x", count: 1 << 20 | 1))
        let error = #expect(throws: VariableFileError.self) {
            try store(["P_DB__PASSWORD_FILE": folder.path(name)])
        }
        #expect(error?.variable == "P_DB__PASSWORD_FILE")
        let text = try #require(error?.description)
        for part in ["P_DB__PASSWORD_FILE", folder.path(name).debugDescription, word] {
            #expect(text.contains(part), "\(text)")
        }
    }

    /// The error of a variable that names a file by bytes.
    private func error(of path: OutsideText, on fileSystem: any FileSystem = POSIXFileSystem()) -> VariableFileError? {
        #expect(throws: VariableFileError.self) {
            try EnvironmentStore(
                names: VariableNames(prefix: "P_", keys: [log], spelling: .camelCase),
                fileSuffix: "_FILE",
                environment: ["P_LOG_FILE": path],
                fileSystem: fileSystem
            )
        }
    }

    @Test(arguments: [[0x2F, 0xFF], [0x2F, 0x00, 0x61]] as [[UInt8]])
    func `a path that no file can have is an error`(_ path: [UInt8]) {
        #expect(error(of: OutsideText(path))?.underlying?.step == .locate)
    }

    @Test func `a disk that fails is an error with its number`() {
        let fileSystem = FaultyFileSystem()
        fileSystem.inject(.refusal(.read, errno: EIO))
        let error = error(of: OutsideText(folder.path("file")), on: fileSystem)
        #expect(error?.underlying?.errorNumber == EIO)
        #expect(error?.description.contains("hidden") == false)
    }
}

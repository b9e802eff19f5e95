import Foundation
@_spi(StoreAuthors) import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@Suite
struct DotEnvTextTests {
    @Test(
        arguments: [
            ("", []), ("\u{FEFF}", []), ("\n \n\t\n# comment\n  # A=1\n#", []), ("A=1", [("A", "1", 1)]),
            ("\u{FEFF}A=1\n", [("A", "1", 1)]), ("A=1\r\nB=2\r\n", [("A", "1", 1), ("B", "2", 2)]),
            ("\n\n  A = some text \t\n", [("A", "some text", 3)]),
            ("export A=1\nexport\tB=2\n", [("A", "1", 1), ("B", "2", 2)]), ("export=1", [("export", "1", 1)]),
            ("export = 1", [("export", "1", 1)]), ("exported=1", [("exported", "1", 1)]),
            ("A=\nB= \nC=''\nD=\"\"", [("A", "", 1), ("B", "", 2), ("C", "", 3), ("D", "", 4)]),
            (
                "A=1 # x\nB=1#x\nC=#x\nD= #x\nE=1\t#x",
                [("A", "1", 1), ("B", "1#x", 2), ("C", "#x", 3), ("D", "", 4), ("E", "1", 5)]
            ),
            ("A='1' # x\nB=\"2\"# x\r\nC='3'  ", [("A", "1", 1), ("B", "2", 2), ("C", "3", 3)]),
            ("A='$B \\n \" # x'", [("A", "$B \\n \" # x", 1)]),
            (#"A="a\tb\nc\r\"\\\$d 'e' # f""#, [("A", "a\tb\nc\r\"\\$d 'e' # f", 1)]),
            ("A=\"1\n2\r\n# 3\n\"\nB='\n'\nC=1", [("A", "1\n2\n# 3\n", 1), ("B", "\n", 5), ("C", "1", 7)]),
            (#"A=C:\dir\new"#, [("A", #"C:\dir\new"#, 1)]), (#"A=\$B"#, [("A", "$B", 1)]),
            ("A=5$\nB=$ 5\nC=$-\nD=\"$\"", [("A", "5$", 1), ("B", "$ 5", 2), ("C", "$-", 3), ("D", "$", 4)]),
            ("A=it's\nB=a\"b\"\nC=a=b", [("A", "it's", 1), ("B", "a\"b\"", 2), ("C", "a=b", 3)]),
            ("a.b-c_1=x", [("a.b-c_1", "x", 1)]), ("_A=1\nHÖHE=ü 🦄", [("_A", "1", 1), ("HÖHE", "ü 🦄", 2)]),
            // A line feed and a combining mark are one character, and still two scalars.
            ("A=1\n\u{301}B=2".replacing("\u{301}", with: ""), [("A", "1", 1), ("B", "2", 2)]),
            ("\u{E9}=1\ne\u{301}=2", [("\u{E9}", "1", 1), ("e\u{301}", "2", 2)]),
        ] as [(String, [(String, String, Int)])]
    )
    func `a text defines variables`(_ text: String, _ definitions: [(String, String, Int)]) throws {
        let expected = definitions.map { DotEnvText.Definition($0.0, $0.1, line: $0.2) }
        #expect(try DotEnvText.parse(Array(text.utf8)) == expected)
    }

    /// Texts that are refused, with the place and a word of the error.
    @Test(
        arguments: [
            ("A", 1, 2, "expected `=`"), ("A=1\nexport B\n", 2, 9, "expected `=`"), ("A: 1", 1, 2, "expected `=`"),
            ("A B=1", 1, 3, "expected `=`"), ("=1", 1, 1, "name of a variable"),
            ("\u{FEFF}=1", 1, 1, "name of a variable"), ("1A=1", 1, 1, "name of a variable"),
            ("-A=1", 1, 1, "name of a variable"), (".A=1", 1, 1, "name of a variable"),
            ("A=1\n  $B=1", 2, 3, "name of a variable"), ("A\u{A0}=1", 1, 2, "name of a variable"),
            ("ü\u{A0}=1", 1, 2, "name of a variable"), ("\0", 1, 1, "name of a variable"),
            ("A=1\nB=2\nexport A=3", 3, 8, "line 1 already"), ("A='secret\n", 1, 3, "has no end"),
            ("A=1\nB=\"secret\\\"", 2, 3, "has no end"), ("A='secret'x", 1, 11, "closing quote"),
            ("A='Let\\'s go!'", 1, 9, "closing quote"), ("A=\"secret\\d\"", 1, 10, "backslash"),
            ("A=\"secret\\", 1, 10, "backslash"), ("A=\"secret\\\n\"", 1, 10, "backslash"),
            ("A=1\nB=secret${X}", 2, 9, "`$`"),
            ("A=secret$X", 1, 9, "`$`"), ("A=secret$_", 1, 9, "`$`"), ("A=secret$5", 1, 9, "`$`"),
            ("A=$(secret)", 1, 3, "`$`"), ("A=\"\n${secret}\"", 2, 1, "`$`"),
            ("A=secret\0", 1, 9, "NUL"), ("A='secret\0'", 1, 10, "NUL"), ("A=\"secret\0\"", 1, 10, "NUL"),
            ("A=secret\rB=1", 1, 9, "carriage return"),
        ]
    )
    func `a text outside of the dialect is refused`(_ text: String, _ line: Int, _ column: Int, _ word: String) throws {
        let error = #expect(throws: DotEnvTextError.self) { try DotEnvText.parse(Array(text.utf8)) }
        #expect(error?.line == line && error?.column == column, "\(String(describing: error))")
        #expect(error?.description.contains(word) == true, "\(String(describing: error))")
        #expect(error?.description.contains("secret") == false)
    }

    @Test(
        arguments: [
            (Array("A=1\nB=x".utf8) + [0xFF], 2, 4), ([0x41, 0xFF, 0x3D], 1, 2),
            (Array("A='\n".utf8) + [0xC3, 0x27], 2, 1),
        ] as [([UInt8], Int, Int)]
    )
    func `bytes that are not UTF-8 are refused`(_ bytes: [UInt8], _ line: Int, _ column: Int) {
        let error = #expect(throws: DotEnvTextError.self) { try DotEnvText.parse(bytes) }
        #expect(error?.line == line && error?.column == column, "\(String(describing: error))")
        #expect(error?.remedy == "save the text as UTF-8")
    }

    @Test(arguments: [[0xFF, 0xFE, 0x41, 0x00, 0x3D, 0x00], [0x41, 0x00, 0x3D, 0x00]] as [[UInt8]])
    func `a text in UTF-16 is refused as such`(_ bytes: [UInt8]) {
        let error = #expect(throws: DotEnvTextError.self) { try DotEnvText.parse(bytes) }
        #expect(error?.reason == "the text is not UTF-8")
    }

    /// Any bytes are read or refused at a place of the text, and none of them crashes the reader.
    @Test(.seeded) func `damaged texts are read or refused`() throws {
        let parts = ["A", "=", "'", "\"", "\\", "$", "{", "#", " ", "\n", "\r\n", "\r", "export ", "ü", "\0", "x1"]
        for seed in SeededGenerator.seeds(TestLevel.current.pick(500, thorough: 20_000)) {
            var generator = SeededGenerator(seed: seed)
            var bytes = (0..<Int.random(in: 0...40, using: &generator)).flatMap { _ in
                Array(parts[Int.random(in: 0..<parts.count, using: &generator)].utf8)
            }
            if Bool.random(using: &generator), !bytes.isEmpty {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            do {
                let lines = try DotEnvText.parse(bytes).map(\.line)
                try #require(lines.allSatisfy { (1...bytes.count { $0 == 0x0A } + 1).contains($0) }, "seed \(seed)")
                try #require(zip(lines, lines.dropFirst()).allSatisfy { $0 < $1 }, "seed \(seed)")
            } catch let error as DotEnvTextError {
                try #require(error.line >= 1 && error.column >= 1, "seed \(seed)")
            }
        }
    }

    /// A value in single quotes, and one in double quotes with its escape sequences, come back as they were.
    @Test(.seeded) func `a value that is written in quotes is read as it was`() throws {
        let characters = Array("ab\"'\\$#={}() \t\nüé🦄")
        var generator = SeededGenerator(seed: SeededGenerator.seedOfRun)
        for _ in 0..<TestLevel.current.pick(100, thorough: 2_000) {
            let text = String((0..<20).map { _ in characters[Int.random(in: 0..<characters.count, using: &generator)] })
            let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("$", with: "\\$")
            try #require(try DotEnvText.parse(Array("A=\"\(escaped)\"".utf8)).map(\.value) == [text])
            let literal = text.replacing("'", with: "")
            try #require(try DotEnvText.parse(Array("A='\(literal)'\n".utf8)).map(\.value) == [literal])
        }
    }
}

@Suite(.bounded)
struct DotEnvStoreTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.overwrite(
            ".env",
            """
            # The server
            export P_SERVER__PORT=8080
            P_SERVER__HOST="example.com"

            P_MAX_URL_LENGTH=many
            OTHER=x
            """
        )
    }

    private var path: String { folder.path(".env") }
    private let length = Defaults.Key<Int>("maxURLLength", default: 1).secret()

    @Test func `keys have the variables that they have in the environment`() throws {
        let store = try DotEnvStore(path: path, prefix: "P_", keys: [length])
        #expect(
            store.snapshot() == [
                "server.port": "8080", "server.host": "example.com", "server": ["port": "8080", "host": "example.com"],
                "maxURLLength": "many",
            ]
        )
        #expect(store.name == path)
        #expect(store.variableName(forKey: "maxURLLength") == "P_MAX_URL_LENGTH")
        #expect(store.holdsText(forKey: "server.port"))
        #expect(try Defaults(store).value(for: Defaults.Key<Int>("server.port", default: 1)) == 8080)
        #expect(try DotEnvStore(path: path).value(forKey: "other") == "x")
    }

    @Test func `a value is from its line, through layers too`() throws {
        let store = LayeredStore([
            .init("environment", EnvironmentStore(prefix: "P_", environment: [:])),
            .init("file", try DotEnvStore(path: path, prefix: "P_", keys: [length])),
        ])
        #expect(store.provenance(forKey: "server.port")?.description == "file: \(path):2")
        #expect(store.provenance(forKey: "server")?.sources.map(\.line) == [2, 3])
        #expect(store.provenance(forKey: "absent") == nil)
        let error = #expect(throws: Defaults.ReadError.self) { try Defaults(store).value(for: length) }
        #expect(error?.description.contains("file: \(path):5: ") == true, "\(String(describing: error))")
        #expect(error?.description.contains("many") == false)
    }

    @Test func `a file that is missing is an error unless it is optional`() throws {
        let missing = folder.path("missing")
        let error = #expect(throws: FileStoreError.self) { try DotEnvStore(path: missing) }
        #expect(error?.path == missing && error?.step == .open)
        #expect(try DotEnvStore(path: missing, isOptional: true).snapshot() == [:])
    }

    @Test func `a text outside of the dialect is an error with file, line and column`() throws {
        try folder.overwrite(".env", "A=1\nB=secret${C}\n")
        let error = #expect(throws: FileStoreError.self) { try DotEnvStore(path: path, isOptional: true) }
        #expect(error?.step == .parse && error?.path == path)
        #expect(error?.position?.line == 2 && error?.position?.column == 9)
        #expect(error?.description.contains("line 2, column 9") == true)
        #expect(error?.description.contains("secret") == false)
    }

    @Test(arguments: ["folder", "pipe", "large", "loop"])
    func `an item that is no small file is an error, even if the file is optional`(_ name: String) throws {
        try folder.makeFolder("folder")
        try #require(mkfifo(folder.path("pipe"), 0o600) == 0)
        try folder.overwrite("large", String(repeating: "#", count: 1 << 20 | 1))
        try folder.link("loop", to: "loop")
        #expect(throws: FileStoreError.self) { try DotEnvStore(path: folder.path(name), isOptional: true) }
    }

    @Test func `a large file is read in one pass`() throws {
        let text = (0..<20_000).map { "P_KEY_\($0)='\($0)'\n" }.joined()
        try folder.overwrite(".env", text)
        let store = try DotEnvStore(path: path, prefix: "P_")
        #expect(store.snapshot().count == 20_000)
        #expect(store.provenance(forKey: "key_19999")?.sources.map(\.line) == [20_000])
    }

    private struct PortKeys: KeyGroup {
        let port = Key<Int>("port", default: 80)
    }

    @Test func `a text that gives way to a value of the same spelling is a change of the group`() async throws {
        // A key of integers reads the text of a variable, and not the string of a property list.
        try folder.overwrite(".env", "PORT=5\n")
        let variables = try DotEnvStore(path: path, keys: PortKeys.allKeys)
        let strings = InMemoryStore(["port": "5"])
        let store = LayeredStore([.init("variables", variables), .init("strings", strings, isWritable: true)])
        let settings = Defaults.Group<PortKeys>(store)
        let changes = settings.changes()
        try folder.overwrite(".env", "# none\n")
        func reload() throws { try variables.reload() }
        try reload()
        strings.set("6", forKey: "port")
        let ports = Recorder<[Int]>()
        let task = Task {
            for await change in changes where change.contains(\.port) {
                Defaults.withProblemHandler({ _ in }) { ports.record([change.old.port, change.new.port]) }
            }
        }
        defer { task.cancel() }
        try await eventually("the group reports the change", ports.values.first, is: [5, 80])
    }
}

import Keyspan
import NotesShared
import Testing

@testable import notes_server

@Suite struct StartTests {
    @Test func `arguments are above variables, these above the file, and defaults below`() throws {
        let folder = try TestFolder()
        let path = try folder.settings(#"{"title": "file", "theme": "dark", "limits": {"notes": 5}, "logged": "50%"}"#)
        let settings = try folder.open(
            path,
            ["--title=argument"],
            environment: [
                "NOTES_TITLE": "variable", "NOTES_THEME": "light", "NOTES_LIMITS__NOTE_SIZE": "2KiB", "PATH": "/bin",
            ]
        )
        let notes = settings.notes.snapshot()
        #expect((notes.title, notes.theme, notes.limits.notes) == ("argument", .light, 5))
        #expect((notes.limits.noteSize, notes.logged, notes.labels) == (.kibibytes(2), 50, ["home", "work"]))
        #expect(settings.group.logLevel == .info)
    }

    @Test func `a secret is below the variables and above the file`() throws {
        let folder = try TestFolder()
        let path = try folder.settings(#"{"server": {"token": "file"}}"#)
        #expect(try folder.open(path).notes.server.token == "file")
        try folder.addSecret("secret\n", as: "server.token")
        #expect(try folder.open(path).notes.server.token == "secret")
        let environment = ["NOTES_SERVER__TOKEN": "variable"]
        #expect(try folder.open(path, environment: environment).notes.server.token == "variable")
    }

    @Test func `the health check finds the address without the file`() throws {
        let folder = try TestFolder()
        let path = try folder.settings(#"{"server": {"listen": "127.0.0.1:81"}}"#)
        #expect(ServerSettings.address(arguments: ["notes-server", path], environment: [:]).port == 81)
        let variables = ["NOTES_SERVER__LISTEN": "127.0.0.1:82"]
        #expect(ServerSettings.address(arguments: ["notes-server", path], environment: variables).port == 82)
        _ = try folder.settings("{")
        #expect(ServerSettings.address(arguments: ["notes-server", path], environment: variables).port == 82)
        #expect(ServerSettings.address(arguments: ["notes-server", path], environment: [:]).port == 8080)
    }

    @Test func `a server with a misspelt secret does not start, and says which`() throws {
        let folder = try TestFolder()
        let path = try folder.settings()
        try folder.addSecret("secret", as: "server.tokn")
        let error = try #require(throws: (any Error).self) { try folder.open(path) }
        #expect("\(error)".contains("server.tokn"), "\(error)")
    }

    /// What is wrong, and what the error says of it.
    @Test(arguments: [
        (["--tilte=x"], [:], "{}", "--title"),
        ([], ["NOTES_TILTE": "x"], "{}", "NOTES_TITLE"),
        ([], [:], #"{"tilte": "x"}"#, "title"),
        ([], [:], #"{"limits": {"nots": 1}}"#, "notes"),
        (["--theme=purple"], [:], "{}", "theme"),
        ([], ["NOTES_LIMITS__NOTES": "0"], "{}", "limits.notes"),
        ([], ["NOTES_SERVER__TOKEN": ""], "{}", "server.token"),
        ([], [:], #"{"logLevel": "loud"}"#, "logLevel"),
        ([], [:], #"{"title": "#, "settings.json"),
    ])
    func `a server with a wrong setting does not start, and says which`(
        arguments: [String],
        environment: [String: String],
        file: String,
        words: String
    ) throws {
        let folder = try TestFolder()
        let path = try folder.settings(file)
        let error = try #require(throws: (any Error).self) {
            try folder.open(path, arguments, environment: environment)
        }
        #expect("\(error)".contains(words), "\(error)")
    }
}

import Foundation
import KeyspanTestSupport
import Testing

/// Commands that a person meant otherwise: nothing is lost, and no other file is changed.
@Suite(.heavy) struct MisplacedWriteTests {
    private let sandbox: Sandbox

    init() throws {
        sandbox = try Sandbox(["app": #"{"name": "Ada"}"#])
    }

    @Test(arguments: ["", "\n", "\u{FEFF}"])
    func `an empty input replaces no value`(input: String) throws {
        let before = try sandbox.text(ofDomain: "app")
        for line in ["set app name -", "set app name --stdin", "write app new -"] {
            try sandbox.refuse(line, "Standard input is empty", "`--stdin -string`", input: input)
        }
        #expect(try sandbox.text(ofDomain: "app") == before)
        try sandbox.expect("set app name --stdin -string", input: "\n")
        try sandbox.expect("get app name", "\n")
    }

    @Test(arguments: [
        "app.yaml", "config.YML", "Cargo.toml", "prod.env", "php.ini", "app.conf", "web.xml", "Up.JSON", "a.JsonC",
        "a.PLIST", "f.jsonx",
        "notes",
    ])
    func `the name of another file is no domain`(name: String) throws {
        let isOfWorkingFolder = ["f.jsonx", "notes"].contains(name)
        if isOfWorkingFolder { try sandbox.folder.write("", to: name) }
        for line in ["set \(name) a b", "get \(name) a", "import \(name) /dev/null"] {
            let run = try sandbox.shell("keyspan \(line)")
            #expect(run.status == 64 && run.hasOneSentence, "\(run)")
            #expect(run.error.contains("which for a domain of that name is ~/keyspan/\(name).json."))
        }
        #expect(try sandbox.files == ["app.json"])
        // A name that has a file in the folder is a domain.
        try sandbox.write(#"{"a": "c"}"#, toDomain: name)
        #expect(try sandbox.shell("keyspan get \(name) a").output == "c\n")
    }

    @Test func `a domain by the name of another file is left alone`() throws {
        try sandbox.write("{}", toDomain: "app.yaml")
        try sandbox.folder.write("", to: "app.yaml")
        #expect(try sandbox.shell("keyspan set app.yaml a b").status == 64)
        #expect(try sandbox.text(ofDomain: "app.yaml") == "{}")
    }

    @Test(arguments: ["a b.json", "$(touch HACK).json", "it's`touch HACK`.json", "-a.json"])
    func `commands in messages are quoted for a shell`(name: String) throws {
        try sandbox.folder.write(#"{"a": 1}"#, to: name)
        let path = sandbox.folder.path(name)
        for arguments in [["get", path, "nope"], ["kept", path, "nope"], ["delete", path, "a"]] {
            let result = try TestProcess([Sandbox.tool] + arguments, environment: sandbox.environment).finish()
            let parts = result.error.split(separator: "`keyspan ", maxSplits: 1)
            let command = try #require(
                parts.last?.split(separator: "` ", omittingEmptySubsequences: false).dropLast().joined(separator: "` ")
            )
            #expect(try sandbox.shell("keyspan \(command)").status == 0, "\(result.error)")
        }
        #expect(!sandbox.folder.contains("HACK"))
    }
}

import Foundation
import Keyspan
import KeyspanFileStore
import KeyspanTestSupport
import Testing

/// The standard stores of programs, as a user finds them.
@Suite struct StandardStoreTests {
    private let sandbox: Sandbox

    init() throws {
        sandbox = try Sandbox(["app": #"{"theme": "dark"}"#, "defaults": #"{"theme": "light"}"#])
        for (folder, file) in [
            ("greeter", "defaults.json"), ("fresh", ".defaults.json.journal"), ("editor", "settings.json"),
            (".hidden", "defaults.json"),
        ] {
            try sandbox.folder.makeFolder(folder)
            try sandbox.folder.write(file == "defaults.json" ? #"{"visits": 3}"# : "", to: "\(folder)/\(file)")
        }
    }

    @Test func `are domains by the names of their programs`() throws {
        try sandbox.expect("domains", "app\ndefaults\nfresh\ngreeter\n")
        try sandbox.expect("read greeter visits", "3\n")
        let all = try sandbox.run("read")
        #expect(all.status == 0 && all.output.contains("    greeter =     {\n        visits = 3;\n    };\n"))
        #expect(try sandbox.run("find visits").output.hasPrefix("Found 1 key in domain 'greeter'"))
        // They do not hide a domain that does not exist.
        try sandbox.refuse("read nope", "\"nope\" does not exist", status: 3)
    }

    @Test func `are written by the names of their programs`() throws {
        try sandbox.expect("incr greeter visits", "4\n")
        #expect(try sandbox.folder.text(of: "greeter/defaults.json") == #"{"visits": 4}"#)
        #expect(!sandbox.folder.contains("keyspan/greeter.json"))
        try sandbox.expect("write editor key value")
        #expect(sandbox.folder.contains("keyspan/editor.json"))
    }

    @Test func `are found while a running program has its settings in the journal only`() throws {
        let store = try JSONFileStore(path: sandbox.folder.path("running/defaults.json"))
        try store.apply(PropertyListBatch(.set(3, key: "visits")))
        try store.synchronize()
        let commands = "keyspan get running visits && keyspan incr running visits && keyspan domains"
        #expect(try sandbox.shell(commands).output == "3\n4\napp\ndefaults\nfresh\ngreeter\nrunning\n")
        withExtendedLifetime(store) {}
    }

    @Test func `give way to a domain of the same name, and the list says which is which`() throws {
        try sandbox.write(#"{"visits": 100}"#, toDomain: "greeter")
        let list = try sandbox.run("domains")
        #expect(list.status == 0 && list.output == "~/greeter/defaults.json\napp\ndefaults\nfresh\ngreeter\n")
        #expect(list.hasOneSentence && list.error.contains("\"greeter\" is ~/keyspan/greeter.json; "))
        #expect(list.error.contains("~/greeter/defaults.json"))
        let error = list.error
        try sandbox.expect("read greeter visits", "100\n", error: error)
        for line in ["get greeter visits --default 5", "export greeter - --format json", "kept greeter", "find 100"] {
            #expect(try sandbox.run(line).error == (line == "find 100" ? "" : error), "\(line)")
        }
        let before = try (sandbox.text(ofDomain: "greeter"), sandbox.folder.text(of: "greeter/defaults.json"))
        for line in [
            "set greeter visits -int 4", "write greeter '{}'", "incr greeter visits", "rename greeter visits v",
            "edit greeter",
            "delete greeter visits", "delete greeter", "import greeter -", "kept restore greeter v",
            "kept discard greeter v",
        ] { try sandbox.refuse(line, "~/greeter/defaults.json; give the path", status: 64, input: "{}") }
        let after = try (sandbox.text(ofDomain: "greeter"), sandbox.folder.text(of: "greeter/defaults.json"))
        #expect(before == after)
        try sandbox.expect("set ~/greeter/defaults.json visits -int 3")
        try sandbox.expect("read ~/greeter/defaults.json visits", "3\n")
        let all = try sandbox.run("read --output json").output
        #expect(all.contains("\"greeter\": {\n    \"visits\": 100"))
        #expect(all.contains("\"~/greeter/defaults.json\": {\n    \"visits\": 3"))
    }
}

import Foundation
import Keyspan
import KeyspanFileStore
import Testing

/// The standard stores of programs, as a user finds them.
@Suite struct StandardStoreTests {
    private let sandbox: Sandbox

    init() throws {
        sandbox = try Sandbox()
        for (folder, file) in [
            ("greeter", "defaults.json"), ("fresh", ".defaults.json.journal"), ("editor", "settings.json"),
            (".hidden", "defaults.json"),
        ] {
            try FileManager.default.createDirectory(
                atPath: sandbox.folder.path(folder),
                withIntermediateDirectories: true
            )
            try sandbox.folder.write(file == "defaults.json" ? #"{"visits": 3}"# : "", to: "\(folder)/\(file)")
        }
        try sandbox.write(#"{"theme": "dark"}"#, toDomain: "app")
        try sandbox.write(#"{"theme": "light"}"#, toDomain: "defaults")
    }

    @Test func `are domains by the names of their programs`() throws {
        let list = try sandbox.run("domains")
        #expect(list.output == "app, defaults, fresh, greeter\n")
        #expect(list.error.isEmpty)
        #expect(try sandbox.run("read", "greeter", "visits").output == "3\n")
        #expect(try sandbox.run("read").output.contains("    greeter =     {\n        visits = 3;\n    };\n"))
        #expect(try sandbox.run("read").status == 0)
        #expect(try sandbox.run("find", "visits").output.hasPrefix("Found 1 key in domain 'greeter'"))
    }

    @Test func `are written by the names of their programs`() throws {
        #expect(try sandbox.run("incr", "greeter", "visits").output == "4\n")
        #expect(try sandbox.folder.text(of: "greeter/defaults.json") == #"{"visits": 4}"#)
        #expect(!sandbox.folder.contains("keyspan/greeter.json"))
        #expect(try sandbox.run("write", "editor", "key", "value").status == 0)
        #expect(sandbox.folder.contains("keyspan/editor.json"))
    }

    @Test func `are found while a running program has its settings in the journal only`() throws {
        let store = try JSONFileStore(path: sandbox.folder.path("running/defaults.json"))
        try store.apply(PropertyListBatch(.set(3, key: "visits")))
        try store.synchronize()
        #expect(try sandbox.run("get", "running", "visits").output == "3\n")
        #expect(try sandbox.run("incr", "running", "visits").output == "4\n")
        #expect(try sandbox.run("domains").output == "app, defaults, fresh, greeter, running\n")
        withExtendedLifetime(store) {}
    }

    @Test func `give way to a domain of the same name, and the list says which is which`() throws {
        try sandbox.write(#"{"visits": 100}"#, toDomain: "greeter")
        let path = sandbox.folder.path("greeter/defaults.json")
        let list = try sandbox.run("domains")
        #expect(list.status == 0)
        #expect(list.output == "\(path), app, defaults, fresh, greeter\n")
        #expect(list.error.split(separator: "\n").count == 1)
        #expect(list.error.contains("\"greeter\" is \(sandbox.folder.path("keyspan/greeter.json")); "))
        #expect(list.error.contains(path))
        #expect(try sandbox.run("read", "greeter", "visits").output == "100\n")
        #expect(try sandbox.run("read", path, "visits").output == "3\n")
        let all = try sandbox.run("read", "--output", "json").output
        #expect(
            all.contains("\"greeter\": {\n    \"visits\": 100") && all.contains("\"\(path)\": {\n    \"visits\": 3")
        )
    }

    @Test func `do not hide a domain that does not exist`() throws {
        let result = try sandbox.run("read", "nope")
        #expect(result.status == 1)
        #expect(result.error.contains("\"nope\" does not exist"))
    }
}

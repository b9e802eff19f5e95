import Foundation
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// `write`, `rename` and `delete`, as a user runs them.
@Suite struct WritingTests {
    private let sandbox: Sandbox

    init() throws {
        sandbox = try Sandbox()
    }

    @Test(arguments: [
        ("word", #""word""#), ("-string -5", #""-5""#), ("-int -5", "-5"),
        ("-integer 18446744073709551615", "18446744073709551615"), ("-float 1", "1.0"), ("-bool NO", "false"),
        ("-string --help", #""--help""#), ("-data 0FBD77", #"{"$data": "D713"}"#),
        ("-date '2026-11-21 10:50:00 +0000'", #"{"$date": "2026-11-21T10:50:00Z"}"#),
        ("-array a -int 1", "[\n    \"a\",\n    1\n  ]"), ("-dict k -bool true", "{\n    \"k\": true\n  }"),
        ("(a)", "[\n    \"a\"\n  ]"),
    ])
    func `stores a value and makes the file`(words: String, json: String) throws {
        try sandbox.expect("write app key \(words)")
        #expect(try sandbox.text(ofDomain: "app") == "{\n  \"key\": \(json)\n}\n")
    }

    @Test func `renames a key and overwrites none`() throws {
        try sandbox.expect("write app old -int 1")
        try sandbox.expect("rename app old new")
        #expect(try sandbox.text(ofDomain: "app") == "{\n  \"new\": 1\n}\n")
        try sandbox.expect("rename app new new")
        try sandbox.expect("write app other x")
        try sandbox.refuse("rename app new other")
        try sandbox.expect("read app other", "x\n")
    }

    @Test func `deletes a key and a domain`() throws {
        try sandbox.expect("write app '{a = 1; b = 2;}'")
        try sandbox.expectKept("delete app a")
        #expect(try sandbox.settings(ofDomain: "app") == "{\n  \"b\": \"2\"\n}\n")
        try sandbox.expectKept("delete app")
        try sandbox.expect("kept discard app --all")
        // The file stays, and a file without keys is a domain.
        try sandbox.expect("read app", "{\n}\n")
        #expect(try sandbox.text(ofDomain: "app") == "{}\n")
        try sandbox.expect("domains", "app\n")
        try sandbox.expect("delete app")
        try sandbox.refuse("delete app a", status: 3)
        try sandbox.refuse("delete other", status: 3)
    }

    @Test func `writes to a path from the working directory`() throws {
        #expect(try sandbox.shell("keyspan write settings.json key -int 1").status == 0)
        #expect(try sandbox.folder.text(of: "settings.json") == "{\n  \"key\": 1\n}\n")
        #expect(!sandbox.folder.contains("keyspan"))
    }

    @Test func `takes what follows a terminator as arguments`() throws {
        try sandbox.expect("write -- app -key -int 1")
        try sandbox.expect("read -- app -key", "1\n")
    }

    @Test(.heavy) func `loses nothing of processes that write, add and count at once`() throws {
        let numbers = 1...TestLevel.current.pick(5, thorough: 16)
        let commands = ["write app key# -string value#", "write app list -array-add element#", "incr app visits"]
        let processes = try numbers.flatMap { number in
            try commands.map { try sandbox.start($0.replacing("#", with: "\(number)")) }
        }
        let results = try processes.map { try $0.finish() }
        #expect(results.allSatisfy { $0.status == 0 && $0.error.isEmpty }, "\(results)")
        #expect(Set(results.map(\.output)) == Set(numbers.map { "\($0)\n" } + [""]))
        for number in numbers { try sandbox.expect("read app key\(number)", "value\(number)\n") }
        let list = try sandbox.run("read app list").output
        #expect(numbers.allSatisfy { list.contains("    element\($0)") })
        try sandbox.expect("get app visits", "\(numbers.count)\n")
    }

    @Test func `leaves nothing beside the file, which is for its owner only`() throws {
        try sandbox.expect("write app key value")
        let attributes = try FileManager.default.attributesOfItem(atPath: sandbox.folder.path("keyspan/app.json"))
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        try sandbox.expect("rename app key other")
        try sandbox.expect("read app", "{\n    other = value;\n}\n")
        #expect(try sandbox.files == ["app.json"])
    }

    @Test func `refuses a key that no store can have`() throws {
        try sandbox.refuse("write app '' value", "empty")
        #expect(!sandbox.folder.contains("keyspan/app.json"))
    }
}

import Foundation
import Keyspan
@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanTestSupport
import Testing

@testable import KeyspanTool

/// `watch`, with other processes that write.
@Suite(.heavy) final class WatchTests {
    private let sandbox: Sandbox
    /// The lines that have to be there so far.
    private var lines: [String] = []

    init() throws {
        sandbox = try Sandbox()
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `prints each change on a line and ends well on a signal`(signal: Int32) async throws {
        let watch = try watch("{b = 2; a = 1;}", "app --initial")
        try await expect(watch, "a = 1", "b = 2")
        try sandbox.expect("write app c 'two words'")
        try await expect(watch, "c = \"two words\"")
        try sandbox.expectKept("delete app a")
        try await expect(watch, "a removed")
        try end(watch, with: signal)
    }

    @Test func `prints the keys of one change sorted`() async throws {
        let watch = try watch("{a = 1; b = 2; c = 3;}", "app --initial")
        try await expect(watch, "a = 1", "b = 2", "c = 3")
        try sandbox.expectKept("write app '{a = 1; d = 40; b = 20;}'")
        try await expect(watch, "b = 20", "c removed", "d = 40")
        try end(watch)
    }

    @Test(arguments: [
        ("b", "b = 2", "b -array x -int 3", "b = (x, 3)"), ("n", nil, "n two", "n = two"),
        ("tls.port", "\"tls.port\" = 443", "tls.port -int 8443", "\"tls.port\" = 8443"),
    ])
    func `prints the changes of one key`(key: String, initial: String?, change: String, line: String) async throws {
        let watch = try watch("{a = 1; b = 2; tls = {port = 443;};}", "app \(key) --initial")
        if let initial { try await expect(watch, initial) }
        try sandbox.expect("set app a other")
        try sandbox.expect("set app \(change)")
        try await expect(watch, line)
        try end(watch)
    }

    @Test func `prints JSON lines for programs`() async throws {
        let watch = try watch("{b = (2, 3);}", "app --initial --output json")
        for (change, object) in [
            ("", ["change": "initial", "key": "b", "new": ["2", "3"]]),
            ("set app a 'two\nlines'", ["change": "added", "key": "a", "new": "two\nlines"]),
            ("set app a -int 1", ["change": "changed", "key": "a", "old": "two\nlines", "new": 1]),
            ("delete app a", ["change": "removed", "key": "a", "old": 1]),
        ] as [(String, PropertyListDictionary)] {
            if !change.isEmpty { #expect(try sandbox.run(change).status == 0) }
            lines.append("")
            try await eventually("watch prints \(object)", watch.lines().count, is: lines.count)
            var printed = try #require(try JSONText.parse(Array((watch.lines().last ?? "").utf8)).dictionaryValue)
            let time = try #require(printed.removeValue(forKey: "time")?.stringValue)
            #expect(time.wholeMatch(of: /20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil, "\(time)")
            #expect(printed == object)
        }
        try end(watch)
    }

    @Test func `begins before there is a folder`() async throws {
        let watch = try sandbox.start("watch app --initial")
        try await eventually("watch says that it waits", watch.error) { $0.hasSuffix("\n") }
        try sandbox.expect("write app a one")
        try await expect(watch, "a = one")
        try end(watch, error: "keyspan: The domain \"app\" does not exist yet; waiting for it.\n")
    }

    @Test func `prints the last change after the reader has been slow`() async throws {
        let value = String(repeating: "x", count: 1 << 20)
        let output = try TestPipe()
        try sandbox.expect("write app '{n = n0; value = \(value);}'")
        let watch = try sandbox.start("watch app --initial", descriptors: [STDOUT_FILENO: output.writer])
        try await eventually("the output is blocked", output.isFull, is: true)
        for number in 1...20 { try sandbox.expect("set app n n\(number)") }
        // The file has the last number, which each further look at it finds.
        let numbers = try output.lines(through: "n = n20").filter { $0.hasPrefix("n = ") }
        #expect(numbers.first == "n = n0" && numbers.last == "n = n20", "\(numbers)")
        watch.send(SIGTERM)
        #expect(try watch.finish().status == 0)
    }

    @Test func `joins the changes of a key that nobody has read`() throws {
        let (changes, store) = (UnprintedChanges(), InMemoryStore(["a": 0, "b": 0]))
        func set(_ key: String, _ value: PropertyListValue) throws {
            try store.apply(PropertyListBatch(.set(value, key: key)))
        }
        func unprinted() -> [[PropertyListValue?]] {
            changes.next().map { [.string($0.key), $0.old, $0.new, .boolean($0.isInitial)] }
        }
        let observation = store.observe(.all, initial: true) { changes.add($0) }
        for number in 1...20 {
            try set("a", PropertyListValue(number))
            try set("c", PropertyListValue(number))
        }
        try store.apply(PropertyListBatch(.remove(key: "c")))
        #expect(unprinted() == [["b", nil, 0, true], ["a", nil, 20, true]])
        for number in 21...40 { try set("a", PropertyListValue(number)) }
        // A change that is undone is none.
        for number in [1, 0] { try set("b", PropertyListValue(number)) }
        #expect(unprinted() == [["a", 20, 40, false]])
        withExtendedLifetime(observation) {}
    }

    @Test func `prints nothing of a file that is removed or half written until it is whole again`() async throws {
        let watch = try watch("{a = 1; b = 2;}", "app --initial")
        try await expect(watch, "a = 1", "b = 2")
        try sandbox.folder.remove("keyspan/app.json")
        try sandbox.write(#"{"a": "1", "b": 3}"#, toDomain: "app")
        try await expect(watch, "b = 3")
        try sandbox.write(#"{"a": "2", "b"#, toDomain: "app")
        try sandbox.write(#"{"a": "1", "b": 4}"#, toDomain: "app")
        try await expect(watch, "b = 4")
        try end(watch)
    }

    @Test func `ends when its output has no reader any more`() throws {
        let reader = "{ read line; echo $line; exec <&-; keyspan write app b two; }"
        let run = try sandbox.shell(
            "keyspan write app a one; (keyspan watch app --initial; echo $? >status) | \(reader)"
        )
        #expect(run == Sandbox.Run(status: 0, output: "a = one\n", error: ""))
        #expect(try sandbox.folder.text(of: "status") == "\(128 + SIGPIPE)\n")
    }

    /// Writes a domain and starts the command.
    private func watch(_ entries: String, _ arguments: String) throws -> TestProcess {
        try sandbox.expect("write app '\(entries)'")
        return try sandbox.start("watch \(arguments)")
    }

    /// Awaits lines of output.
    private func expect(
        _ watch: TestProcess,
        _ newLines: String...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        lines += newLines
        try await eventually(
            "watch prints \(newLines)",
            watch.lines(),
            is: lines,
            within: .seconds(120),
            sourceLocation: sourceLocation
        )
    }

    /// Ends the command, which has printed nothing more and has changed nothing.
    private func end(_ watch: TestProcess, with signal: Int32 = SIGTERM, error: String = "") throws {
        watch.send(signal)
        let result = try watch.finish()
        #expect(result.status == 0 && result.error == error)
        #expect(watch.lines().count == lines.count)
        #expect(try sandbox.files == ["app.json"])
    }
}

import Foundation
import Keyspan
@_spi(StoreAuthors) import KeyspanFileStore
import Testing

/// `watch`, with other processes that write.
@Suite struct WatchTests {
    private let sandbox: Sandbox
    private let output: OutputPipe

    init() throws {
        sandbox = try Sandbox()
        output = try OutputPipe()
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `prints each change on a line and ends well on a signal`(signal: Int32) throws {
        try sandbox.run("write", "app", "{b = 2; a = 1;}")
        let watch = try watch("app", "--initial")
        try expect("a = 1", "b = 2")
        try sandbox.run("write", "app", "c", "two words")
        try expect("c = \"two words\"")
        try sandbox.run("delete", "app", "a")
        try expect("a removed")
        watch.send(signal)
        let result = try watch.finish()
        #expect(result.status == 0)
        #expect(result.error.isEmpty)
        #expect(try output.rest().isEmpty)
    }

    @Test func `prints the keys of one change sorted`() throws {
        try sandbox.run("write", "app", "{a = 1; b = 2; c = 3;}")
        let watch = try watch("app", "--initial")
        try expect("a = 1", "b = 2", "c = 3")
        try sandbox.run("write", "app", "{a = 1; d = 40; b = 20;}")
        try expect("b = 20", "c removed", "d = 40")
        try end(watch)
    }

    @Test func `prints the changes of one key`() throws {
        try sandbox.run("write", "app", "{a = 1; b = 2;}")
        let watch = try watch("app", "b", "--initial")
        try expect("b = 2")
        try sandbox.run("write", "app", "a", "other")
        try sandbox.run("write", "app", "b", "-array", "x", "-int", "3")
        try expect("b = (x, 3)")
        try end(watch)
    }

    @Test func `prints nothing for a key that is absent at first`() throws {
        try sandbox.run("write", "app", "{a = 1;}")
        let watch = try watch("app", "b", "--initial")
        try sandbox.run("write", "app", "b", "2")
        try expect("b = 2")
        try end(watch)
    }

    @Test func `prints JSON lines for programs`() throws {
        try sandbox.run("write", "app", "{b = (2, 3);}")
        let watch = try watch("app", "--initial", "--output", "json")
        #expect(try object() == ["change": "initial", "key": "b", "new": ["2", "3"]])
        try sandbox.run("write", "app", "a", "two\nlines")
        #expect(try object() == ["change": "added", "key": "a", "new": "two\nlines"])
        try sandbox.run("write", "app", "a", "-int", "1")
        #expect(try object() == ["change": "changed", "key": "a", "old": "two\nlines", "new": 1])
        try sandbox.run("delete", "app", "a")
        #expect(try object() == ["change": "removed", "key": "a", "old": 1])
        try end(watch)
    }

    /// The object in the next line, without its time, which is one of this century.
    private func object() throws -> PropertyListDictionary {
        let line = try output.line()
        var object = try #require(try JSONText.parse(Array(line.utf8)).dictionaryValue)
        let time = try #require(object["time"]?.stringValue)
        #expect(time.wholeMatch(of: /20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil, "\(time)")
        object["time"] = nil
        return object
    }

    @Test func `begins before there is a folder`() throws {
        let watch = try watch("app", "--initial")
        try sandbox.run("write", "app", "a", "1")
        try expect("a = 1")
        try end(watch)
    }

    @Test func `prints no value of a file that is removed until there is one again`() throws {
        try sandbox.run("write", "app", "{a = 1; b = 2;}")
        let watch = try watch("app", "--initial")
        try expect("a = 1", "b = 2")
        try FileManager.default.removeItem(atPath: sandbox.folder.path("keyspan/app.json"))
        try sandbox.write(#"{"a": "1", "b": 3}"#, toDomain: "app")
        try expect("b = 3")
        try end(watch)
    }

    @Test func `waits for a file that is half written`() throws {
        try sandbox.run("write", "app", "{a = 1;}")
        let watch = try watch("app", "--initial")
        try expect("a = 1")
        try sandbox.write(#"{"a": "2", "b"#, toDomain: "app")
        try sandbox.write(#"{"a": "1", "b": 3}"#, toDomain: "app")
        try expect("b = 3")
        try end(watch)
    }

    @Test func `ends when its output has no reader any more`() throws {
        try sandbox.run("write", "app", "{a = 1;}")
        var reader: OutputPipe? = try OutputPipe()
        let watch = try watch("app", "--initial", pipe: reader)
        #expect(try reader?.line() == "a = 1")
        reader = nil
        try sandbox.run("write", "app", "b", "2")
        // By SIGPIPE, unless whoever runs the tests ignores that.
        #expect([1, 128 + SIGPIPE].contains(try watch.finish().status))
    }

    private func watch(_ arguments: String..., pipe: OutputPipe? = nil) throws -> ToolProcess {
        try ToolProcess(
            ToolProcess.executable,
            ["watch"] + arguments,
            environment: sandbox.environment,
            pipe: pipe ?? output
        )
    }

    /// Awaits lines of output.
    private func expect(_ lines: String..., sourceLocation: SourceLocation = #_sourceLocation) throws {
        for line in lines {
            #expect(try output.line() == line, sourceLocation: sourceLocation)
        }
    }

    /// Ends the command, which has printed nothing more and has written nothing.
    private func end(_ watch: ToolProcess) throws {
        watch.send(SIGTERM)
        #expect(try watch.finish().status == 0)
        #expect(try output.rest().isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.folder.path("keyspan")) == ["app.json"])
    }
}

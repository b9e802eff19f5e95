@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@_spi(StoreAuthors) @testable import KeyspanFileStore

/// What one store writes to the journal is what all others read, also where names lead into one another.
@Suite(.heavy) struct RecordedNameTests {
    private let folder = TemporaryFolder.forTest

    private func open(_ keys: String...) throws -> ProcessDouble {
        try ProcessDouble(path: folder.path("file"), keys: keys)
    }

    /// A person writes another text.
    private func edit(_ text: String) throws { try folder.replace("file", text) }

    private func expectSameValues(
        _ values: [String: PropertyListValue?],
        in processes: ProcessDouble...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for isSettled in [false, true] {
            for (number, process) in try (processes + [open(), open("tls", "tls.port", "hosts.default")]).enumerated() {
                if isSettled { process.passTime() }
                process.look()
                for (name, value) in values {
                    #expect(process[name] == value, "\(name) in store \(number)", sourceLocation: sourceLocation)
                }
            }
        }
    }

    @Test(arguments: ["{}", #"{"hosts": {"localhost": 1}}"#])
    func `a dictionary of another store is recorded as it is`(text: String) throws {
        try folder.write(text, to: "file")
        let (writer, other) = try (open("hosts"), open("hosts.default"))
        let hosts: PropertyListValue = ["localhost": 1, "example.com": 1, "deep": ["a.b": 2]]
        try writer.save(["hosts": hosts])
        try edit(text.replacing("{", with: #"{"x": 1, "#, maxReplacements: 1).replacing(", }", with: "}"))
        other.look()
        try expectSameValues(["hosts": hosts, "x": 1], in: writer, other)
    }

    @Test func `a dictionary that takes the place of a dotted entry is recorded`() throws {
        try folder.write(#"{"tls.port": 5}"#, to: "file")
        let (writer, other) = try (open("tls"), open("tls.port"))
        try writer.save(["tls": ["port": 5]])
        try edit(#"{"tls.port": 5, "x": 1}"#)
        other.look()
        try expectSameValues(["tls": ["port": 5], "tls.port": 5, "x": 1], in: writer, other)
    }

    @Test func `the first record changes no other value`() throws {
        try folder.write(#"{"tls": {"port": 6, "z": 0}, "tls.port": 5}"#, to: "file")
        let writer = try open()
        try writer.save(["tls.z": 1])
        try expectSameValues(["tls": ["port": 6, "z": 1], "tls.port": 5], in: writer)
    }

    @Test func `a value beside a dictionary of others keeps its value in a record`() throws {
        try folder.write(#"{"tls": {"a.b": 0, "port": 6}, "tls.port": 5}"#, to: "file")
        let writer = try open()
        try writer.save(["tls.a.b": 1])
        try edit(#"{"tls": {"a.b": 0, "port": 6}, "tls.port": 5, "z": 1}"#)
        writer.look()
        try expectSameValues(["tls.a.b": 1, "tls.port": 5, "z": 1], in: writer)
    }

    @Test func `an editor that has a version from before a checkpoint changes no dictionary of others`() throws {
        try folder.write(#"{"x": 1}"#, to: "file")
        let (writer, other) = try (open("hosts"), open("hosts.default"))
        try writer.save(["hosts": ["example.com": 1]])
        other.look()
        other.passTime()
        try edit(#"{"x": 2}"#)
        try expectSameValues(["hosts": ["example.com": 1], "x": 2], in: writer, other)
    }

    @Test func `a removal beside a dictionary that a person has changed counts if it is not in that`() throws {
        try folder.write(#"{"tls": {"x": 0}, "tls.port": 5}"#, to: "file")
        let writer = try open()
        try writer.set(["tls.port": nil])
        try writer.save(["tls": ["x": 1]])
        try edit(#"{"tls": {"x": 0, "y": 9}, "tls.port": 5}"#)
        try expectSameValues(["tls": ["x": 0, "y": 9], "tls.port": nil], in: writer)
    }

    @Test func `a removed dictionary that a person has changed keeps all of its members`() throws {
        try folder.write(#"{"tls": {"port": 5, "x": 0}}"#, to: "file")
        let writer = try open()
        try writer.set(["tls.port": 6])
        try writer.save(["tls": nil])
        try edit(#"{"tls": {"port": 5, "x": 0, "y": 9}}"#)
        try expectSameValues(["tls": ["port": 5, "x": 0, "y": 9]], in: writer)
    }

    @Test func `a removal beside a dictionary counts only with it`() throws {
        try folder.write(#"{"tls": {"port": 5, "x": 0}}"#, to: "file")
        let writer = try open()
        var batch = PropertyListBatch()
        batch.set(nil, forKey: "tls.port")
        batch.set(["x": 1], forKey: "tls")
        try writer.store.apply(batch)
        try writer.store.synchronize()
        try edit(#"{"tls": {"port": 5, "x": 0, "y": 9}}"#)
        try expectSameValues(["tls": ["port": 5, "x": 0, "y": 9]], in: writer)
    }

    @Test func `a value that is too deep for a dictionary has an entry of its own`() throws {
        let deep = (1..<PropertyListValue.maximumNesting).reduce(PropertyListValue.array([1])) { value, _ in [value] }
        let writer = try open()
        try writer.save(["a.b": 1])
        try writer.set(["a.b": deep])
        try edit(#"{"a": {"x": 1, "b": 2}}"#)
        try writer.store.synchronize()
        try expectSameValues(["a.b": deep, "a": ["x": 1]], in: writer)
        try writer.save(["a.b": 3])
        try expectSameValues(["a.b": 3], in: writer)
    }

    @Test func `a record continues the version that it names`() throws {
        let (first, second) = (#"{"a": 1, "v": 1}"#, #"{"a": 2, "v": 2}"#)
        try folder.write(first, to: "file")
        let (reader, writer) = try (open(), open())
        for (text, name) in [(second, "w1"), (first, "w2")] {
            try edit(text)
            writer.look()
            try writer.save([name: 1])
        }
        try edit(second)
        reader.look()
        let fresh = try open()
        #expect(reader.store.snapshot() == fresh.store.snapshot())
    }

    @Test func `an entry stays one when others remove it beside a dictionary that is written`() throws {
        try folder.write(#"{"tls.port": 1}"#, to: "file")
        let (writer, other) = try (open(), open())
        try writer.set(["tls.port": 5])
        try writer.set(["tls": ["x": 1]])
        try other.save(["tls.port": nil])
        try writer.store.synchronize()
        try expectSameValues(["tls.port": 5, "tls": ["x": 1]], in: writer, other)
    }
}

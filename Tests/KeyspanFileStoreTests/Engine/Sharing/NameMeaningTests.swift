@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@_spi(StoreAuthors) @testable import KeyspanFileStore

/// A name means the same to all stores of a file: neither the keys of a store nor what it has read so far make a difference.
@Suite(.heavy) struct NameMeaningTests {
    private let folder = TemporaryFolder.forTest

    private func open(_ keys: String..., options: FileStoreOptions = FileStoreOptions()) throws -> ProcessDouble {
        try ProcessDouble(path: folder.path("file"), keys: keys, options: options)
    }

    private static let everyBatch = FileStoreOptions(durability: .everyBatch)

    private func expectSameValues(
        _ values: [String: PropertyListValue?],
        in processes: ProcessDouble...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for _ in 1...2 {
            for process in processes {
                process.look()
                try process.store.synchronize()
                process.passTime()
            }
        }
        let all = try processes + [open(), open("tls.port"), open("tls", "tls.port"), open("tls")]
        for (number, process) in all.enumerated() {
            for (name, value) in values {
                #expect(process[name] == value, "\(name) in store \(number)", sourceLocation: sourceLocation)
            }
        }
    }

    @Test(arguments: [FileStoreOptions(), everyBatch])
    func `a dictionary that is written before others' keys are read replaces their values`(options: FileStoreOptions)
        throws
    {
        let (none, some) = try (open(options: options), open("tls.port", options: options))
        try some.save(["tls.port": 5])
        // Has not read it.
        try none.save(["tls": ["port": 9]])
        #expect(none["tls"] == ["port": 9] && none["tls.port"] == 9)
        let port = Defaults.Key<Int>("tls.port", default: 0)
        Defaults(none.store).modify(port) { $0 += 1 }
        try expectSameValues(["tls.port": 10, "tls": ["port": 10]], in: none, some)
    }

    @Test(arguments: [FileStoreOptions(), everyBatch])
    func `a removed dictionary takes its members along`(options: FileStoreOptions) throws {
        try folder.write(#"{"tls": {"port": 1, "host": "x"}, "other": 1}"#, to: "file")
        let (none, some) = try (open(options: options), open("tls.port", "tls.host", options: options))
        try some.save(["tls.port": 5])
        try none.save(["tls": nil])
        try expectSameValues(["tls": nil, "tls.port": nil, "tls.host": nil, "other": 1], in: none, some)
    }

    @Test(arguments: [false, true])
    func `a store whose key is a dictionary has the members of a store that has their keys`(inOneProcess: Bool) throws {
        try folder.write(#"{"tls": {"port": 1, "x": 2}}"#, to: "file")
        let seams = FileStoreSeams.manual()
        let port = Defaults.Key<Int>("tls.port", default: 0)
        let tls = Defaults.Key<[String: Int]>("tls", default: [:])
        let first = try JSONFileStore(path: folder.path("file"), keys: [port], seams: seams)
        let second = try JSONFileStore(path: folder.path("file"), keys: [tls], seams: inOneProcess ? seams : .manual())
        Defaults(first)[port] = 5
        try first.synchronize()
        try second.reload()
        #expect(Defaults(second)[tls] == ["port": 5, "x": 2])
        Defaults(second).modify(tls) { $0["y"] = 3 }
        try second.synchronize()
        try first.reload()
        #expect(Defaults(first)[port] == 5 && first.value(forKey: "tls") == ["port": 5, "x": 2, "y": 3])
        Defaults(first).modify(port) { $0 += 1 }
        try expectSameValues(["tls": ["port": 6, "x": 2, "y": 3], "tls.port": 6])
    }

    @Test func `the writes of two processes to members of one dictionary are both in it`() throws {
        try folder.write(#"{"tls": {"port": 1, "host": "x"}}"#, to: "file")
        let (first, second) = try (open("tls.port", "tls.host"), open())
        try first.set(["tls.port": 2])
        try second.set(["tls.host": "y"])
        try expectSameValues(["tls": ["port": 2, "host": "y"], "tls.port": 2, "tls.host": "y"], in: first, second)
    }

    @Test func `an unsaved write of a member stays when others replace the dictionary`() throws {
        try folder.write(#"{"tls": {"port": 1, "host": "x"}}"#, to: "file")
        let (first, second) = try (open("tls.port"), open())
        try first.set(["tls.port": 2])
        try second.save(["tls": ["host": "y"]])
        first.look()
        #expect(first["tls"] == ["port": 2, "host": "y"])
        try expectSameValues(["tls": ["port": 2, "host": "y"]], in: first, second)
    }

    @Test func `a name with dots of its own counts in every store, until the object around it is written`() throws {
        try folder.write(#"{"tls": {"port": 1}, "tls.port": 2}"#, to: "file")
        let (none, some) = try (open(), open("tls.port"))
        try expectSameValues(["tls.port": 2, "tls": ["port": 1]], in: none, some)
        try none.save(["tls": ["port": 102]])
        try expectSameValues(["tls.port": 102, "tls": ["port": 102]], in: none, some)
        try some.save(["tls.port": nil])
        try expectSameValues(["tls.port": nil, "tls": [:]], in: none, some)
    }

    @Test func `a version that was refused leaves nothing behind`() throws {
        try folder.write(#"{"x": 0}"#, to: "file")
        struct Refusal: Error {}
        let strict = try ProcessDouble(path: folder.path("file")) { table in
            if table["x"] == 1 { throw Refusal() }
        }
        let some = try open("tls.port", "a.b.c")
        try some.save(["tls.port": 2, "a.b.c": 1, "x": 1])
        strict.look()
        #expect(strict["tls"] == nil && strict["tls.port"] == nil)
        try some.save(["a": nil, "x": 2])
        strict.look()
        #expect(strict.store.snapshot() == ["tls": ["port": 2], "x": 2])
        try expectSameValues(["tls.port": 2, "a": nil, "a.b.c": nil], in: strict, some)
    }

    @Test func `observers of members and of their dictionary hear of both kinds of writes`() throws {
        let process = try open("tls.port")
        let seen = Recorder<PropertyListChange.Entry>()
        let observations = ["tls", "tls.port", "tls.host", "tls.port.x"].map { name in
            process.store.observe(.named([name]), initial: false) { $0.entries.forEach { seen($0) } }
        }
        func expectChanges(
            _ expected: [(String, PropertyListValue?, PropertyListValue?)],
            by writes: [String: PropertyListValue?],
            sourceLocation: SourceLocation = #_sourceLocation
        ) throws {
            let count = seen.count
            try process.set(writes)
            let entries = expected.map { PropertyListChange.Entry(key: $0, old: $1, new: $2) }
            #expect(Set(seen.values.dropFirst(count)) == Set(entries), sourceLocation: sourceLocation)
        }
        try expectChanges([("tls", nil, ["port": 1]), ("tls.port", nil, 1)], by: ["tls": ["port": 1]])
        try expectChanges([("tls", ["port": 1], ["port": 2]), ("tls.port", 1, 2)], by: ["tls.port": 2])
        try expectChanges(
            [("tls", ["port": 2], ["port": 2, "host": 3]), ("tls.host", nil, 3)],
            by: ["tls": ["port": 2, "host": 3]]
        )
        try expectChanges(
            [("tls", ["port": 2, "host": 3], 5), ("tls.port", 2, nil), ("tls.host", 3, nil)],
            by: ["tls": 5]
        )
        for observation in observations { observation.cancel() }
    }

    @Test func `keys that were read before see the writes of their dictionary`() throws {
        let defaults = Defaults(try open("tls.port").store)
        let port = Defaults.Key<Int>("tls.port", default: 0)
        let tls = Defaults.Key<[String: Int]>("tls", default: [:])
        for number in 1...3 {
            defaults[port] = number
            #expect(defaults[port] == number && defaults[tls]["port"] == number)
            defaults[tls] = ["port": -number, "x": number]
            #expect(defaults[port] == -number && defaults[tls] == ["port": -number, "x": number])
            let snapshot = defaults.snapshot()
            #expect(snapshot[port] == -number)
        }
    }
}

@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@_spi(StoreAuthors) @testable import KeyspanFileStore

/// Snapshots, updates and layers find the same values by a name as the store does.
@Suite struct NameSnapshotTests {
    private typealias Key = Defaults.Key<PropertyListValue?>

    private let folder = TemporaryFolder.forTest
    private let tls = Key("tls")
    private let port = Defaults.Key<Int>("tls.port", default: 0)
    private let seen = Key("seen")

    private func open(_ keys: [Defaults.AnyKey]) throws -> JSONFileStore {
        try folder.overwrite("file", #"{"tls": {"port": 1, "host": "x"}, "a": 1}"#)
        return try JSONFileStore(path: folder.path("file"), keys: keys, options: .init(isWatching: false))
    }

    @Test func `a snapshot has the values of names that the store does not list`() throws {
        let defaults = Defaults(try open([port]))
        #expect(defaults.snapshot()[tls] == ["port": 1, "host": "x"])
        // Also after the key keeps what it has read.
        #expect(defaults[tls] == defaults.snapshot()[tls])
        #expect(defaults.hasValue(for: tls))
        #expect(defaults.snapshot()[port] == 1)
    }

    @Test func `an update sees its own writes by each of their names`() throws {
        let defaults = Defaults(try open([port]))
        defaults.update {
            $0[tls] = ["port": 5]
            $0[port] += 1
        }
        #expect(defaults[port] == 6)
        defaults.update {
            $0[port] = 8
            $0[seen] = $0[tls]
        }
        #expect(defaults[seen] == ["port": 8])
        defaults.update {
            $0[tls] = nil
            $0[seen] = PropertyListValue($0[port])
        }
        #expect(defaults[seen] == 0)
    }

    @Test func `an update sees nothing of the values that it removes, also inside of dictionaries`() throws {
        let defaults = Defaults(try open([port]))
        defaults.update {
            $0.removeAll()
            $0[port] = 2
            $0[seen] = $0[tls]
        }
        #expect(defaults[seen] == ["port": 2] && defaults[tls] == ["port": 2])
    }

    private struct AccountKeys: KeyGroup {
        let tls = Key<[String: String]>("tls", default: [:])
        let password = Key<String?>("tls.password").secret()
        let login = Key<[String: String]>("login", default: [:]).secret()
        let code = Key<String?>("login.code")
    }

    @Test func `no description shows a secret that is inside of another value, or a part of one`() throws {
        try folder.overwrite("file", #"{"tls": {"password": "hunter2", "host": "x"}, "login": {"code": "hunter2"}}"#)
        let group = Defaults.Group<AccountKeys>(
            try JSONFileStore(path: folder.path("file"), keys: AccountKeys().allKeys)
        )
        let shown = [
            #""login": "(hidden secret)""#, #""login.code": "(hidden secret)""#,
            #""tls": ["host": "x", "password": "(hidden secret)"]"#, #""tls.password": "(hidden secret)""#,
        ]
        #expect("\(group.snapshot())" == "[\(shown.joined(separator: ", "))]")
        for description in [group.describe(), group.snapshot().describe()] {
            #expect(description.rows.count == 4 && description.rows.allSatisfy { $0.value == .secret })
            #expect(!description.description.contains("hunter2"))
        }
    }

    @Test func `a store in memory that is made of a snapshot lists entries`() throws {
        let store = InMemoryStore(try open([port]).snapshot())
        #expect(store.value(forKey: "tls.port") == 1)
        #expect(store.value(forKey: "tls") == nil)
        #expect(store.snapshot().sortedKeys == ["a", "tls.host", "tls.port"])
    }

    /// A file below or above a table in memory.
    struct Layers: CustomTestStringConvertible {
        let keys: [String]
        let others: Int
        let isFileBelow: Bool

        var testDescription: String {
            "the file \(isFileBelow ? "below" : "above") \(others) others, with the keys \(keys)"
        }

        static var all: [Layers] {
            [[], ["tls.port"], ["tls"]].flatMap { keys in
                [0, 8].flatMap { others in
                    [true, false].map { Layers(keys: keys, others: others, isFileBelow: $0) }
                }
            }
        }
    }

    @Test(arguments: Layers.all)
    func `layers have the same values in a snapshot as live, and tell each change once`(layers: Layers) throws {
        let store = try open(layers.keys.map { Key($0) })
        var entries: PropertyListDictionary = ["tls.port": 9]
        if !layers.isFileBelow { entries["tls.extra"] = 3 }
        for number in 0..<layers.others { entries["k\(number)"] = 1 }
        let memory = LayeredStore.Layer("memory", InMemoryStore(PropertyListTable(entries)))
        let written = LayeredStore.Layer("file", store, isWritable: true)
        let layered = LayeredStore(layers.isFileBelow ? [memory, written] : [written, memory])
        let snapshot = layered.snapshot()
        let names = ["tls", "tls.port", "tls.host", "tls.extra", "k0"]
        for name in names {
            #expect(snapshot[name] == layered.value(forKey: name), "\(name)")
            _ = Defaults(layered).snapshot()[Key(name)]
            #expect(Defaults(layered)[Key(name)] == layered.value(forKey: name), "\(name)")
        }
        let changes = Recorder<PropertyListChange.Entry>()
        let observations = names.map { name in
            layered.observe(.named([name]), initial: true) { $0.entries.forEach { changes($0) } }
        }
        let dictionary = Defaults.Key<[String: PropertyListValue]>("tls", default: [:])
        Defaults(layered).modify(dictionary) { $0["host"] = "y" }
        Defaults(layered).update { $0[Key("tls.host")] = "z" }
        #expect(layered.value(forKey: "tls.host") == "z")
        for name in names {
            let told = changes.values.filter { $0.key == name }
            for (before, after) in zip(told, told.dropFirst()) { #expect(before.new == after.old, "\(name)") }
            if let last = told.last { #expect(last.new == layered.value(forKey: name), "\(name)") }
        }
        observations.forEach { $0.cancel() }
    }
}

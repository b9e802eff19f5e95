@_spi(StoreAuthors) import KeyspanCore
import KeyspanTesting
import Testing

/// The values that edits read, replace and keep in a store with one written layer.
@Suite struct LayeredEditTests {
    private static let unreadable: PropertyListValue = ["not", "a", "number"]

    private let file = InMemoryStore(name: "file")
    private let store: LayeredStore
    private let defaults: Defaults
    private let port = Defaults.Key<Int>("port", default: 0)
    private let host = Defaults.Key<String?>("host")

    init() throws {
        store = LayeredStore([
            .init("arguments", LaunchArgumentsStore(["-port", "8080"])),
            .init("file", file, isWritable: true),
            .init("registered", RegistrationDomain()),
        ])
        defaults = Defaults(store)
        try defaults.register(["host": "registered", "limit": "none"])
    }

    /// The ways in which a key's value can be replaced.
    struct Replacement: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let replace: @Sendable (Defaults, Defaults.Key<Int>) throws -> Void
    }

    static let replacements = [
        Replacement(testDescription: "write") { try $0.set(1, for: $1) },
        Replacement(testDescription: "batch") { defaults, key in try defaults.commit { try $0.set(1, for: key) } },
        Replacement(testDescription: "reset") { $0.reset($1) },
    ]

    @Test(arguments: replacements)
    func `a value that an argument hides is kept if it is replaced and the key cannot read it`(
        _ replacement: Replacement
    ) throws {
        try file.apply(PropertyListBatch(.set(Self.unreadable, key: "port")))
        try replacement.replace(defaults, port)
        #expect(defaults.keptValues().map(\.value) == [Self.unreadable])
        #expect(file.value(forKey: "keyspan.kept") != nil)
        #expect(file.value(forKey: "port") != Self.unreadable)
        #expect(defaults[port] == 8080)
    }

    @Test(arguments: replacements)
    func `nothing is kept that stays in its layer`(_ replacement: Replacement) throws {
        let argument = Defaults.Key<[Int]>("port", default: [])
        let registered = Defaults.Key<Int>("limit", default: 0)
        try replacement.replace(defaults, registered)
        try defaults.commit { try $0.set([1], for: argument) }
        defaults.reset(argument)
        #expect(defaults.keptValues().isEmpty)
        #expect(store.value(forKey: "limit") == file.value(forKey: "limit") ?? "none")
    }

    @Test func `a kept value goes back to the layer that is written`() throws {
        try file.apply(PropertyListBatch(.set(Self.unreadable, key: "port")))
        defaults[port] = 1
        try defaults.restore(try #require(defaults.keptValues().first))
        #expect(file.value(forKey: "port") == Self.unreadable)
        #expect(defaults.keptValues().map(\.value) == [1])
        try defaults.discard(try #require(defaults.keptValues().first))
        #expect(file.snapshot() == ["port": Self.unreadable])
    }

    @Test func `a batch reads what other layers have for what it removes`() throws {
        try file.apply(PropertyListBatch(.set("stored", key: "host")))
        try file.apply(PropertyListBatch(.set("stored", key: "name")))
        let name = Defaults.Key<String?>("name")
        try defaults.commit { batch in
            #expect(batch[host] == "stored")
            batch.reset(host)
            #expect(batch[host] == "registered")
            batch.removeAll()
            #expect(batch[host] == "registered")
            #expect(batch[port] == 8080)
            #expect(batch[name] == nil)
            batch[host] = "written"
            #expect(batch[host] == "written")
        }
        #expect(file.snapshot() == ["host": "written"])
    }

    @Test func `a value that comes under an argument while a batch is made is kept as well`() throws {
        let interrupting = ScriptedStore()
        let defaults = Defaults(
            LayeredStore([
                .init("arguments", LaunchArgumentsStore(["-port", "8080"])),
                .init("file", interrupting, isWritable: true),
            ])
        )
        interrupting.interruptNextCall { [base = interrupting.base] in base.set(Self.unreadable, forKey: "port") }
        try defaults.commit { try $0.set(1, for: port) }
        #expect(interrupting.value(forKey: "port") == 1)
        #expect(defaults.keptValues().map(\.value) == [Self.unreadable])
    }

    @Test func `a migration moves what is stored, and neither arguments nor registered defaults`() throws {
        let newPort = Defaults.Key<Int>("newPort", default: 0)
        let plan = Defaults.MigrationPlan(
            "plan",
            .init(to: 1, .rename("oldHost", to: host), .rename("port", to: newPort))
        )
        try file.apply(PropertyListBatch(.set("stored", key: "oldHost")))
        try defaults.migrate(plan)
        #expect(file.value(forKey: "host") == "stored")
        #expect(file.value(forKey: "oldHost") == nil)
        #expect(file.value(forKey: "newPort") == nil)
    }

    @Test func `the layer that is written is found through layers of layers`() throws {
        let outer = Defaults(LayeredStore([.init("inner", store, isWritable: true)]))
        try file.apply(PropertyListBatch(.set(Self.unreadable, key: "port")))
        try outer.commit { batch in
            batch.removeAll()
            #expect(batch[port] == 8080)
            #expect(batch[host] == "registered")
        }
        try file.apply(PropertyListBatch(.set(Self.unreadable, key: "port")))
        try outer.commit { try $0.set(1, for: port) }
        #expect(outer.keptValues().map(\.value) == [Self.unreadable])
        #expect(file.value(forKey: "port") == 1)
    }

    @Test func `a value is from the layer that readers see it in`() {
        defaults[host] = "stored"
        let rows = defaults.describe([host, port, Defaults.Key<String>("limit", default: "")]).rows
        #expect(
            rows.map(\.provenance?.description) == [
                "file", "arguments -port", "registered: registered defaults",
            ]
        )
    }

    @Test func `an edit that only reads reads one instant too`() {
        let upper = InMemoryStore(["number": 1])
        // Between the looks at the two layers the value moves from the upper to the lower one.
        let lower = ScriptedStore()
        let defaults = Defaults(LayeredStore([.init("upper", upper), .init("lower", lower, isWritable: true)]))
        let key = Defaults.Key<Int>("number", default: -1)
        lower.interruptNextCall { [base = lower.base] in
            base.set(1, forKey: "number")
            upper.removeObject(forKey: "number")
        }
        var read = 0
        defaults.update { read = $0[key] }
        #expect(read == 1)
    }

    @Test(arguments: [true, false])
    func `a batch depends on the value that readers see, and not on one that it hides`(changesHidden: Bool) throws {
        let (above, own) = (InMemoryStore(["limit": 1]), InMemoryStore(["limit": 2]))
        let layers = LayeredStore([.init("above", above), .init("own", own, isWritable: true)])
        let (limit, copy) = (Defaults.Key<Int>("limit", default: 0), Defaults.Key<Int>("copy", default: 0))
        var calls = 0
        try Defaults(layers).commit { batch in
            calls += 1
            batch[copy] = batch[limit]
            // Another writer comes in between.
            if calls == 1 { Defaults(changesHidden ? own : above)[limit] = 3 }
        }
        #expect(calls == (changesHidden ? 1 : 2))
        #expect(own.snapshot() == (changesHidden ? ["limit": 3, "copy": 1] : ["limit": 2, "copy": 3]))
    }
}

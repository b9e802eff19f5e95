@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import Testing

@Suite struct GroupTests {
    private let store = InMemoryStore()
    private var settings: Defaults.Group<AppKeys> { Defaults.Group(store) }

    @Test func `keys are properties, with their defaults until they are written`() {
        let settings = settings
        #expect(settings.launchCount == 0)
        settings.launchCount += 2
        settings.nickname = "Ann"
        settings[\.launchCount] *= 2
        #expect(settings.launchCount == 4)
        #expect(settings[\.nickname] == "Ann")
        #expect(store.snapshot() == ["launchCount": 4, "nickname": "Ann"])
        settings.nickname = nil
        #expect(store.snapshot() == ["launchCount": 4])
    }

    @Test func `groups inside groups have the names of their keys, or a prefix before them, and prefixes add up`() {
        let settings = settings
        settings.window.width = 1024
        settings.window.colors.border = "red"
        settings.server.port = 443
        settings.server.frame = Window(width: 1, height: 5)
        settings.server.tls.certificate = "cert.pem"
        settings.server.limits.names = ["a", "b"]
        #expect(
            store.snapshot() == [
                "width": 1024,
                "color.border": "red",
                "server.port": 443,
                "server.frame.width": 1.0,
                "server.frame.height": 5.0,
                "server.tls.certificate": "cert.pem",
                "server.names": ["a", "b"],
            ]
        )
        #expect(settings.window.width == 1024)
        #expect(settings.window.colors.border == "red")
        #expect(settings.server.port == 443)
        #expect(settings.server.frame == Window(width: 1, height: 5))
        #expect(settings.server.tls.certificate == "cert.pem")
        #expect(settings.server.limits.names == ["a", "b"])
    }

    @Test func `key paths go through groups and prefixes as properties do`() {
        let settings = settings
        settings[\.window.colors.border] = "red"
        settings[\.server.tls.certificate] = "cert.pem"
        settings[\.server.limits.names] = ["a"]
        #expect(
            store.snapshot() == ["color.border": "red", "server.tls.certificate": "cert.pem", "server.names": ["a"]]
        )
        #expect(settings.server.tls[\.certificate] == "cert.pem")
    }

    @Test func `a group inside a group can be handed on alone`() {
        func secure(_ settings: Defaults.Group<TLSKeys>) {
            settings.certificate = "cert.pem"
        }
        secure(settings.server.tls)
        secure(Defaults.Group(store))
        #expect(store.snapshot() == ["server.tls.certificate": "cert.pem", "certificate": "cert.pem"])
    }

    @Test func `a prefix of the whole group comes first`() {
        let first = Defaults.Group<AppKeys>(store, prefix: "first.")
        let second = Defaults.Group<AppKeys>(store, prefix: "second.")
        first.launchCount = 1
        second.launchCount = 2
        second.server.tls.certificate = "cert.pem"
        #expect((first.launchCount, second.launchCount) == (1, 2))
        #expect(
            store.snapshot() == [
                "first.launchCount": 1, "second.launchCount": 2, "second.server.tls.certificate": "cert.pem",
            ]
        )
    }

    @Test func `computed keys work, prefixed too`() {
        let settings = settings
        #expect(settings.visits == 7)
        settings.visits += 1
        settings.server.requests += 1
        #expect((settings.visits, settings.server.requests) == (8, 4))
        #expect(store.snapshot() == ["visits": 8, "server.requests": 4])
    }

    @Test func `one group type has the values of each store that it is bound to`() {
        let other = InMemoryStore(["launchCount": 5, "server.port": 80])
        let here = settings
        let there = Defaults.Group<AppKeys>(other)
        for _ in 0..<2 {
            #expect((here.launchCount, there.launchCount) == (0, 5))
            #expect((here.server.port, there.server.port) == (8080, 80))
        }
        here.launchCount = 1
        #expect((here.launchCount, there.launchCount) == (1, 5))
    }

    @Test func `what a prefixed key remembers is never another prefix's value`() {
        struct SharedKeys: KeyGroup {
            static let number = Defaults.Key<Int>("number", default: 0)
            static let text = Defaults.Key<String>("text", default: "")
            let number = SharedKeys.number
            let text = SharedKeys.text
        }
        // More than a key remembers variants for.
        let groups = (0..<20).map { Defaults.Group<SharedKeys>(store, prefix: "\($0).") }
        for (index, group) in groups.enumerated() {
            group.number = index
            group.text = "text \(index)"
        }
        for _ in 0..<2 {
            #expect(groups.map(\.number) == Array(0..<20))
            #expect(groups.map(\.text) == (0..<20).map { "text \($0)" })
        }
    }

    @Test func `a prefixed key is the same object each time`() {
        let keys = AppKeys()
        #expect(keys.server.tls.certificate === keys.server.tls.certificate)
        #expect(keys.server.tls.certificate.name == "server.tls.certificate")
        #expect(keys.server.limits.names.name == "server.names")
        #expect(keys.server.password.name == "server.password")
    }

    @Test func `threads that use a prefix for the first time at once get one key`() async {
        for _ in 0..<100 {
            let keys = AppKeys()
            let found = await withTaskGroup(of: ObjectIdentifier.self) { group in
                for _ in 0..<8 {
                    group.addTask { ObjectIdentifier(keys.server.tls.certificate) }
                }
                return await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(found.count == 1)
        }
    }

    @Test func `keys that throw are read with try and set with a method`() throws {
        let settings = settings
        #expect(try settings.account == nil)
        try settings.set(User(name: "Ann", age: 30), for: \.account)
        try settings.server.set("secret", for: \.password)
        #expect(try settings.account == User(name: "Ann", age: 30))
        #expect(try settings.value(for: \.account) == settings.storedValue(for: \.account))
        #expect(try settings[\.server.password] == "secret")
        try store.apply(PropertyListBatch(.set(1, key: "server.password")))
        let error = #expect(throws: Defaults.ReadError.self) { try settings.server.password }
        #expect(error?.key == "server.password")
    }

    @Test func `the strict reads and writes throw`() throws {
        let settings = settings
        #expect(try settings.storedValue(for: \.launchCount) == nil)
        #expect(try settings.value(for: \.launchCount) == 0)
        try settings.window.set(1000, for: \.width)
        #expect(try settings.storedValue(for: \.window.width) == 1000)
        #expect(throws: Defaults.WriteError.self) { try settings.window.set(5, for: \.width) }
        try store.apply(PropertyListBatch(.set("text", key: "launchCount")))
        #expect(throws: Defaults.ReadError.self) { try settings.value(for: \.launchCount) }
        #expect(throws: Defaults.ReadError.self) { try settings.storedValue(for: \.launchCount) }
    }

    @Test func `values are looked for and removed by key, or all of the group's and no others`() {
        let settings = settings
        settings.launchCount = 1
        settings.server.port = 1
        settings.server.frame = Window(width: 1, height: 2)
        settings.server.tls.certificate = "cert.pem"
        Defaults(store)[Defaults.Key<Int>("other", default: 0)] = 1
        #expect(settings.hasValue(for: \.launchCount))
        #expect(settings.hasValue(for: \.server.frame))
        #expect(!settings.hasValue(for: \.account))
        settings.reset(\.launchCount)
        settings.reset(\.server.frame)
        settings.reset(\.account)
        #expect(store.snapshot() == ["server.port": 1, "server.tls.certificate": "cert.pem", "other": 1])
        settings.server.tls.resetAll()
        #expect(store.snapshot() == ["server.port": 1, "other": 1])
        settings.launchCount = 1
        #expect(recordedChanges(of: store) { settings.resetAll() } == [["launchCount", "server.port"]])
        #expect(store.snapshot() == ["other": 1])
    }

    @Test(.bounded) func `updates come by key and by group`() async {
        let settings = settings
        let ports = settings.updates(\.server.port)
        let any = settings.server.updates(initial: false)
        settings.server.port = 1
        settings.launchCount = 1
        settings.server.tls.certificate = "cert.pem"
        #expect(await ports.prefix(2).reduce(into: []) { $0.append($1) } == [8080, 1])
        #expect(await any.prefix(2).reduce(0) { sum, _ in sum + 1 } == 2)
    }

    @Test func `an observer receives the old and the new value of a key`() {
        let settings = settings
        let heard = Recorder<[UInt16]>()
        let observation = settings.observe(\.server.port, options: []) { heard.record([$0.oldValue, $0.newValue]) }
        settings.server.port = 1
        settings.launchCount = 1
        settings.server.resetAll()
        observation.invalidate()
        settings.server.port = 2
        #expect(heard.values == [[8080, 1], [1, 8080]])
    }

    @Test func `all keys are enumerated with their full names, in order, but for computed ones`() {
        #expect(
            settings.allKeys.map(\.name) == [
                "launchCount", "nickname", "account", "width", "title", "color.border",
                "server.port", "server.frame", "server.password", "server.tls.certificate", "server.names",
            ]
        )
        #expect(settings.server.tls.allKeys.map(\.name) == ["server.tls.certificate"])
        #expect(AppKeys().server.allKeys.count == 5)
        #expect(Defaults.Group<TLSKeys>(store, prefix: "tls.").allKeys.map(\.name) == ["tls.certificate"])
    }

    @Test func `a group that is a class has the keys of its superclass first`() {
        class BaseKeys: KeyGroup, @unchecked Sendable {
            let first = Defaults.Key<Int>("first", default: 1)
            required init() {}
        }
        final class MoreKeys: BaseKeys, @unchecked Sendable {
            let second = Defaults.Key<Int>("second", default: 2)
        }
        #expect(MoreKeys().allKeys.map(\.name) == ["first", "second"])
    }

    @Test func `validating a group finds everything that is wrong at once`() throws {
        let settings = settings
        try settings.validate()
        for (key, value) in ["width": 5, "server.port": "text", "server.names": [1], "other": 5] as PropertyListTable {
            try store.apply(PropertyListBatch(.set(value, key: key)))
        }
        let error = #expect(throws: Defaults.ValidationError.self) { try settings.validate() }
        #expect(error?.problems.map(\.key) == ["width", "server.port", "server.names"])
        try settings.server.tls.validate()
    }
}

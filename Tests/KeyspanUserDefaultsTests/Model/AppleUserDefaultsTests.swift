#if !canImport(Darwin)
import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanUserDefaults

/// The store of Apple's systems over a model of their `UserDefaults`.
@Suite
struct AppleUserDefaultsTests {
    private let model = ModelPreferences()
    private let volume = Defaults.Key<Int>("volume", default: 0)

    // MARK: - Own values

    @Test(arguments: [true, false])
    func `a reset removes an own value that equals the registered default`(isNamed: Bool) throws {
        model.makeDefaults().set(5, forKey: "volume")
        model.register(["volume": 5])
        let opened = ModelStore(model, isNamed: isNamed)
        #expect(opened.values.snapshot().isEmpty == !isNamed)
        Defaults(opened.store).reset(volume)
        #expect(model.table(of: "own") == [:])
        #expect(Defaults(opened.store)[volume] == 5)
    }

    @Test(arguments: [true, false])
    func `an own value that equals a registered default outlasts another registration`(isNamed: Bool) throws {
        model.makeDefaults().set(5, forKey: "volume")
        model.register(["volume": 5])
        let opened = ModelStore(model, isNamed: isNamed)
        #expect(Defaults(opened.store)[volume] == 5)
        try opened.store.register(["volume": 7])
        #expect(Defaults(opened.store)[volume] == 5)
        #expect(model.shown("volume", in: "own") == 5)
    }

    @Test(arguments: [true, false])
    func `a value that equals the registered default is written, and stays an own value`(isNamed: Bool) throws {
        model.register(["volume": 5])
        let opened = ModelStore(model, isNamed: isNamed)
        Defaults(opened.store)[volume] = 8
        Defaults(opened.store)[volume] = 5
        try opened.store.refresh()
        #expect(model.table(of: "own") == ["volume": 5])
        #expect(opened.values.snapshot() == ["volume": 5])
    }

    @Test(arguments: [true, false])
    func `a reset removes an own value that a launch argument hides`(isNamed: Bool) throws {
        model.makeDefaults().set(3, forKey: "volume")
        model.arguments = ["volume": 5]
        let opened = ModelStore(model, isNamed: isNamed)
        #expect(Defaults(opened.store)[volume] == 5)
        if isNamed { #expect(opened.values.snapshot() == ["volume": 3]) }
        Defaults(opened.store).reset(volume)
        #expect(model.table(of: "own") == [:])
        Defaults(opened.store)[volume] = 4
        #expect(model.table(of: "own") == ["volume": 4])
    }

    @Test(arguments: [true, false])
    func `defaults that other code registers after the opening do not become own values`(isNamed: Bool) throws {
        let opened = ModelStore(model, isNamed: isNamed)
        let cloud = InMemoryStore()
        let synchronizer = StoreSynchronizer(opened.store, with: cloud)
        synchronizer.add("volume")
        model.register(["volume": 42])
        model.activate()
        #expect(Defaults(opened.store)[volume] == 42)
        #expect(opened.values.snapshot() == [:])
        #expect(cloud.snapshot() == [:])
        withExtendedLifetime(synchronizer) {}
    }

    @Test func `a write of the registered default is synchronized as a value, not as a removal`() throws {
        model.register(["volume": 5])
        let opened = ModelStore(model)
        let cloud = InMemoryStore()
        let synchronizer = StoreSynchronizer(opened.store, with: cloud)
        synchronizer.add("volume")
        Defaults(opened.store)[volume] = 8
        Defaults(opened.store)[volume] = 5
        try opened.store.refresh()
        guard case .array(let parts) = cloud.value(forKey: "volume") else { return #expect(Bool(false)) }
        #expect(parts.count == 2 && parts.last == 5)
        withExtendedLifetime(synchronizer) {}
    }

    @Test(arguments: [true, false])
    func `the system's values are read and are not the program's own`(isNamed: Bool) throws {
        let model = model
        model.writeElsewhere(["de", "en"], forKey: "AppleLanguages", in: UserDefaults.globalDomain)
        model.writeElsewhere("dark", forKey: "AppleInterfaceStyle", in: UserDefaults.globalDomain)
        model.arrive()
        let opened = ModelStore(model, isNamed: isNamed)
        let languages = Defaults.Key<[String]>("AppleLanguages", default: [])
        #expect(opened.store.snapshot() == [:])
        #expect(Defaults(opened.store)[languages] == ["de", "en"])
        #expect(opened.values.snapshot() == [:])
        model.writeElsewhere(["fr"], forKey: "AppleLanguages", in: UserDefaults.globalDomain)
        model.arrive(reporting: false)
        model.activate()
        #expect(Defaults(opened.store)[languages] == ["fr"])
        let heard = Recorder<[String]>()
        let observation = opened.store.observe(.all, initial: false) { heard($0.entries.map(\.key)) }
        Defaults(opened.store).removeAll()
        #expect(heard.values == [])
        #expect(model.table(of: UserDefaults.globalDomain).count == 2)
        observation.cancel()
    }

    @Test(arguments: ["AppleInterfaceStyle", "app.theme"], [true, false])
    func `a value of the system shows as soon as there is one, and when the own value is gone`(
        name: String,
        isNamed: Bool
    ) throws {
        model.makeDefaults().set("own", forKey: "other")
        let opened = ModelStore(model, isNamed: isNamed)
        #expect(opened.store.value(forKey: name) == nil)
        model.writeElsewhere("system", forKey: name, in: UserDefaults.globalDomain)
        model.arrive(reporting: false)
        model.activate()
        #expect(opened.store.value(forKey: name) == "system")
        opened.store.set("own", forKey: name)
        #expect(opened.store.value(forKey: name) == "own")
        opened.store.removeObject(forKey: name)
        #expect(opened.store.value(forKey: name) == "system")
        model.writeElsewhere("own", forKey: "new", in: "own")
        model.writeElsewhere("system", forKey: "new", in: UserDefaults.globalDomain)
        model.arrive(reporting: false)
        #expect(opened.store.value(forKey: "new") == "own")
        model.writeElsewhere(nil, forKey: "new", in: "own")
        model.arrive(reporting: false)
        try opened.store.refresh()
        #expect(opened.store.value(forKey: "new") == "system")
    }

    @Test(arguments: [true, false])
    func `a managed value stays in front of what is written, and the written value is kept`(isNamed: Bool) {
        model.managed = ["volume": 5, "balance": 6, "gain": 7, "bass": 8]
        model.makeDefaults().set(1, forKey: "bass")
        let opened = ModelStore(model, isNamed: isNamed)
        // Each in its first look at the key.
        #expect(opened.store.value(forKey: "balance") == 6)
        let heard = Recorder<PropertyListValue?>()
        let observation = opened.store.observe(.named(["gain"]), initial: true) { heard($0["gain"]?.new) }
        #expect(heard.values == [7])
        #expect(opened.store.snapshot()["bass"] == (isNamed ? 8 : nil))
        observation.cancel()
        opened.store.removeObject(forKey: "bass")
        for value in [3, 5] {
            Defaults(opened.store)[volume] = value
            #expect(Defaults(opened.store)[volume] == 5)
            #expect(model.table(of: "own") == ["volume": .integer(PropertyListInteger(value))] || !isNamed)
        }
    }

    @Test(arguments: [true, false])
    func `a repeated write of the registered default is passed on once`(isNamed: Bool) {
        model.register(["volume": 5])
        let opened = ModelStore(model, isNamed: isNamed)
        for _ in 0..<3 { Defaults(opened.store)[volume] = 5 }
        #expect(model.writes == 1)
        #expect(model.table(of: "own") == ["volume": 5])
    }

    // MARK: - Writes of others

    @Test(arguments: ["volume", "audio.volume"])
    func `the first read of a key, and the first value of an observer, are what another process wrote`(name: String)
        throws
    {
        let opened = ModelStore(model)
        let keys = [Defaults.Key<Int>(name, default: 0), Defaults.Key<Int>(name + "2", default: 0)]
        for key in keys { model.writeElsewhere(2, forKey: key.name, in: "own") }
        model.arrive()
        #expect(Defaults(opened.store)[keys[0]] == 2)
        let heard = Recorder<Int>()
        let observation = Defaults(opened.store).observe(keys[1], options: [.initial]) { heard($0.newValue) }
        #expect(heard.values == [2])
        observation.invalidate()
    }

    @Test func `an observer of all keys hears of keys that this process adds, and then of their changes elsewhere`() {
        let opened = ModelStore(model)
        let heard = Recorder<PropertyListValue?>()
        let observation = opened.store.observe(.all, initial: false) { heard($0["new"]?.new) }
        model.makeDefaults().set(1, forKey: "new")
        #expect(heard.values == [1])
        model.writeElsewhere(2, forKey: "new", in: "own")
        model.arrive()
        #expect(heard.values == [1, 2])
        observation.cancel()
    }

    @Test func `a snapshot shows keys that other processes added before the first one, and their changes`() {
        let opened = ModelStore(model)
        model.writeElsewhere(1, forKey: "new", in: "own")
        model.arrive()
        #expect(opened.store.snapshot() == ["new": 1])
        model.writeElsewhere(2, forKey: "new", in: "own")
        model.arrive()
        #expect(opened.store.snapshot() == ["new": 2])
    }

    @Test func `a write of the value that the copy has replaces what another process wrote`() {
        let opened = ModelStore(model)
        Defaults(opened.store)[volume] = 1
        model.writeElsewhere(2, forKey: "volume", in: "own")
        model.arrive(reporting: false)
        Defaults(opened.store)[volume] = 1
        #expect(model.table(of: "own") == ["volume": 1])
        model.activate()
        #expect(Defaults(opened.store)[volume] == 1)
    }

    @Test func `removals reach values that the copy does not have`() {
        let opened = ModelStore(model)
        #expect(Defaults(opened.store)[volume] == 0)
        for key in ["volume", "other"] { model.writeElsewhere(2, forKey: key, in: "own") }
        model.arrive(reporting: false)
        Defaults(opened.store).reset(volume)
        #expect(model.table(of: "own") == ["other": 2])
        Defaults(opened.store).removeAll()
        #expect(model.table(of: "own") == [:])
    }

    @Test func `a write of an equal value is not passed on`() {
        let opened = ModelStore(model)
        Defaults(opened.store)[volume] = 1
        let before = model.writes
        Defaults(opened.store)[volume] = 1
        Defaults(opened.store).reset(Defaults.Key<Int>("absent", default: 0))
        #expect(model.writes == before)
    }

    @Test(arguments: ["volume", "audio.volume"])
    func `a change in one step begins with what another process wrote`(name: String) {
        let opened = ModelStore(model)
        let key = Defaults.Key<Int>(name, default: 0)
        Defaults(opened.store)[key] = 1
        model.writeElsewhere(10, forKey: name, in: "own")
        model.arrive(reporting: false)
        Defaults(opened.store).modify(key) { $0 += 1 }
        #expect(model.table(of: "own")[name] == 11)
        #expect(Defaults(opened.store)[key] == 11)
    }

    @Test func `a change in one step within a notification begins with what another process wrote`() {
        let opened = ModelStore(model)
        let count = Defaults.Key<Int>("app.count", default: 0)
        Defaults(opened.store)[count] = 1
        model.writeElsewhere(10, forKey: "app.count", in: "own")
        model.arrive(reporting: false)
        model.whenNotified { [model] key in
            guard key == "volume" else { return }
            model.whenNotified(nil)
            Defaults(opened.store).modify(count) { $0 += 1 }
        }
        Defaults(opened.store)[volume] = 1
        #expect(model.table(of: "own") == ["app.count": 11, "volume": 1])
        #expect(Defaults(opened.store)[count] == 11)
    }

    @Test func `a batch is decided by what UserDefaults has`() throws {
        let opened = ModelStore(model)
        #expect(Defaults(opened.store)[volume] == 0)
        model.writeElsewhere(2, forKey: "volume", in: "own")
        model.arrive(reporting: false)
        var batch = PropertyListBatch(.set(3, key: "volume"))
        batch.expect(2, forKey: "volume")
        try opened.store.apply(batch)
        #expect(model.table(of: "own") == ["volume": 3])
        #expect(throws: StoreError.self) { try opened.store.apply(batch) }
    }

    // MARK: - Notifications

    @Test(arguments: ModelPreferences.Options.allCases)
    func `a write of an observer within the store's own write is seen`(options: ModelPreferences.Options) {
        let model = ModelPreferences(options)
        let opened = ModelStore(model)
        let count = Defaults.Key<Int>("app.count", default: 0)
        #expect(Defaults(opened.store)[count] == 0)
        let object = UserDefaultsReference(model.makeDefaults())
        model.whenNotified { key in if key == "volume" { object.defaults.set(9, forKey: "app.count") } }
        Defaults(opened.store)[volume] = 1
        model.postLate()
        opened.performLater()
        #expect(Defaults(opened.store)[count] == 9)
    }

    @Test(arguments: ModelPreferences.Options.allCases.filter(\.namesObject))
    func `the notifications of own writes make no store read everything`(options: ModelPreferences.Options) {
        let model = ModelPreferences(options)
        let opened = ModelStore(model)
        let other = ModelStore(model, domain: "other")
        let observations = [opened, other].map { $0.store.observe(.all, initial: false) { _ in } }
        let reads = model.wholeReads
        for number in 1...100 { Defaults(opened.store)[volume] = number }
        model.postLate()
        #expect(model.wholeReads == reads)
        observations.forEach { $0.cancel() }
    }

    @Test func `a write of others behind a notification that came late is seen a second later`() {
        let model = ModelPreferences(.init(postsLate: true))
        let opened = ModelStore(model)
        let count = Defaults.Key<Int>("app.count", default: 0)
        #expect(Defaults(opened.store)[count] == 0)
        Defaults(opened.store)[volume] = 1
        Defaults(opened.store)[volume] = 2
        model.makeDefaults().set(9, forKey: "app.count")
        model.postLate(asOne: true)
        opened.performLater()
        #expect(Defaults(opened.store)[count] == 9)
    }

    @Test func `a read calls no observer on its thread`() {
        let opened = ModelStore(model)
        let isLocked = Locked(())
        let heard = Recorder<PropertyListValue?>()
        let observation = opened.store.observe(.named(["volume"]), initial: false) { change in
            isLocked.withLock { _ in heard(change["volume"]?.new) }
        }
        model.writeElsewhere(2, forKey: "volume", in: "own")
        model.arrive(reporting: false)
        // The snapshot finds the change; its thread holds what the observer needs.
        isLocked.withLock { _ in #expect(opened.store.snapshot() == ["volume": 2]) }
        eventually("the observer is called") { heard.values == [2] }
        observation.cancel()
    }

    @Test func `a key beyond the number of followed ones is read from UserDefaults each time`() {
        let opened = ModelStore(model)
        for number in 0..<MirroredDomain.followedLimit { _ = opened.store.value(forKey: "key \(number)") }
        for value in [1, 2] as [PropertyListValue] {
            model.writeElsewhere(value, forKey: "volume", in: "own")
            model.arrive()
            #expect(opened.store.value(forKey: "volume") == value)
        }
    }

    @Test func `an observer of a key beyond the number of followed ones receives the writes of this process`() {
        let opened = ModelStore(model)
        for number in 0..<MirroredDomain.followedLimit { _ = opened.store.value(forKey: "key \(number)") }
        let heard = Recorder<Int>()
        let observation = Defaults(opened.store).observe(volume, options: []) { heard($0.newValue) }
        #expect(Defaults(opened.store)[volume] == 0)
        model.makeDefaults().set(1, forKey: "volume")
        #expect(Defaults(opened.store)[volume] == 1)
        #expect(heard.values == [1])
        observation.invalidate()
    }

    @Test func `a read within an observer calls no other observer of the same change`() {
        let opened = ModelStore(model)
        let isReading = Locked(false)
        let isCalledInRead = Locked(false)
        let observe: @Sendable (String) -> StoreObservation = { name in
            opened.store.observe(.named(["volume"]), initial: false) { _ in
                if isReading.withLock(\.self) { isCalledInRead.withLock { $0 = true } }
                isReading.withLock { $0 = true }
                _ = opened.store.value(forKey: name)
                isReading.withLock { $0 = false }
            }
        }
        let observations = [observe("one"), observe("two")]
        for name in ["one", "two"] { model.writeElsewhere(1, forKey: name, in: "own") }
        model.arrive()
        Defaults(opened.store)[volume] = 1
        let isCalled = isCalledInRead.withLock(\.self)
        #expect(!isCalled)
        observations.forEach { $0.cancel() }
    }

    // MARK: - Objects

    @Test func `stores of objects that a program makes for each access do not stay`() throws {
        func open() -> WeakStore { WeakStore(store: UserDefaultsStore.of(model.makeDefaults())) }
        // Those of the first objects of the process stay.
        for _ in 0..<SharedStores.retainedObjects { #expect(open().store != nil) }
        let first = open()
        #expect(first.store != nil)
        let key = Defaults.Key<Int>("volume", default: 0, suite: model.makeDefaults())
        for _ in 0..<SharedStores.retainedObjects { _ = open() }
        #expect(first.store == nil)
        Defaults(try #require(key.suite))[key] = 3
        #expect(Defaults(try #require(key.suite))[key] == 3)
        let held = model.makeDefaults()
        #expect(UserDefaultsStore.of(held) === UserDefaultsStore.of(held))
    }
}

private struct WeakStore {
    weak var store: (any RegisteringStore)?
}
#endif

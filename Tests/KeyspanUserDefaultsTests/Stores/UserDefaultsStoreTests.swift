#if !canImport(Darwin)
import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanUserDefaults

@Suite
struct UserDefaultsStoreTests {
    private let suite = Suites.makeName()

    @Test(arguments: ["", ".", "..", "../escaped", "a/b", "/etc/passwd", "a\0b", "NSGlobalDomain", "NSArgumentDomain"])
    func `a UserDefaults store refuses a name that no suite can have`(name: String) {
        let error = #expect(throws: StoreError.self) { try UserDefaultsStore(suiteName: name) }
        #expect(error?.code == .invalidSuiteName)
    }

    @Test func `a store that is reloaded has what UserDefaults has, also as a layer`() throws {
        let store = try UserDefaultsStore(suiteName: suite)
        let layers = LayeredStore([.init("defaults", store, isWritable: true)])
        try #require(UserDefaults(suiteName: suite)).set(7, forKey: "theirs")
        try layers.reload()
        #expect(layers.value(forKey: "theirs") == 7)
    }

    @Test func `a UserDefaults store reports its saves, conflicts, and what others wrote`() throws {
        let store = try UserDefaultsStore(suiteName: suite)
        let activity = Recorder<StoreActivity>()
        let observation = (store as any ActivityReporting).observeActivity { activity($0) }
        defer { observation.cancel() }
        try store.apply(PropertyListBatch(.set(1, key: "ours")))
        try store.synchronize()
        #expect(store.unsavedKeys.isEmpty)
        var batch = PropertyListBatch(.set(2, key: "ours"))
        batch.expect(7, forKey: "ours")
        #expect(throws: StoreError.self) { try store.apply(batch) }
        try #require(UserDefaults(suiteName: suite)).set(7, forKey: "theirs")
        try store.reload()
        #expect(store.contentsStatus.staleSince == nil)
        // The background may have read it first, and reports that by itself.
        eventually("what others wrote is reported") {
            activity.values.contains { if case .reloaded = $0 { true } else { false } }
        }
        let all = activity.values
        #expect(all.contains { if case .saved(let bytes, _) = $0 { bytes > 0 } else { false } })
        #expect(all.contains { if case .flushed = $0 { true } else { false } })
        #expect(all.contains(.conflict))
    }

    @Test(.seeded)
    func `a UserDefaults store shows UserDefaults what it holds, and takes from it what that holds`() throws {
        var generator = SeededGenerator(seed: SeededGenerator.seedOfRun)
        let store = try UserDefaultsStore(suiteName: suite)
        let defaults = try #require(UserDefaults(suiteName: suite))
        for _ in 0..<20 {
            let ours = PropertyListValue.random(using: &generator)
            let theirs = PropertyListValue.random(using: &generator)
            try store.apply(PropertyListBatch(.set(ours, key: "ours")))
            try store.refresh()
            try #require(try defaults.object(forKey: "ours").map(FoundationValue.value) == ours)
            defaults.set(FoundationValue.object(theirs), forKey: "theirs")
            try store.refresh()
            // UserDefaults saves XML, in which a date has whole seconds, and knows what it lost when it reads that again.
            try store.refresh()
            for key in ["ours", "theirs"] {
                try #require(try store.value(forKey: key) == defaults.object(forKey: key).map(FoundationValue.value))
            }
        }
    }

    @Test func `a UserDefaults store receives what UserDefaults synchronizes in the same process`() async throws {
        let store = try UserDefaultsStore(suiteName: suite)
        let defaults = try #require(UserDefaults(suiteName: suite))
        defaults.set(1, forKey: "theirs")
        defaults.synchronize()
        try await eventually("the store has the value", store.value(forKey: "theirs"), is: 1)
    }

    @Test func `a UserDefaults store is the same for all objects of a suite`() throws {
        let (one, other) = try (#require(UserDefaults(suiteName: suite)), #require(UserDefaults(suiteName: suite)))
        #expect(UserDefaultsStore.of(one) === UserDefaultsStore.of(other))
        #expect(UserDefaultsStore.of(.standard) === UserDefaultsStore.standard)
        #expect(UserDefaultsStore.of(one) !== UserDefaultsStore.standard)
    }

    @Test func `a UserDefaults store knows a UserDefaults by its suite, and a subclass by the object`() throws {
        let named = try #require(UserDefaults(suiteName: suite))
        let subclass = try #require(PlainSubclass(suiteName: suite))
        #expect(UserDefaultsIdentity(of: UserDefaultsReference(named)) == .suite(UTF8Text(suite)))
        #expect(UserDefaultsIdentity(of: UserDefaultsReference(.standard)) == .standard)
        #expect(UserDefaultsIdentity(of: UserDefaultsReference(UserDefaults())) == .standard)
        #expect(UserDefaultsIdentity(of: UserDefaultsReference(subclass)) == .object(ObjectIdentifier(subclass)))
    }

    @Test func `a UserDefaults store is the suite of keys that name a UserDefaults, and has their defaults registered`()
        throws
    {
        let defaults = try #require(UserDefaults(suiteName: suite))
        let name = "registered.\(suite)"
        let key = Defaults.Key<Int>(name, default: 7, suite: defaults)
        let optional = Defaults.Key<String?>("optional", suite: defaults)
        let computed = Defaults.Key<Int>("computed.\(suite)", suite: defaults) { 8 }
        #expect(key.suite === UserDefaultsStore.of(defaults))
        #expect(optional.suite === key.suite)
        #expect(defaults[optional] == nil)
        #expect(defaults[computed] == 8)
        #expect(defaults.integer(forKey: name) == 7)
        #expect(UserDefaults.standard.integer(forKey: name) == 7)
        #expect(defaults.object(forKey: "computed.\(suite)") == nil)
        #expect(defaults[key] == 7)
        defaults[key] = 9
        #expect(defaults[key] == 9)
        Defaults(UserDefaultsStore.of(defaults)).reset(key)
        #expect(defaults[key] == 7)
    }

    @Test func `an observer of one suite that takes its time delays no other suite`() async throws {
        let slow = try UserDefaultsStore(suiteName: suite)
        let quick = try UserDefaultsStore(suiteName: Suites.makeName())
        let (isBusy, mayEnd) = (Gate(), Gate())
        let slowObservation = slow.observe(.named([UTF8Text(suite)]), initial: false) { _ in
            isBusy.open()
            mayEnd.pass()
        }
        defer { mayEnd.open() }
        let thread = TestThread { [suite] in
            // The observer shows that the value is registered.
            try? slow.register([suite: 1])
        }
        isBusy.pass()
        let other = "other.\(suite)"
        let heard = Recorder<PropertyListValue?>()
        let observation = quick.observe(.named([UTF8Text(other)]), initial: true) { heard($0[other]?.new) }
        #expect(heard.values == [nil])
        try quick.register([other: 2])
        // A thread of another test that refreshes the process's registered defaults may be the one that delivers.
        try await eventually("the observer of the other suite is called", heard.values, is: [nil, 2])
        #expect(quick.value(forKey: suite) == 1)
        #expect(slow.value(forKey: other) == 2)
        mayEnd.open()
        thread.join()
        observation.cancel()
        slowObservation.cancel()
    }

    @Test func `observers of every suite receive what one of them registers, and what other code registered`()
        async throws
    {
        let stores = [try UserDefaultsStore(suiteName: suite), try UserDefaultsStore(suiteName: Suites.makeName())]
        let heard = Recorder<PropertyListValue?>()
        let observations = stores.map { store in
            store.observe(.named([UTF8Text(suite)]), initial: false) { [suite] in heard($0[suite]?.new) }
        }
        try stores[0].register([suite: 1])
        // As above, another test's thread may deliver.
        try await eventually("both observers receive what is registered", heard.values, is: [1, 1])
        UserDefaults.standard.register(defaults: [suite: 2])
        try stores[1].refresh()
        try await eventually("both observers receive the new value", heard.values, is: [1, 1, 2, 2])
        for observation in observations { observation.cancel() }
        #expect(try UserDefaultsStore(suiteName: Suites.makeName()).value(forKey: suite) == 2)
    }

    @Test func `a UserDefaults store reads launch arguments first, as text`() throws {
        let surroundings = SurroundingLayers(
            arguments: LaunchArgumentsStore(["greeter", "-port", "8080"]),
            registered: RegistrationDomain()
        )
        let store = try UserDefaultsStore(SuiteName(suite), surroundings: surroundings)
        let port = Defaults.Key<Int>("port", default: 1)
        try store.apply(PropertyListBatch(.set(80, key: "port")))
        #expect(Defaults(store)[port] == 8080)
        try store.synchronize()
        #expect(try UserDefaultsStore(suiteName: suite).value(forKey: "port") == 80)
    }

    @Test func `a UserDefaults store uses a subclass as it is`() throws {
        let defaults = try #require(PlainSubclass(suiteName: suite))
        let store = try UserDefaultsStore(defaults)
        try store.apply(PropertyListBatch(.set("value", key: "key")))
        #expect(defaults.string(forKey: "key") == "value")
        defaults.set("other", forKey: "key")
        try store.refresh()
        #expect(store.value(forKey: "key") == "other")
        try store.synchronize()
        #expect(try UserDefaultsStore(suiteName: suite).value(forKey: "key") == "other")
    }
}

private final class PlainSubclass: UserDefaults {}
#endif

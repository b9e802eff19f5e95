#if !canImport(Darwin)
import Foundation
import KeyspanCore
import KeyspanTesting
import Testing

@testable import KeyspanUserDefaults

@Suite("A UserDefaults store")
struct UserDefaultsStoreTests {
    private let suite = Suites.makeName()

    @Test(arguments: ["", ".", "..", "../escaped", "a/b", "/etc/passwd", "a\0b", "NSGlobalDomain", "NSArgumentDomain"])
    func `refuses a name that no suite can have`(name: String) {
        let error = #expect(throws: StoreError.self) { try UserDefaultsStore(suiteName: name) }
        #expect(error?.code == .invalidSuiteName)
    }

    @Test(arguments: (0..<40).map { UInt64($0) })
    func `keeps every value exactly, in the file as well`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let value = PropertyListValue.random(using: &generator)
        do {
            let store = try UserDefaultsStore(suiteName: suite)
            try store.apply(PropertyListBatch(.set(value, key: "key")))
            try store.synchronize()
        }
        #expect(try UserDefaultsStore(suiteName: suite).value(forKey: "key") == value, "seed \(seed)")
    }

    @Test(arguments: (0..<40).map { UInt64($0) })
    func `shows UserDefaults what it holds, and takes from it what that holds`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let (ours, theirs) = (PropertyListValue.random(using: &generator), PropertyListValue.random(using: &generator))
        let store = try UserDefaultsStore(suiteName: suite)
        let defaults = try #require(UserDefaults(suiteName: suite))
        try store.apply(PropertyListBatch(.set(ours, key: "ours")))
        try store.refresh()
        #expect(try defaults.object(forKey: "ours").map(FoundationValue.value) == ours, "seed \(seed)")
        defaults.set(FoundationValue.object(theirs), forKey: "theirs")
        try store.refresh()
        // UserDefaults saves XML, in which a date has whole seconds, and knows what it lost when it reads that again.
        try store.refresh()
        let kept = try defaults.object(forKey: "theirs").map(FoundationValue.value)
        #expect(store.value(forKey: "theirs") == kept, "seed \(seed)")
        #expect(store.value(forKey: "ours") == (try defaults.object(forKey: "ours").map(FoundationValue.value)))
    }

    @Test func `hears of what UserDefaults synchronizes in the same process`() async throws {
        let store = try UserDefaultsStore(suiteName: suite)
        let defaults = try #require(UserDefaults(suiteName: suite))
        defaults.set(1, forKey: "theirs")
        defaults.synchronize()
        try await eventually { store.value(forKey: "theirs") == 1 }
    }

    @Test func `is the same for all objects of a suite`() throws {
        let (one, other) = try (#require(UserDefaults(suiteName: suite)), #require(UserDefaults(suiteName: suite)))
        #expect(UserDefaultsStore.of(one) === UserDefaultsStore.of(other))
        #expect(UserDefaultsStore.of(.standard) === UserDefaultsStore.standard)
        #expect(UserDefaultsStore.of(one) !== UserDefaultsStore.standard)
    }

    @Test func `knows a UserDefaults by its suite, and a subclass by the object`() throws {
        let named = try #require(UserDefaults(suiteName: suite))
        let subclass = try #require(PlainSubclass(suiteName: suite))
        #expect(UserDefaultsIdentity(of: UserDefaultsReference(named)) == .suite(UTF8Text(suite)))
        #expect(UserDefaultsIdentity(of: UserDefaultsReference(.standard)) == .standard)
        #expect(UserDefaultsIdentity(of: UserDefaultsReference(UserDefaults())) == .standard)
        #expect(UserDefaultsIdentity(of: UserDefaultsReference(subclass)) == .object(ObjectIdentifier(subclass)))
    }

    @Test func `reads and writes keys on UserDefaults itself`() throws {
        let defaults = try #require(UserDefaults(suiteName: suite))
        let key = Defaults.Key<Int>("count", default: 0)
        defaults[key] += 2
        #expect(defaults[key] == 2)
        #expect(UserDefaultsStore.of(defaults).value(forKey: "count") == 2)
    }

    @Test func `is the suite of keys that name a UserDefaults, and has their defaults registered`() throws {
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

    @Test func `takes over what other code registered`() throws {
        let store = try UserDefaultsStore(suiteName: suite)
        UserDefaults.standard.register(defaults: [suite: ["a": true]])
        try store.refresh()
        #expect(store.value(forKey: suite) == ["a": true])
    }

    @Test func `reads launch arguments first, as text`() throws {
        let surroundings = SurroundingLayers(
            arguments: LaunchArgumentsStore(LaunchArguments(["greeter", "-port", "8080"])),
            registered: RegistrationDomain()
        )
        let store = try UserDefaultsStore(SuiteName(suite), surroundings: surroundings)
        let port = Defaults.Key<Int>("port", default: 1)
        try store.apply(PropertyListBatch(.set(80, key: "port")))
        #expect(Defaults(store)[port] == 8080)
        try store.synchronize()
        #expect(try UserDefaultsStore(suiteName: suite).value(forKey: "port") == 80)
    }

    @Test func `uses a subclass as it is`() throws {
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

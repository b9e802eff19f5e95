import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanUserDefaults

@Suite struct UbiquitousStoreTests {
    @Test(arguments: StoreConformance.all)
    func `it keeps the promises of a store`(_ check: StoreConformance) async throws {
        try await check.verify(
            scale: .ofLevel,
            makeStore: { UbiquitousStore(UbiquitousDouble()) },
            patience: .seconds(60)
        )
    }

    @Test func `what is written is handed to the system`() throws {
        let system = UbiquitousDouble(["old": .value(1), "kept": .value("x")])
        let store = UbiquitousStore(system)
        #expect(store.snapshot() == ["old": 1, "kept": "x"])
        var batch = PropertyListBatch()
        batch.set([true, 1, 1.0], forKey: "new")
        batch.remove("old")
        try store.apply(batch)
        #expect(system.held == ["kept": .value("x"), "new": .value([true, 1, 1.0])])
        try store.apply(PropertyListBatch(.removeAll))
        #expect(system.held.isEmpty)
        try store.synchronize()
    }

    @Test func `changes of other devices are ordinary changes`() {
        let system = UbiquitousDouble(["a": .value(1), "b": .value(1)])
        let store = UbiquitousStore(system)
        let heard = Recorder<PropertyListChange.Entry>()
        let observation = store.observe(.all, initial: false) { change in
            for entry in change.entries { heard(entry) }
        }
        system.change(["a": .value(2), "b": nil])
        system.change(["a": .value(2)])
        #expect(Set(heard.values) == [.init(key: "a", old: 1, new: 2), .init(key: "b", old: 1, new: nil)])
        #expect(heard.count == 2 && store.snapshot() == ["a": 2])
        observation.cancel()
    }

    @Test func `another account replaces everything`() {
        let system = UbiquitousDouble(["a": .value(1), "b": .value(1)])
        let store = UbiquitousStore(system)
        system.change(["a": nil, "c": .value(3)], telling: .accountChanged)
        #expect(store.snapshot() == ["b": 1, "c": 3])
    }

    @Test func `an observer of another device's change may write`() {
        let system = UbiquitousDouble()
        let store = UbiquitousStore(system)
        let observation = store.observe(.named(["a"]), initial: false) { [weak store] change in
            store?.set(change["a"]?.new, forKey: "copy")
        }
        system.change(["a": .value(7)])
        #expect(system.held["copy"] == .value(7))
        observation.cancel()
    }

    @Test func `the system may tell of a change from inside a call`() throws {
        let system = UbiquitousDouble()
        let store = UbiquitousStore(system)
        system.change(["a": .value(1)], telling: .changed(.named([])))
        #expect(store.snapshot().isEmpty)
        system.tellOnSynchronize(.changed(.named(["a"])))
        try store.synchronize()
        #expect(store.snapshot() == ["a": 1])
    }

    @Test func `the system may tell of another account from inside a write`() async throws {
        let system = UbiquitousDouble()
        let store = UbiquitousStore(system)
        let changes = Recorder<Int>()
        let observation = store.observeAccount { changes.record(store.account.changes) }
        system.tellOnSet(.accountChanged)
        store.set(1, forKey: "a")
        // A thread that writes cannot read the values of the account, so another one does.
        try await eventually("the account is followed", changes.values, is: [1])
        #expect(try store.apply(PropertyListBatch(.set(2, key: "a")), for: StoreAccount()) == false)
        #expect(store.snapshot() == ["a": 1])
        #expect(try store.apply(PropertyListBatch(.set(2, key: "a")), for: store.account))
        #expect(system.held == ["a": .value(2)])
        observation.cancel()
        system.change([:], telling: .accountChanged)
        #expect(changes.count == 1 && store.account.changes == 2)
    }

    @Test func `a value that is not a property list is reported once and left alone`() {
        let system = UbiquitousDouble(["a": .foreign(reason: "it is an NSURL")])
        let problems = Recorder<String>()
        Defaults.withProblemHandler({ problems($0.description) }) {
            let store = UbiquitousStore(system, name: "cloud")
            system.change(["a": .foreign(reason: "it is an NSURL")])
            #expect(store.snapshot().isEmpty)
        }
        #expect(problems.values.count == 1)
        #expect(problems.values.first?.contains(#"key "a" of cloud: it is an NSURL"#) == true)
        #expect(system.held["a"] == .foreign(reason: "it is an NSURL"))
    }

    @Test func `an exceeded quota is reported`() {
        let system = UbiquitousDouble()
        let store = UbiquitousStore(system, name: "cloud")
        let problems = Recorder<String>()
        Defaults.withProblemHandler({ problems($0.description) }) {
            system.change([:], telling: .quotaViolated(["a"]))
        }
        #expect(problems.values.first?.hasPrefix(#"key "a" of cloud: "#) == true)
        withExtendedLifetime(store) {}
    }

    @Test func `a save that fails is an error`() throws {
        let system = UbiquitousDouble()
        let store = UbiquitousStore(system)
        system.setSaves(false)
        let error = #expect(throws: StoreError.self) { try store.synchronize() }
        #expect(error?.code == .notDurable)
        system.setSaves(true)
        try store.synchronize()
    }

    // MARK: Limits

    private static func error(of store: UbiquitousStore, setting value: PropertyListValue, forKey key: String)
        -> StoreError?
    {
        do throws(StoreError) {
            try store.apply(PropertyListBatch(.set(value, key: key)))
            return nil
        } catch {
            return error
        }
    }

    @Test func `a name may have 64 bytes`() {
        let store = UbiquitousStore(UbiquitousDouble())
        #expect(Self.error(of: store, setting: 1, forKey: String(repeating: "n", count: 64)) == nil)
        #expect(Self.error(of: store, setting: 1, forKey: String(repeating: "n", count: 65))?.code == .invalidKey)
        #expect(Self.error(of: store, setting: 1, forKey: String(repeating: "ü", count: 33))?.code == .invalidKey)
        #expect(store.snapshot().count == 1)
    }

    @Test func `there may be 1024 keys`() throws {
        let values = (0..<1024).map { ("\($0)", UbiquitousEntry.value(1)) }
        let system = UbiquitousDouble(Dictionary(uniqueKeysWithValues: values))
        let store = UbiquitousStore(system)
        let error = try #require(Self.error(of: store, setting: 1, forKey: "one more"))
        #expect(error.code == .tooLarge && error.key == "one more" && system.held.count == 1024)
        #expect(Self.error(of: store, setting: 2, forKey: "0") == nil)
        var batch = PropertyListBatch()
        batch.remove("1")
        batch.set(1, forKey: "one more")
        try store.apply(batch)
    }

    @Test func `all values together may have a mebibyte`() throws {
        let store = UbiquitousStore(UbiquitousDouble())
        let half = PropertyListValue.data(Data(count: 524_000))
        #expect(Self.error(of: store, setting: half, forKey: "a") == nil)
        #expect(Self.error(of: store, setting: half, forKey: "b") == nil)
        let error = try #require(Self.error(of: store, setting: half, forKey: "c"))
        #expect(error.code == .tooLarge && error.key == "c" && store.snapshot().count == 2)
        #expect(Self.error(of: store, setting: "small", forKey: "a") == nil)
        #expect(Self.error(of: store, setting: half, forKey: "c") == nil)
    }

    /// A value that a synchronizer cannot send is reported, and sent when there is room again.
    @Test func `a value that is too large for iCloud waits in the local store`() throws {
        let local = InMemoryStore()
        let cloud = UbiquitousStore(UbiquitousDouble(), name: "cloud")
        let synchronizer = StoreSynchronizer(local, with: cloud)
        synchronizer.add("large")
        let problems = Recorder<String>()
        Defaults.withProblemHandler({ problems($0.description) }) {
            local.set(Data(count: 2_000_000), forKey: "large")
        }
        #expect(problems.values.count == 1 && cloud.snapshot().isEmpty)
        #expect(local.data(forKey: "large")?.count == 2_000_000)
        local.set("small", forKey: "large")
        #expect(cloud.object(forKey: "large")?[1] == "small")
    }

    @Test func `writers here and on other devices end with the same values on both sides`()
        async throws
    {
        let system = UbiquitousDouble()
        let store = UbiquitousStore(system)
        await withTaskGroup(of: Void.self) { group in
            for writer in 0..<4 {
                group.addTask {
                    for number in 0..<300 {
                        if writer == 0 {
                            system.change(["\(number % 5)": .value(.init(-number))])
                        } else {
                            store.set(writer * 1000 + number, forKey: "\(number % 5)")
                        }
                    }
                }
            }
        }
        store.set(1, forKey: "last")
        // Writers leave work to one another, and to a thread in the background.
        try await store.synchronize()
        #expect(store.dictionaryRepresentation().mapValues { .value($0) } == TextDictionary(system.held))
    }
}

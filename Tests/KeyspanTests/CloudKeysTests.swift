@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import Keyspan

/// The keys whose values are the same on all devices, and the store that they are in here.
@Suite struct CloudKeysTests {
    private static func value(_ key: String, in cloud: any PropertyListStore) -> PropertyListValue? {
        cloud.value(forKey: key)?[1]
    }

    @Test func `a key waits until there is a cloud, and then its value is sent`() throws {
        let suite = InMemoryStore(["before": 1])
        let standard = InMemoryStore(["ofStandard": "x"])
        let cloudKeys = CloudKeys { $0(standard) }
        let before = Defaults.Key<Int>("before", default: 0, suite: suite)
        let ofStandard = Defaults.Key<String?>("ofStandard")
        cloudKeys.add([before, ofStandard])
        let cloud = InMemoryStore(name: "cloud")
        try cloudKeys.begin(with: cloud)
        #expect(cloudKeys.keys == [before, ofStandard])
        #expect(Self.value("before", in: cloud) == 1 && Self.value("ofStandard", in: cloud) == "x")
        let after = Defaults.Key<Int>("after", default: 0, suite: suite)
        cloudKeys.add([after])
        Defaults(suite)[after] = 2
        #expect(Self.value("after", in: cloud) == 2)
        #expect(throws: Defaults.BootstrapError.alreadyBootstrapped) { try cloudKeys.begin(with: cloud) }
    }

    @Test func `two devices have the same values`() throws {
        let cloud = InMemoryStore(name: "cloud")
        let devices = [InMemoryStore(name: "phone"), InMemoryStore(name: "desk")]
        let theme = Defaults.Key<String>("theme", default: "light")
        let cloudKeys = try devices.map { store in
            let cloudKeys = CloudKeys { $0(store) }
            cloudKeys.add([theme])
            try cloudKeys.begin(with: cloud)
            return cloudKeys
        }
        Defaults(devices[0])[theme] = "dark"
        #expect(Defaults(devices[1])[theme] == "dark")
        Defaults(devices[1]).reset(theme)
        #expect(Defaults(devices[0])[theme] == "light" && devices[0].value(forKey: "theme") == nil)
        withExtendedLifetime(cloudKeys) {}
    }

    @Test func `a removed key takes part no longer, but for another key of the same name`() throws {
        let store = InMemoryStore()
        let cloud = InMemoryStore(name: "cloud")
        let cloudKeys = CloudKeys { $0(store) }
        let count = Defaults.Key<Int>("count", default: 0)
        let named = Defaults.Key<Int>("count", default: 0, suite: store)
        try cloudKeys.begin(with: cloud)
        cloudKeys.add([count, named])
        cloudKeys.remove([count])
        Defaults(store)[count] = 1
        #expect(Self.value("count", in: cloud) == 1)
        cloudKeys.remove([named])
        Defaults(store)[count] = 2
        #expect(Self.value("count", in: cloud) == 1 && cloudKeys.keys.isEmpty)
        cloudKeys.add([count])
        #expect(Self.value("count", in: cloud) == 2)
    }

    /// The calls of a store that `add` makes, in which another thread removes the key.
    @Test(arguments: [ScriptedStore.Call.observe, .snapshot, .read, .write], [true, false])
    func `a key that is removed while it is added is not synchronized`(
        _ call: ScriptedStore.Call,
        isOfSharedStore: Bool
    ) throws {
        let (suite, cloud) = (ScriptedStore(["count": 1], name: "phone"), ScriptedStore(name: "cloud"))
        let cloudKeys = CloudKeys { $0(suite) }
        try cloudKeys.begin(with: cloud)
        let count = Defaults.Key<Int>("count", default: 0, suite: suite)
        (isOfSharedStore ? cloud : suite).beforeNext(call) {
            TestThread { cloudKeys.remove([count]) }.join()
        }
        cloudKeys.add([count])
        let sent = Self.value("count", in: cloud)
        // The store is not asked for everything in each case.
        cloudKeys.remove([count])
        suite.set(2, forKey: "count")
        #expect(cloudKeys.keys.isEmpty && Self.value("count", in: cloud) == sent)
        cloudKeys.add([count])
        #expect(Self.value("count", in: cloud) == 2)
    }

    @Test func `a marked key that is removed before its first use has ended is not synchronized`() throws {
        let suite = InMemoryStore(["count": 1])
        let cloud = InMemoryStore(name: "cloud")
        let cloudKeys = CloudKeys { $0(suite) }
        try cloudKeys.begin(with: cloud)
        let keys = (0..<2).map { _ in Defaults.Key<Int>("count", default: 0, suite: suite, iCloud: true) }
        // Another thread has made the same key, and adds it late.
        cloudKeys.remove([keys[0]])
        cloudKeys.addMarked([keys[1]])
        #expect(cloudKeys.keys.isEmpty && Self.value("count", in: cloud) == nil)
        cloudKeys.add([keys[0]])
        #expect(Self.value("count", in: cloud) == 1)
    }

    @Test func `keys that threads add and remove are synchronized if they are among the keys, and not otherwise`()
        throws
    {
        let cloud = InMemoryStore(name: "cloud")
        let standard = InMemoryStore(name: "phone")
        let opening = Locked<[@Sendable (any PropertyListStore) -> Void]>([])
        // As the standard store does, which may be opened later.
        let cloudKeys = CloudKeys { use in opening.withLock { $0.append(use) } }
        try cloudKeys.begin(with: cloud)
        for number in 0..<300 {
            let key = Defaults.Key<Int>("key \(number)", default: 0)
            cloudKeys.add([key])
            let gates = (Gate(), Gate())
            let opener = TestThread {
                gates.0.pass()
                for use in opening.withLock({ uses in
                    defer { uses = [] }
                    return uses
                }) { use(standard) }
            }
            let remover = TestThread {
                gates.1.pass()
                cloudKeys.remove([key])
            }
            if number.isMultiple(of: 2) { gates.0.open() }
            gates.1.open()
            if !number.isMultiple(of: 2) { gates.0.open() }
            opener.join()
            remover.join()
            standard.set(number + 1, forKey: key.name)
            try #require(Self.value(key.name, in: cloud) == nil, "\(key.name) is still synchronized")
        }
    }

    @Test func `a removed key takes part no longer, although another store has a key of that name`() throws {
        let stores = [InMemoryStore(name: "phone"), InMemoryStore(name: "group")]
        let cloud = InMemoryStore(name: "cloud")
        let cloudKeys = CloudKeys { $0(stores[0]) }
        try cloudKeys.begin(with: cloud)
        let keys = stores.map { Defaults.Key<Int>("count", default: 0, suite: $0) }
        cloudKeys.add(keys)
        cloudKeys.remove([keys[0]])
        Defaults(stores[0])[keys[0]] = 1
        #expect(Self.value("count", in: cloud) == nil)
        Defaults(stores[1])[keys[1]] = 2
        #expect(Self.value("count", in: cloud) == 2 && Defaults(stores[0])[keys[0]] == 1)
    }

    @Test func `all stores are made durable, also after one that fails`() throws {
        let cloud = ScriptedStore(name: "cloud")
        let suites = (0..<6).map { ScriptedStore(name: "suite \($0)") }
        let cloudKeys = CloudKeys { $0(suites[0]) }
        try cloudKeys.begin(with: cloud)
        cloudKeys.add(suites.map { Defaults.Key<Int>("count", default: 0, suite: $0) })
        let calls = Recorder<String>()
        for suite in suites {
            suite.before(.synchronize) { [name = suite.name] in calls.record(name) }
        }
        for suite in suites.dropFirst(2) {
            suite.failSynchronize(
                with: StoreError(.notDurable, store: suite.name, reason: "it is full", remedy: "wait")
            )
        }
        #expect(throws: StoreError.self) { try cloudKeys.synchronize() }
        #expect(calls.values.sorted() == suites.map(\.name))
        for suite in suites { suite.failSynchronize(with: nil) }
        #expect(throws: Never.self) { try cloudKeys.synchronize() }
    }

    @Test func `a store whose keys are removed is released, and the shared store has its observers no longer`() throws {
        let cloud = ObserverCountingStore(InMemoryStore(name: "cloud"))
        let cloudKeys = CloudKeys { _ in }
        try cloudKeys.begin(with: cloud)
        weak var released: InMemoryStore?
        for number in 0..<1_000 {
            let suite = InMemoryStore(name: "suite \(number)")
            let keys = ["a", "b"].map { Defaults.Key<Int>($0, default: 0, suite: suite) }
            cloudKeys.add(keys)
            cloudKeys.remove([keys[0]])
            try #require(cloud.observerCount == 1)
            // A key keeps its suite, so a store that the program has released is synchronized until its keys are removed.
            released = suite
            cloudKeys.remove([keys[1]])
        }
        #expect(released == nil && cloud.observerCount == 0 && cloudKeys.synchronizers.isEmpty)
    }

    @Test func `transfers are reported without the value`() throws {
        let store = InMemoryStore(name: "phone")
        let cloudKeys = CloudKeys { $0(store) }
        try cloudKeys.begin(with: InMemoryStore(name: "cloud"))
        let token = Defaults.Key<String?>("token")
        cloudKeys.add([token])
        let problems = reportedProblems {
            Defaults(store)[token] = "quiet"
            cloudKeys.isDebug = true
            Defaults(store)[token] = "secret"
            Defaults(store)[token] = nil
        }
        #expect(
            problems == [
                #"key "token" was sent from phone to the other devices."#,
                #"the removal of key "token" was sent from phone to the other devices."#,
            ]
        )
    }

    /// All that uses the one cloud of the process is in this test.
    @Test func `a key that is marked takes part from its first use`() async throws {
        let suite = InMemoryStore()
        let cloud = InMemoryStore(name: "cloud")
        let early = Defaults.Key<Int>("early", default: 0, suite: suite, iCloud: true)
        try Defaults.iCloud.bootstrap(cloud)
        let late = Defaults.Key<Int>("late", default: 0, suite: suite, iCloud: true)
        let unmarked = Defaults.Key<Int>("unmarked", default: 0, suite: suite)
        Defaults[early] = 1
        Defaults[late] = 2
        Defaults[unmarked] = 3
        await Defaults.iCloud.waitForSyncCompletion()
        #expect(Self.value("early", in: cloud) == 1 && Self.value("late", in: cloud) == 2)
        #expect(cloud.value(forKey: "unmarked") == nil)
        #expect(Defaults.iCloud.keys.isSuperset(of: [early, late]) && !Defaults.iCloud.keys.contains(unmarked))
        Defaults.iCloud.add(unmarked)
        #expect(Self.value("unmarked", in: cloud) == 3)
        Defaults.iCloud.remove(unmarked)
        Defaults[unmarked] = 4
        #expect(Self.value("unmarked", in: cloud) == 3)
        try Defaults.iCloud.synchronize()
        Defaults.iCloud.removeAll()
        Defaults[early] = 5
        // Tests beside this one may use marked keys of their own.
        #expect(Self.value("early", in: cloud) == 1 && Defaults.iCloud.keys.isDisjoint(with: [early, late, unmarked]))
        #expect(throws: Defaults.BootstrapError.alreadyBootstrapped) { try Defaults.iCloud.bootstrap(cloud) }
    }
}

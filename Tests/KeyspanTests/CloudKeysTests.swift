import KeyspanCore
import KeyspanTestSupport
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

#if !canImport(Darwin)
import Foundation
import KeyspanCore
import KeyspanTestSupport
import KeyspanUserDefaults
import Testing

/// The values that a `UserDefaults` itself gives on Linux after keys have changed its suite.
@Suite struct ObjectBesideStoreTests {
    private let suite = Suites.makeName()
    private let object: UserDefaults
    private let other: UserDefaults
    private let count: Defaults.Key<Int>

    init() throws {
        object = try #require(UserDefaults(suiteName: suite))
        other = try #require(UserDefaults(suiteName: suite))
        // The name is of this test alone, because all suites of a process share their registered defaults.
        count = Defaults.Key<Int>("count.\(suite)", default: 3, suite: object)
    }

    /// A change of a suite.
    enum Change: CaseIterable {
        case firstValue, value, removal, removalOfAll
    }

    /// What two objects of the suite show, and a third one that is made now.
    private func shown() throws -> [Int] {
        try [object, other, #require(UserDefaults(suiteName: suite))].map { $0.integer(forKey: count.name) }
    }

    @Test(arguments: Change.allCases)
    func `the objects of a suite show a change by a key once its store is refreshed, and not before`(_ change: Change)
        throws
    {
        if change != .firstValue {
            object[count] = 5
            try UserDefaultsStore(object).refresh()
        }
        // Each object has read the suite.
        let before = change == .firstValue ? 3 : 5
        #expect(try shown() == [before, before, before])
        switch change {
        case .firstValue, .value: other[count] = 8
        case .removal: Defaults.reset(count, suite: other)
        case .removalOfAll: other.removeAll()
        }
        let after = change == .firstValue || change == .value ? 8 : 3
        #expect(object[count] == after)
        #expect(try shown() == [before, before, before])
        try UserDefaultsStore(object).refresh()
        #expect(try shown() == [after, after, after])
    }

    @Test func `an object that synchronizes shows a change that has reached the file`() async throws {
        #expect(object.integer(forKey: count.name) == 3)
        object[count] = 8
        try await eventually("the object shows it", afterSynchronizing(), is: 8)
        let process = try DefaultsProcess("set", suite, count.name, "9")
        try process.finish()
        #expect(object.integer(forKey: count.name) == 8)
        try await eventually("the object shows the write of another process", afterSynchronizing(), is: 9)
    }

    private func afterSynchronizing() -> Int {
        object.synchronize()
        return object.integer(forKey: count.name)
    }

    @Test func `a default is registered for a key that names a UserDefaults, and for no other key`() throws {
        let store = UserDefaultsStore.of(object)
        let ofStore = Defaults.Key<Int>("ofStore.\(suite)", default: 4, suite: store)
        let ofStandard = Defaults.Key<Int>("ofStandard.\(suite)", default: 5)
        #expect(object[count] == 3 && object[ofStore] == 4 && object[ofStandard] == 5)
        #expect(object.object(forKey: count.name) as? Int == 3)
        #expect(object.object(forKey: ofStore.name) == nil)
        #expect(object.object(forKey: ofStandard.name) == nil)
        try Defaults(store).register(ofStore, ofStandard)
        #expect(object.integer(forKey: ofStore.name) == 4)
        #expect(object.integer(forKey: ofStandard.name) == 5)
    }
}
#endif

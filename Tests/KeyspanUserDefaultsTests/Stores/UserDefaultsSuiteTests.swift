#if !canImport(Darwin)
import Foundation
import KeyspanCore
import KeyspanUserDefaults
import Testing

/// A `UserDefaults` as the suite of keys, written as for Defaults.
@Suite struct UserDefaultsSuiteTests {
    private let suite: UserDefaults
    private let count: Defaults.Key<Int>
    private let name: Defaults.Key<String?>

    init() throws {
        suite = try #require(UserDefaults(suiteName: Suites.makeName()))
        count = Defaults.Key<Int>("suiteTestCount", default: 3, suite: suite)
        name = Defaults.Key<String?>("suiteTestName", suite: suite)
        suite[count] = 5
        suite[name] = "Ann"
    }

    /// A way to remove values of a suite.
    enum Removal: String, CaseIterable {
        case all, allOfUserDefaults, key, keys, arrayOfKeys, names, arrayOfNames
    }

    @Test(arguments: Removal.allCases)
    func `values of a suite are removed`(removal: Removal) {
        switch removal {
        case .all: Defaults.removeAll(suite: suite)
        case .allOfUserDefaults: suite.removeAll()
        case .key: Defaults.reset(count, suite: suite)
        case .keys: Defaults.reset(count, name, suite: suite)
        case .arrayOfKeys: Defaults.reset([count, name], suite: suite)
        case .names: Defaults.reset("suiteTestCount", "suiteTestName", suite: suite)
        case .arrayOfNames: Defaults.reset(["suiteTestCount", "suiteTestName"], suite: suite)
        }
        #expect(suite[count] == 3)
        #expect(suite[name] == (removal == .key ? "Ann" : nil))
    }

    @Test func `batches and snapshots of a suite`() throws {
        let defaults = Defaults(UserDefaultsStore.of(suite))
        defaults.update { $0[count] += 1 }
        try defaults.commit { $0[name] = nil }
        #expect(defaults.snapshot()[count] == 6)
        #expect(suite[name] == nil)
    }

    @Test func `a change of a value in one step`() {
        suite.modify(count) { $0 += 1 }
        #expect(suite[count] == 6)
        suite[count] += 1
        #expect(suite[count] == 7)
    }
}
#endif

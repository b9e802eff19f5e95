package import KeyspanCore

/// The values of a program in the shapes of versions 0 to 3, and their invariants.
///
/// Each migration counts how often it was done, so that one that is done twice, or not at all, shows.
package enum MigrationModel {
    /// The key that the first migration renames, which every version raises from then on.
    static let runs = Defaults.Key<Int>("runs", default: 0)

    private static let volume = Defaults.Key<Double>("volume", default: 0.5)
    private static let planName = "model"
    private static let originals = 0..<8

    /// The first values of the store.
    package static let values: PropertyListTable = ["launchCount": 100, "volume": 80, "obsolete": true]

    /// The first values of the older program's store.
    package static var oldValues: PropertyListTable {
        var table = PropertyListTable()
        for index in originals { table["old.\(index)"] = value(ofOriginal: index) }
        return table
    }

    /// The path of the older program's store.
    package static func pathOfOldStore(beside path: String) -> String { path + ".old.json" }

    /// The migrations that a program of some version knows.
    static func plan(of version: Int, from oldStore: any PropertyListStore) -> Defaults.MigrationPlan {
        typealias Migration = Defaults.Migration
        func move(_ index: Int) -> Migration.Step {
            .move("old.\(index)", from: oldStore, to: Defaults.Key<Int?>("new.\(index)"))
        }
        let first = Migration(to: 1, .rename("launchCount", to: runs), move(0), move(1), counted("1"))
        // A migration of the same version, declared by another module of the program.
        let beside = Migration(to: 1, move(2), move(3), counted("1b"))
        let second = Migration(
            to: 2,
            .transform(volume, from: Defaults.Key<Int>("volume", default: 50)) { Double($0) / 100 },
            counted("2"),
            move(4)
        )
        let third = Migration(
            to: 3,
            .transform("volume") { .real(($0.realValue ?? -1) + 1) },
            .remove("obsolete"),
            move(5),
            move(6),
            move(7),
            counted("3")
        )
        return switch version {
        case 1: Defaults.MigrationPlan(planName, first, beside)
        case 2: Defaults.MigrationPlan(planName, first, beside, second)
        default: Defaults.MigrationPlan(planName, first, beside, second, third)
        }
    }

    /// The version that a state of the store has.
    package static func version(of table: PropertyListTable) -> Int {
        table["keyspan.migrations"]?[planName]?["version"]?.integerValue?.converted() ?? 0
    }

    /// The number of increments of the shared key.
    package static func increments(in table: PropertyListTable) -> Int {
        (table["runs"]?.integerValue?.converted() ?? 0) - 100
    }

    /// The faults in a state of the store, apart from that key.
    package static func faults(in table: PropertyListTable) -> [String] {
        let version = version(of: table)
        var expected = PropertyListTable()
        for (name, first) in [("1", 1), ("1b", 1), ("2", 2), ("3", 3)] where version >= first {
            expected["done.\(name)"] = 1
        }
        expected["volume"] = [80, 80, 0.8, 1.8][version]
        if version < 3 { expected["obsolete"] = true }
        for (index, first) in zip(originals, [1, 1, 1, 1, 2, 3, 3, 3]) where version >= first {
            expected["new.\(index)"] = value(ofOriginal: index)
        }
        var found = table
        for name in ["runs", "keyspan.migrations"] { found[name] = nil }
        if version == 0 { found["launchCount"] = nil }
        return Set(found.sortedKeys + expected.sortedKeys).sorted().filter { found[$0] != expected[$0] }.map {
            "version \(version) has \(found[$0]?.description ?? "nothing") under \($0)"
        }
    }

    private static func value(ofOriginal index: Int) -> PropertyListValue { .init(index) }

    private static func counted(_ name: String) -> Defaults.Migration.Step {
        .edit { edit in
            let done = edit["done.\(name)"]?.integerValue?.int64 ?? 0
            edit["done.\(name)"] = .init(done + 1)
        }
    }
}

internal import KeyspanCore

extension StoreConformance {
    /// Promise 6 as keys need it: what the store holds can be kept and moved, whatever its nesting.
    static let depth = [
        StoreConformance(
            promise: 6,
            "an unreadable value of any nesting is kept when it is replaced, reset or restored"
        ) {
            test in
            let defaults = Defaults(try test.make())
            for levels in levels {
                let (key, value) = (Defaults.Key<Int?>("deep\(levels)"), nested(levels))
                func expectKept(_ way: String) {
                    let kept = defaults.keptValues(for: key).last
                    test.expect(kept?.value == value, "\(levels) levels were not kept when the value was \(way)")
                }
                try defaults.store.write(value, forKey: key.name)
                try defaults.set(1, for: key)
                expectKept("replaced")
                for kept in defaults.keptValues(for: key) { try defaults.discard(kept) }
                try defaults.store.write(value, forKey: key.name)
                try defaults.commit { batch in batch.reset(key) }
                test.expect(!defaults.hasValue(for: key), "\(levels) levels were not reset")
                expectKept("reset")
                try defaults.set(2, for: key)
                for kept in defaults.keptValues(for: key).suffix(1) { try defaults.restore(kept) }
                test.expect(defaults.store.value(forKey: key.name) == value, "\(levels) levels were not restored")
                for kept in defaults.keptValues(for: key).suffix(1) { try defaults.restore(kept) }
                test.expect(try defaults.storedValue(for: key) == 2, "the value over \(levels) levels was not restored")
                expectKept("replaced by one that was restored")
            }
        },
        StoreConformance(promise: 6, "kept values of any nesting are there in a store opened again") { test in
            guard let reopen = test.reopen else { return }
            let name = try {
                let defaults = Defaults(try test.make())
                for levels in levels {
                    let key = Defaults.Key<Int?>("deep\(levels)")
                    try defaults.store.write(nested(levels), forKey: key.name)
                    try defaults.set(1, for: key)
                }
                try defaults.store.synchronize()
                return defaults.store.name
            }()
            let defaults = Defaults(try reopen(name))
            for levels in levels {
                let kept = defaults.keptValues(for: Defaults.Key<Int?>("deep\(levels)"))
                test.expect(kept.map(\.value) == [nested(levels)], "\(levels) levels did not come back")
            }
        },
        StoreConformance(promise: 6, "a value of any nesting can be renamed, moved and transformed by a migration") {
            test in
            for levels in levels {
                let (store, source) = (try test.make(), try test.make())
                let value = nested(levels)
                for name in ["oldName", "inPlace", "readElsewhere"] { try store.write(value, forKey: name) }
                try source.write(value, forKey: "moved")
                let elsewhere = Defaults.Key<Defaults.AnySerializable?>("transformed")
                let plan = Defaults.MigrationPlan(
                    "depth",
                    Defaults.Migration(
                        to: 1,
                        .rename("oldName", to: Defaults.Key<Int?>("renamed")),
                        .move("moved", from: source, to: Defaults.Key<Int?>("moved")),
                        .transform("inPlace") { $0 },
                        .transform(elsewhere, from: Defaults.Key<Defaults.AnySerializable?>("readElsewhere")) { $0 }
                    )
                )
                do {
                    try Defaults(store).migrate(plan)
                } catch {
                    test.record("\(levels) levels: \(error)")
                    continue
                }
                for name in ["renamed", "moved", "inPlace", "transformed"] {
                    test.expect(store.value(forKey: name) == value, "\(levels) levels were not \(name)")
                }
                test.expect(source.value(forKey: "moved") == nil, "the original of \(levels) levels is still there")
            }
        },
    ]

    private static let levels = 120...PropertyListValue.maximumNesting

    /// A value of so many levels, which ends in an empty collection every other time.
    private static func nested(_ levels: Int) -> PropertyListValue {
        var value: PropertyListValue = levels.isMultiple(of: 2) ? [:] : [1, "two", ["three": 3.5]]
        for level in 1..<(levels.isMultiple(of: 2) ? levels : levels - 1) {
            value = level.isMultiple(of: 3) ? [value, "beside"] : ["inner": value, "outer": true]
        }
        return value
    }
}

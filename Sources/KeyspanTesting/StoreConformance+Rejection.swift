@_spi(StoreAuthors) internal import KeyspanCore

extension StoreConformance {
    /// Promise 6: a value that the store cannot hold is a typed error and changes nothing.
    static let rejection = [
        StoreConformance(promise: 6, "an empty key is rejected") { test in
            try expectRejection(.invalidKey, key: "", value: 1, test)
        },
        StoreConformance(promise: 6, "a key with a NUL is rejected") { test in
            try expectRejection(.invalidKey, key: "a\0b", value: 1, test)
        },
        StoreConformance(promise: 6, "the deepest nesting allowed is held") { test in
            let store = try test.make()
            let value = nested(PropertyListValue.maximumNesting)
            try store.write(value, forKey: "deep")
            test.expect(store.value(forKey: "deep") == value, "the value was read as another one")
        },
        StoreConformance(promise: 6, "one level too many is rejected") { test in
            try expectRejection(.nestingTooDeep, key: "deep", value: nested(PropertyListValue.maximumNesting + 1), test)
        },
        StoreConformance(promise: 6, "100,000 levels are rejected without exhausting the stack") { test in
            try expectRejection(.nestingTooDeep, key: "deep", value: bottomless, test)
        },
        StoreConformance(promise: 6, "a long key or text is held as a whole, durably, or rejected") { test in
            let long = String(repeating: "0123456789", count: 20_000)
            var held: PropertyListTable = [:]
            let name = try {
                let store = try test.make()
                // Two keys that only their ends distinguish.
                for (key, text) in [("text", long), ("\(long.prefix(300)) 1", "1"), ("\(long.prefix(300)) 2", "2")] {
                    do throws(StoreError) {
                        try store.apply(PropertyListBatch(.set(.string(text), key: key)))
                        held[key] = .string(text)
                    } catch {
                        test.expect(error.key == key, "the error does not name the key")
                    }
                }
                test.expect(store.snapshot() == held, "a long key or text was read as another one")
                try store.synchronize()
                return store.name
            }()
            guard let reopen = test.reopen else { return }
            test.expect(try reopen(name).snapshot() == held, "a long key or text came back as another one")
        },
    ]

    private static func expectRejection(
        _ code: StoreError.Code,
        key: String,
        value: PropertyListValue,
        _ test: StoreUnderTest
    ) throws {
        let store = try test.make()
        try store.write("kept", forKey: "before")
        let revision = store.revision
        var batch = PropertyListBatch()
        batch.set(value, forKey: key)
        test.expect(code, forKey: key, from: store, applying: batch)
        test.expect(store.snapshot() == ["before": "kept"], "a rejected write changed the store")
        test.expect(store.revision == revision, "a rejected write changed the revision")
    }

    private static func nested(_ levels: Int) -> PropertyListValue {
        var value: PropertyListValue = []
        for level in 1..<levels {
            value = level.isMultiple(of: 2) ? [value] : ["inner": value]
        }
        return value
    }

    /// Lives as long as the process, because Swift releases nested arrays recursively.
    private static let bottomless = nested(100_000)
}

extension StoreConformance {
    /// The consequence of promise 6 for keys: each stored value can be kept and moved, whatever its nesting.
    ///
    /// These check the library on top of a store, and are therefore not part of ``all``.
    package static let depth = [
        StoreConformance(
            promise: 6,
            "an unreadable value of any nesting is kept when it is replaced, reset or restored"
        ) {
            test in
            let defaults = Defaults(try test.make())
            func expectKept(_ way: String) {
                for (key, value) in deepValues where defaults.keptValues(for: key).last?.value != value {
                    test.record("the value of \(key.name) was not kept when it was \(way)")
                }
            }
            try writeDeepValues(to: defaults.store)
            try replaceDeepValues(in: defaults)
            expectKept("replaced")
            try writeDeepValues(to: defaults.store)
            try defaults.commit { batch in batch.reset(deepValues.map(\.key)) }
            expectKept("reset")
            for (key, value) in deepValues {
                test.expect(!defaults.hasValue(for: key), "\(key.name) was not reset")
                for kept in defaults.keptValues(for: key).suffix(1) { try defaults.restore(kept) }
                test.expect(defaults.store.value(forKey: key.name) == value, "\(key.name) was not restored")
            }
            try replaceDeepValues(in: defaults)
            expectKept("replaced after it was restored")
        },
        StoreConformance(promise: 6, "kept values of any nesting are there in a store opened again") { test in
            guard let reopen = test.reopen else { return }
            let name = try {
                let defaults = Defaults(try test.make())
                try writeDeepValues(to: defaults.store)
                try replaceDeepValues(in: defaults)
                try defaults.store.synchronize()
                return defaults.store.name
            }()
            let defaults = Defaults(try reopen(name))
            for (key, value) in deepValues {
                let kept = defaults.keptValues(for: key)
                test.expect(kept.map(\.value) == [value], "the kept value of \(key.name) did not come back")
            }
        },
        StoreConformance(promise: 6, "a value of any nesting can be renamed, moved and transformed by a migration") {
            test in
            let (store, source) = (try test.make(), try test.make())
            var (own, moved) = (PropertyListBatch(), PropertyListBatch())
            for (key, value) in deepValues {
                for name in ["old", "inPlace", "read"] { own.set(value, forKey: "\(name) \(key.name)") }
                moved.set(value, forKey: "moved \(key.name)")
            }
            try store.apply(own)
            try source.apply(moved)
            func migration(_ levels: Int) -> Defaults.Migration {
                let name = deepKey(levels).name
                let transformed = Defaults.Key<Defaults.AnySerializable?>("transformed \(name)")
                return Defaults.Migration(
                    to: levels,
                    .rename("old \(name)", to: Defaults.Key<Int?>("renamed \(name)")),
                    .move("moved \(name)", from: source, to: Defaults.Key<Int?>("moved \(name)")),
                    .transform("inPlace \(name)") { $0 },
                    .transform(transformed, from: Defaults.Key<Defaults.AnySerializable?>("read \(name)")) { $0 }
                )
            }
            let plan = Defaults.MigrationPlan(
                "depth",
                migration(120),
                migration(121),
                migration(122),
                migration(123),
                migration(124),
                migration(125),
                migration(126),
                migration(127),
                migration(128)
            )
            try Defaults(store).migrate(plan)
            for (key, value) in deepValues {
                for name in ["renamed", "moved", "inPlace", "transformed"] {
                    let found = store.value(forKey: "\(name) \(key.name)")
                    test.expect(found == value, "the value of \(key.name) was not \(name)")
                }
                test.expect(
                    source.value(forKey: "moved \(key.name)") == nil,
                    "the original of \(key.name) is still there"
                )
            }
        },
    ]

    /// Values from a few levels below the limit up to it, each with a key that cannot read it.
    private static let deepValues = (120...PropertyListValue.maximumNesting).map { levels in
        (key: deepKey(levels), value: mixedValue(ofDepth: levels))
    }

    private static func deepKey(_ levels: Int) -> Defaults.Key<Int?> { Defaults.Key("\(levels) levels") }

    private static func writeDeepValues(to store: any PropertyListStore) throws {
        var batch = PropertyListBatch()
        for (key, value) in deepValues { batch.set(value, forKey: key.name) }
        try store.apply(batch)
    }

    private static func replaceDeepValues(in defaults: Defaults) throws {
        try defaults.commit { batch in
            for (index, deep) in deepValues.enumerated() { try batch.set(index, for: deep.key) }
        }
    }

    /// A value of so many levels, which ends in an empty collection every other time.
    private static func mixedValue(ofDepth levels: Int) -> PropertyListValue {
        var value: PropertyListValue = levels.isMultiple(of: 2) ? [:] : [1, "two", ["three": 3.5]]
        for level in 1..<(levels.isMultiple(of: 2) ? levels : levels - 1) {
            value = level.isMultiple(of: 3) ? [value, "beside"] : ["inner": value, "outer": true]
        }
        return value
    }
}

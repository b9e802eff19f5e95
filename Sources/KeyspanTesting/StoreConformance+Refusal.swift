internal import KeyspanCore

extension StoreConformance {
    /// Promise 6: what the store cannot hold is a typed error and changes nothing.
    static let refusal = [
        StoreConformance(promise: 6, "an empty key is refused") { test in
            try expectRefusal(.invalidKey, key: "", value: 1, test)
        },
        StoreConformance(promise: 6, "a key with a NUL is refused") { test in
            try expectRefusal(.invalidKey, key: "a\0b", value: 1, test)
        },
        StoreConformance(promise: 6, "the deepest nesting allowed is held") { test in
            let store = try test.make()
            let value = nested(PropertyListValue.maximumNesting)
            try store.write(value, forKey: "deep")
            test.expect(store.value(forKey: "deep") == value, "the value was read as another one")
        },
        StoreConformance(promise: 6, "one level too many is refused") { test in
            try expectRefusal(.nestingTooDeep, key: "deep", value: nested(PropertyListValue.maximumNesting + 1), test)
        },
        StoreConformance(promise: 6, "100,000 levels are refused without exhausting the stack") { test in
            try expectRefusal(.nestingTooDeep, key: "deep", value: bottomless, test)
        },
    ]

    private static func expectRefusal(
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
        test.expect(store.snapshot() == ["before": "kept"], "a refused write changed the store")
        test.expect(store.revision == revision, "a refused write changed the revision")
    }

    private static func nested(_ levels: Int) -> PropertyListValue {
        var value: PropertyListValue = []
        for level in 1..<levels {
            value = level.isMultiple(of: 2) ? [value] : ["inner": value]
        }
        return value
    }

    /// Lives as long as the process, because Swift releases nested arrays by recursion.
    private static let bottomless = nested(100_000)
}

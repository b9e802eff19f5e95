import KeyspanCore
import Testing

/// A value, the form that is written for it, and the forms that are read as it.
struct FormCheck: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let verify: @Sendable () throws -> Void

    init<Value: Defaults.Serializable & Equatable & Sendable>(
        _ value: Value,
        _ written: PropertyListValue,
        alsoRead forms: [PropertyListValue] = []
    ) {
        testDescription = "\(Value.self): \(written)"
        verify = { () throws in
            let store = InMemoryStore()
            try Defaults(store).set(value, for: Defaults.Key<Value?>("key"))
            #expect(store.value(forKey: "key") == written)
            for form in [written] + forms {
                let defaults = Defaults(InMemoryStore(["key": form]))
                #expect(try defaults.storedValue(for: Defaults.Key<Value?>("key")) == value, "\(form)")
            }
        }
    }
}

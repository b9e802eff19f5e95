import Keyspan

/// A type of which values are read and written.
protocol BenchmarkValue: Defaults.Serializable, Equatable {
    /// Its name, for the table.
    static var typeName: String { get }
    /// The default of the keys; not one of the samples, so that a read that finds nothing is noticed.
    static var fallback: Self { get }
    /// Two different values, written in turn so that each write changes something.
    static var samples: (Self, Self) { get }
}

/// A full store, some typed keys in it, and a dictionary of the same contents.
struct Fixture<Value: BenchmarkValue> {
    let defaults: Defaults
    /// Keys that hold the second sample.
    let keys: [Defaults.Key<Value>]
    /// One of them.
    let key: Defaults.Key<Value>
    /// A key that is none of them.
    let otherKey: Defaults.Key<Int>
    /// What the store holds.
    let dictionary: LockedDictionary

    /// Fills a store and checks that the keys read what they wrote.
    init(_ kind: StoreKind, plan: Plan) throws {
        defaults = Defaults(try kind.makeStore(keys: plan.keys))
        key = Defaults.Key(Contents.name(0), default: Value.fallback)
        keys = [key] + (1..<100).map { Defaults.Key(Contents.name($0), default: Value.fallback) }
        otherKey = Defaults.Key(Contents.name(plan.keys - 1), default: 0)
        for key in keys {
            try defaults.set(Value.samples.1, for: key)
            guard defaults[key] == Value.samples.1 else {
                throw BenchmarkError("\(kind.name) does not give back the \(Value.typeName) written to \(key.name)")
            }
        }
        dictionary = LockedDictionary(defaults.store.snapshot().dictionary)
    }

    /// Reads one key again and again through the facade.
    func repeatedRead(_ name: String, operations: Int, stopwatch: Stopwatch = .wall) -> Workload {
        Workload(name, operations: operations, stopwatch: stopwatch) { [defaults, key] in
            repeated(operations) { defaults[key] }
        }
    }

    /// Looks one key up again and again in the dictionary.
    func repeatedLookup(operations: Int) -> Workload {
        Workload("Mutex dictionary lookup", operations: operations) { [dictionary, name = key.name] in
            repeated(operations) { dictionary[name] }
        }
    }
}

import Keyspan

/// A full store, some keys in it, and a dictionary of the same contents.
struct Fixture<Access: KeyAccess> {
    let defaults: Defaults
    /// Keys that hold the second sample.
    let keys: [Access]
    /// One of them.
    let key: Access
    /// A key outside of them.
    let otherKey: Defaults.Key<Int>
    /// The contents of the store.
    let dictionary: LockedDictionary
    /// The names of the entries in which the store and the dictionary have the values of the keys.
    let entries: [String]
    /// The name of the entry of that one key.
    var entry: String { entries[0] }

    /// Fills a store and checks that the keys read what they wrote.
    init(_ kind: StoreKind, plan: Plan) throws {
        defaults = Defaults(try kind.makeStore(keys: plan.keys))
        let names = (0..<plan.readKeys).map(Contents.name)
        keys = names.map { Access($0) }
        key = keys[0]
        otherKey = Defaults.Key(Contents.name(plan.keys - 4), default: 0)
        entries = names.map(Access.Value.entry(of:))
        for (key, entry) in zip(keys, entries) {
            // What filled the store is of other types; written over, it would be kept.
            defaults.reset(Defaults.Key<Defaults.AnySerializable>(key.key.name, default: 0))
            try key.write(Access.Value.samples.1, to: defaults)
            guard try key.read(from: defaults) == Access.Value.samples.1, defaults.store.value(forKey: entry) != nil
            else {
                throw BenchmarkError("\(kind.name) does not give back the \(Access.name) written to \(key.key.name)")
            }
        }
        dictionary = LockedDictionary(defaults.store.snapshot().reduce(into: [:]) { $0[$1.key] = $1.value })
    }

    /// Reads one key again and again through the facade.
    func repeatedRead(_ name: String, operations: Int, stopwatch: Stopwatch = .wall) -> Workload {
        Workload(name, operations: operations, stopwatch: stopwatch) { [defaults, key] in
            try repeated(operations) { try key.read(from: defaults) }
        }
    }

    /// Looks one entry up again and again in the dictionary.
    func repeatedLookup(operations: Int) -> Workload {
        Workload("Mutex dictionary lookup", operations: operations) { [dictionary, entry] in
            repeated(operations) { dictionary[entry] }
        }
    }

    /// Reads each of the keys once.
    func readOfEach(_ name: String = "read", prepare: @escaping () throws -> Void) -> Workload {
        Workload(name, operations: keys.count, prepare: prepare) { [defaults, keys] in
            for key in keys {
                blackHole(try key.read(from: defaults))
            }
        }
    }

    /// Looks each of the entries up once in the dictionary.
    func lookupOfEach(prepare: (() throws -> Void)? = nil) -> Workload {
        Workload("Mutex dictionary lookup", operations: entries.count, prepare: prepare) { [dictionary, entries] in
            for entry in entries {
                blackHole(dictionary[entry])
            }
        }
    }
}

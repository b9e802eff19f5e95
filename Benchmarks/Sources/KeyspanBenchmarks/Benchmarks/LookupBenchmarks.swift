import Keyspan

/// Lookups of many keys in turn in a store itself, without the facade and its cached values.
struct LookupBenchmarks {
    let kind: StoreKind
    let plan: Plan

    /// Next to a dictionary under a lock.
    var inTurn: Benchmark {
        inTurn { [plan] names in
            let dictionary = LockedDictionary(Contents.values(count: plan.keys))
            return Workload("Mutex dictionary lookup", operations: names.count) {
                for name in names { blackHole(dictionary[name]) }
            }
        }
    }

    /// Next to another workload that looks the same names up.
    func inTurn(nextTo makeFloor: @escaping ([String]) throws -> Workload) -> Benchmark {
        Benchmark("\(kind.name): value(forKey:) of \(plan.askedKeys) keys in turn") { [kind, plan] in
            let names = (0..<plan.askedKeys).map { Contents.name($0 * plan.keys / plan.askedKeys) }
            let floor = try makeFloor(names)
            let store = try kind.makeStore(keys: plan.keys)
            let subject = Workload("value(forKey:)", operations: names.count) {
                for name in names { blackHole(store.value(forKey: name)) }
            }
            return (subject, floor)
        }
    }
}

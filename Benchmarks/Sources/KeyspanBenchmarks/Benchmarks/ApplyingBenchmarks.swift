import Keyspan

/// Batches of one write to a store itself, without the facade, next to a dictionary under a lock.
struct ApplyingBenchmarks {
    let kind: StoreKind
    let plan: Plan

    var all: [Benchmark] {
        [
            applying("one key", Array(repeating: 0, count: plan.readKeys)),
            applying("keys in turn", Array(0..<plan.readKeys)),
        ]
    }

    /// Each write gives its key another value.
    private func applying(_ keys: String, _ indices: [Int]) -> Benchmark {
        Benchmark("\(kind.name): apply, \(keys)") { [kind, plan] in
            let fixture = try Fixture<PlainAccess<Int>>(kind, plan: plan)
            let (store, dictionary) = (fixture.defaults.store, fixture.dictionary)
            let names = indices.map { fixture.entries[$0] }
            var number = 0
            let subject = Workload("apply", operations: names.count) {
                for name in names {
                    number += 1
                    try store.apply(PropertyListBatch(.set(number.propertyListValue, key: name)))
                }
            }
            let floor = Workload("Mutex dictionary store", operations: names.count) {
                for name in names {
                    number += 1
                    dictionary[name] = number.propertyListValue
                }
            }
            return (subject, floor)
        }
    }
}

import Keyspan

/// Batches that write two keys.
struct BatchBenchmarks {
    let kind: StoreKind
    let plan: Plan

    /// `update`, next to two stores under one lock; an operation is a batch.
    var update: Benchmark {
        Benchmark("\(kind.name): update of two Int") { [kind, plan] in
            let fixture = try Fixture<PlainAccess<Int>>(kind, plan: plan)
            let (defaults, dictionary) = (fixture.defaults, fixture.dictionary)
            let (first, second) = (fixture.keys[0].key, fixture.keys[1].key)
            let (firstName, secondName) = (first.name, second.name)
            var number = 0
            let subject = Workload("update", operations: plan.operations) {
                for _ in 0..<plan.operations {
                    number += 1
                    defaults.update {
                        $0[first] = number
                        $0[second] = number
                    }
                }
            }
            let floor = Workload("Mutex dictionary, two stores", operations: plan.operations) {
                for _ in 0..<plan.operations {
                    number += 1
                    dictionary.update {
                        $0[firstName] = number.propertyListValue
                        $0[secondName] = number.propertyListValue
                    }
                }
            }
            return (subject, floor)
        }
    }
}

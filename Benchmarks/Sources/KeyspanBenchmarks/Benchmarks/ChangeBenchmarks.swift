import Keyspan

/// Increments of a number, next to an increment under a lock.
struct ChangeBenchmarks {
    let kind: StoreKind
    let plan: Plan

    var all: [Benchmark] { [modify, inPlace] }

    /// The read and the write in one step.
    private var modify: Benchmark {
        benchmark("modify of an Int") { defaults, key in
            defaults.modify(key) { $0 += 1 }
        }
    }

    /// The read and the write one after the other.
    private var inPlace: Benchmark {
        benchmark("change of an Int in place") { defaults, key in
            defaults[key] += 1
        }
    }

    private func benchmark(
        _ name: String,
        increment: @escaping (Defaults, Defaults.Key<Int>) -> Void
    ) -> Benchmark {
        Benchmark("\(kind.name): \(name)") { [kind, plan] in
            let fixture = try Fixture<PlainAccess<Int>>(kind, plan: plan)
            let (defaults, dictionary) = (fixture.defaults, fixture.dictionary)
            let key = fixture.keys[0].key
            let entry = key.name
            let subject = Workload("increment", operations: plan.operations) {
                for _ in 0..<plan.operations { increment(defaults, key) }
            }
            let floor = Workload("Mutex dictionary, one lock", operations: plan.operations) {
                for _ in 0..<plan.operations {
                    dictionary.update { values in
                        guard case .integer(let number)? = values[entry] else { return }
                        let count: Int = number.converted() ?? 0
                        values[entry] = (count + 1).propertyListValue
                    }
                }
            }
            return (subject, floor)
        }
    }
}

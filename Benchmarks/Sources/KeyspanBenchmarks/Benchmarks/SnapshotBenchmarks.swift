import Keyspan

/// Reads through a snapshot, and writes of which each is the first since one was taken, which is still held.
struct SnapshotBenchmarks {
    let kind: StoreKind
    let plan: Plan

    var all: [Benchmark] { [read(Int.self), read(String.self), read(Profile.self), writeUnderSnapshot] }

    /// One key again and again, next to a copy of a dictionary, which needs no lock either.
    private func read<Value: BenchmarkValue>(_ type: Value.Type) -> Benchmark {
        Benchmark("\(kind.name): read \(Value.typeName) in a snapshot") { [kind, plan] in
            let fixture = try Fixture<PlainAccess<Value>>(kind, plan: plan)
            let (snapshot, key) = (fixture.defaults.snapshot(), fixture.key.key)
            let (dictionary, entry) = (fixture.dictionary.snapshot(), fixture.entry)
            let subject = Workload("read", operations: plan.operations) {
                repeated(plan.operations) { snapshot[key] }
            }
            let floor = Workload("dictionary lookup", operations: plan.operations) {
                repeated(plan.operations) { dictionary[entry] }
            }
            return (subject, floor)
        }
    }

    private var writeUnderSnapshot: Benchmark {
        Benchmark("\(kind.name): snapshot, then write Int") { [kind, plan] in
            let fixture = try Fixture<PlainAccess<Int>>(kind, plan: plan)
            let (defaults, key, dictionary) = (fixture.defaults, fixture.key.key, fixture.dictionary)
            var number = 0
            var snapshot = defaults.store.snapshot()
            let subject = Workload("snapshot, then write", operations: 100) {
                for _ in 0..<100 {
                    snapshot = defaults.store.snapshot()
                    number += 1
                    defaults[key] = number
                }
                blackHole(snapshot)
            }
            var copy = dictionary.snapshot()
            // Fewer, because each copies the dictionary.
            let floor = Workload("the same of a Mutex dictionary", operations: 10) {
                for _ in 0..<10 {
                    copy = dictionary.snapshot()
                    number += 1
                    dictionary[key.name] = number.propertyListValue
                }
                blackHole(copy)
            }
            return (subject, floor)
        }
    }
}

import Keyspan

/// Writes of which each is the first since a snapshot was taken, which is still held.
struct SnapshotBenchmarks {
    let kind: StoreKind
    let plan: Plan

    var all: [Benchmark] { [writeUnderSnapshot] }

    private var writeUnderSnapshot: Benchmark {
        Benchmark("\(kind.name): snapshot, then write Int") { [kind, plan] in
            let fixture = try Fixture<Int>(kind, plan: plan)
            let (defaults, key, dictionary) = (fixture.defaults, fixture.key, fixture.dictionary)
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
                    dictionary[key.name] = number.stored
                }
                blackHole(copy)
            }
            return (subject, floor)
        }
    }
}

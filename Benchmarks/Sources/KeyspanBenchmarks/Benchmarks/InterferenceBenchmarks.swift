import Keyspan
import Synchronization

/// Reads of keys that do not change while others do, next to the same reads while nothing changes.
struct InterferenceBenchmarks<Value: BenchmarkValue> {
    let kind: StoreKind
    let plan: Plan

    var all: [Benchmark] { [afterAnotherChange, besideWriter] }

    /// Many keys, each for the first time since another key was written, which is not measured.
    private var afterAnotherChange: Benchmark {
        Benchmark("\(kind.name): read \(Value.typeName), another key changed") { [kind, plan] in
            let fixture = try Fixture<PlainAccess<Value>>(kind, plan: plan)
            let unconcerned = try Fixture<PlainAccess<Int>>(.memory, plan: plan)
            var changes = 0
            let subject = fixture.readOfEach {
                changes += 1
                fixture.defaults[fixture.otherKey] = changes
            }
            // A write to another store, so that both begin with equally cold caches.
            let floor = fixture.readOfEach("read, unchanged") {
                changes += 1
                unconcerned.defaults[unconcerned.otherKey] = changes
            }
            return (subject, floor)
        }
    }

    /// One key again and again, while another thread writes others without a pause.
    ///
    /// Processor time: see ``ThreadBenchmarks``.
    private var besideWriter: Benchmark {
        Benchmark("\(kind.name): read \(Value.typeName) beside a writer of other keys") { [kind, plan] in
            let fixture = try Fixture<PlainAccess<Value>>(kind, plan: plan)
            let (defaults, key) = (fixture.defaults, fixture.key.key)
            let others = (1...plan.readKeys).map { Defaults.Key(Contents.name(plan.keys - 4 * $0), default: 0) }
            let subject = Workload("read", reporting: .nanoseconds) {
                let (writes, isDone) = (Counter(), Counter())
                let writer = SecondThread {
                    var number = 0
                    while isDone.value.load(ordering: .relaxed) == 0 {
                        number += 1
                        defaults[others[number % others.count]] = number
                        writes.value.store(number, ordering: .relaxed)
                    }
                }
                var reads = 0
                let start = Stopwatch.processor.now
                writer.begin()
                // As long as it takes until the writer has had its turn, on a machine whose cores are busy too.
                while reads < plan.readsPerThread || writes.value.load(ordering: .relaxed) < plan.writesBesideReads {
                    repeated(plan.operations) { defaults[key] }
                    reads += plan.operations
                }
                let time = Stopwatch.processor.now - start
                isDone.value.store(1, ordering: .relaxed)
                writer.join()
                return time / .nanoseconds(1) / Double(reads)
            }
            let floor = fixture.repeatedRead(
                "read, unchanged",
                operations: plan.readsPerThread,
                stopwatch: .processor
            )
            return (subject, floor)
        }
    }

    private final class Counter: Sendable {
        let value = Atomic(0)
    }
}

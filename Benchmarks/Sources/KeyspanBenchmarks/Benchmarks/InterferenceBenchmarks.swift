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
    private var besideWriter: Benchmark {
        Benchmark("\(kind.name): read \(Value.typeName) beside a writer of other keys") { [kind, plan] in
            let fixture = try Fixture<PlainAccess<Value>>(kind, plan: plan)
            let (defaults, key, reads) = (fixture.defaults, fixture.key.key, plan.readsPerThread)
            let others = (1...plan.readKeys).map { Defaults.Key(Contents.name(plan.keys - 4 * $0), default: 0) }
            let isDone = Flag()
            var writer: SecondThread?
            let subject = Workload("read", operations: reads, stopwatch: .processor) {
                isDone.value.store(false, ordering: .relaxed)
                writer = SecondThread {
                    var number = 0
                    while !isDone.value.load(ordering: .relaxed) {
                        number += 1
                        defaults[others[number % others.count]] = number
                    }
                }
            } body: {
                writer?.begin()
                repeated(reads) { defaults[key] }
                isDone.value.store(true, ordering: .relaxed)
                writer?.join()
            }
            let floor = fixture.repeatedRead("read, unchanged", operations: reads, stopwatch: .processor)
            return (subject, floor)
        }
    }

    private final class Flag: Sendable {
        let value = Atomic(false)
    }
}

import Keyspan

/// Reads of a type through the facade, next to a dictionary under a lock.
struct TypedBenchmarks<Value: BenchmarkValue> {
    let kind: StoreKind
    let plan: Plan

    /// Both reads.
    var reads: [Benchmark] { [unchangedRead, readAfterAnotherChange] }

    /// One key again and again: what a loop or a view does.
    private var unchangedRead: Benchmark {
        Benchmark("\(kind.name): read \(Value.typeName), unchanged") { [kind, plan] in
            let fixture = try Fixture<Value>(kind, plan: plan)
            return (
                fixture.repeatedRead("read", operations: plan.operations),
                fixture.repeatedLookup(operations: plan.operations)
            )
        }
    }

    /// A hundred keys, each for the first time since another key was written, which is not measured.
    private var readAfterAnotherChange: Benchmark {
        Benchmark("\(kind.name): read \(Value.typeName), another key changed") { [kind, plan] in
            let fixture = try Fixture<Value>(kind, plan: plan)
            let (defaults, keys, dictionary) = (fixture.defaults, fixture.keys, fixture.dictionary)
            let names = keys.map(\.name)
            var changes = 0
            let change = {
                changes += 1
                defaults[fixture.otherKey] = changes
            }
            let subject = Workload("read", operations: keys.count, prepare: change) {
                for key in keys {
                    blackHole(defaults[key])
                }
            }
            // The same preparation, so that both begin with equally cold caches.
            let floor = Workload("Mutex dictionary lookup", operations: keys.count, prepare: change) {
                for name in names {
                    blackHole(dictionary[name])
                }
            }
            return (subject, floor)
        }
    }
}

/// A type whose stored form a program without a library would make itself.
protocol DirectValue: BenchmarkValue {
    /// The stored form.
    var stored: PropertyListValue { get }
}

extension TypedBenchmarks where Value: DirectValue {
    /// Reads and writes.
    var all: [Benchmark] { reads + [write] }

    /// One key again and again, each time another value.
    private var write: Benchmark {
        Benchmark("\(kind.name): write \(Value.typeName)") { [kind, plan] in
            let fixture = try Fixture<Value>(kind, plan: plan)
            let (defaults, key, dictionary) = (fixture.defaults, fixture.key, fixture.dictionary)
            let (first, second) = Value.samples
            let pairs = plan.operations / 2
            let subject = Workload("write", operations: pairs * 2) {
                for _ in 0..<pairs {
                    defaults[key] = first
                    defaults[key] = second
                }
            }
            let floor = Workload("Mutex dictionary store", operations: pairs * 2) {
                for _ in 0..<pairs {
                    dictionary[key.name] = first.stored
                    dictionary[key.name] = second.stored
                }
            }
            return (subject, floor)
        }
    }
}

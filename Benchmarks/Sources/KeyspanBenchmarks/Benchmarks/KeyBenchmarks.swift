import Keyspan

/// Reads and writes of keys of one kind through the facade, next to a dictionary under a lock.
struct KeyBenchmarks<Access: KeyAccess> {
    let kind: StoreKind
    let plan: Plan

    /// Reads and writes.
    var all: [Benchmark] { reads + [write] }

    /// All reads.
    var reads: [Benchmark] { [unchangedRead, readAfterAnotherChange, changedRead] }

    private var readName: String { "\(kind.name): read \(Access.name)" }

    /// One key again and again: what a loop or a view does.
    private var unchangedRead: Benchmark {
        Benchmark("\(readName), unchanged") { [kind, plan] in
            let fixture = try Fixture<Access>(kind, plan: plan)
            return (
                fixture.repeatedRead("read", operations: plan.operations),
                fixture.repeatedLookup(operations: plan.operations)
            )
        }
    }

    /// Many keys, each for the first time since another key was written, which is not measured.
    private var readAfterAnotherChange: Benchmark {
        Benchmark("\(readName), another key changed") { [kind, plan] in
            let fixture = try Fixture<Access>(kind, plan: plan)
            var changes = 0
            let change = {
                changes += 1
                fixture.defaults[fixture.otherKey] = changes
            }
            // The same preparation, so that both begin with equally cold caches.
            return (fixture.readOfEach(prepare: change), fixture.lookupOfEach(prepare: change))
        }
    }

    /// Many keys, each for the first time since it was written, which is not measured.
    private var changedRead: Benchmark {
        Benchmark("\(readName), changed") { [kind, plan] in
            let fixture = try Fixture<Access>(kind, plan: plan)
            return (fixture.readOfEach(prepare: fixture.changeOfEach), fixture.lookupOfEach())
        }
    }

    /// One key again and again, each time another value; the floor is given the stored forms.
    private var write: Benchmark {
        Benchmark("\(kind.name): write \(Access.name)") { [kind, plan] in
            let fixture = try Fixture<Access>(kind, plan: plan)
            let (dictionary, entry) = (fixture.dictionary, fixture.entry)
            let (first, second) = Access.Value.samples
            let (firstStored, secondStored) = (try fixture.stored(first), try fixture.stored(second))
            let pairs = plan.operations / 2
            let floor = Workload("Mutex dictionary store", operations: pairs * 2) {
                for _ in 0..<pairs {
                    dictionary[entry] = firstStored
                    dictionary[entry] = secondStored
                }
            }
            return (fixture.repeatedWrite("write", operations: plan.operations), floor)
        }
    }
}

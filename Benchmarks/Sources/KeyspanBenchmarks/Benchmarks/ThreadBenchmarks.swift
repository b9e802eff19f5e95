import Keyspan

/// Reads of one key from two threads at once; the time is that of one read on one of the threads.
///
/// Processor time, because a machine with two cores seldom has both to spare, and a thread that waits for one would count
/// as one that waits for the other thread. Threads that share a lock are shown cheaper than they are by their sleep.
struct ThreadBenchmarks {
    let kind: StoreKind
    let plan: Plan

    var all: [Benchmark] { [nextToOneThread, nextToDictionary] }

    private var name: String { "\(kind.name): read Int on two threads" }

    private var nextToOneThread: Benchmark {
        Benchmark(name) { [kind, plan] in
            let fixture = try Fixture<PlainAccess<Int>>(kind, plan: plan)
            let reads = plan.readsPerThread
            return (
                Self.readsOnTwoThreads(of: fixture, reads),
                fixture.repeatedRead("read on one thread", operations: reads, stopwatch: .processor)
            )
        }
    }

    private var nextToDictionary: Benchmark {
        Benchmark(name) { [kind, plan] in
            let fixture = try Fixture<PlainAccess<Int>>(kind, plan: plan)
            let reads = plan.readsPerThread
            return (
                Self.readsOnTwoThreads(of: fixture, reads),
                Self.onTwoThreads("Mutex dictionary, two threads", reads) {
                    [dictionary = fixture.dictionary, name = fixture.entry] in
                    repeated(reads) { dictionary[name] }
                }
            )
        }
    }

    private static func readsOnTwoThreads(of fixture: Fixture<PlainAccess<Int>>, _ reads: Int) -> Workload {
        onTwoThreads("read", reads) { [defaults = fixture.defaults, key = fixture.key.key] in
            repeated(reads) { defaults[key] }
        }
    }

    /// The work on this thread and on another one at the same time; over when both are done.
    private static func onTwoThreads(
        _ name: String,
        _ operations: Int,
        _ work: @escaping @Sendable () -> Void
    ) -> Workload {
        var second: SecondThread?
        return Workload(name, operations: operations, stopwatch: .processor) {
            second = SecondThread(work)
        } body: {
            second?.begin()
            work()
            second?.join()
        }
    }
}

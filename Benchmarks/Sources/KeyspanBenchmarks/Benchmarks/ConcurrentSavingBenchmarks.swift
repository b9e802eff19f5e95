import Keyspan

/// Durable batches of eight threads at once, next to those of one thread and those of eight clients of Redis.
///
/// The time is that of one batch, whichever thread's: a ratio of 0.25 is four times as many a second.
struct ConcurrentSavingBenchmarks {
    private static let threads = 8

    let plan: Plan
    let folder: TemporaryFolder

    var all: [Benchmark] {
        [false, true].flatMap { synchronizes in
            [
                nextToOneThread(synchronizes: synchronizes),
                nextToClients(threads: Self.threads, synchronizes: synchronizes),
            ]
        }
    }

    private func name(synchronizes: Bool) -> String {
        "JSONFileStore: durable batch of \(Self.threads) threads, \(synchronizes ? "synchronize" : "everyBatch")"
    }

    private func nextToOneThread(synchronizes: Bool) -> Benchmark {
        Benchmark(name(synchronizes: synchronizes)) { [plan] in
            let store = try makeStore(synchronizes: synchronizes)
            return (
                Self.batches("\(Self.threads) threads", Self.threads, synchronizes, store, plan),
                Self.batches("one thread", 1, synchronizes, store, plan)
            )
        }
    }

    private func nextToClients(threads: Int, synchronizes: Bool) -> Benchmark {
        Benchmark(name(synchronizes: synchronizes)) { [plan, folder] in
            let server = try RedisServer(folder: try folder.newFolder())
            let clients = try (0..<threads).map { _ in try server.connect() }
            let writes = plan.durableWritesPerThread
            let floor = Workload("Redis SET, appendfsync always", operations: threads * writes) {
                try Crew.run(threads) { thread in
                    for number in 0..<writes { try clients[thread].set(number, forKey: Contents.name(thread)) }
                }
                withExtendedLifetime(server) {}
            }
            let store = try makeStore(synchronizes: synchronizes)
            return (Self.batches("\(threads) threads", threads, synchronizes, store, plan), floor)
        }
    }

    private func makeStore(synchronizes: Bool) throws -> JSONFileStore {
        var options = FileStoreOptions.notInBackground
        if !synchronizes { options.durability = .everyBatch }
        let path = try folder.newFile()
        try JSONFileStore.makeFile(path, count: plan.keys)
        return try JSONFileStore(path: path, options: options)
    }

    /// Each thread writes a key of its own.
    private static func batches(
        _ name: String,
        _ threads: Int,
        _ synchronizes: Bool,
        _ store: JSONFileStore,
        _ plan: Plan
    ) -> Workload {
        let writes = plan.durableWritesPerThread
        var base = 0
        return Workload(name, operations: threads * writes) {
            // So that each write changes something.
            base += writes
            try Crew.run(threads) { [base] thread in
                for number in base..<base + writes {
                    try store.apply(PropertyListBatch(.set(number.propertyListValue, key: Contents.name(thread))))
                    if synchronizes { try store.synchronize() }
                }
            }
        }
    }
}

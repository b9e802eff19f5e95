import Keyspan

/// One key's durable write and reads, next to LMDB and Redis with as many keys.
struct PeerBenchmarks {
    let plan: Plan
    let folder: TemporaryFolder

    var all: [Benchmark] { [writeNextToLMDB, writeNextToRedis, readNextToLMDB, readsInTurnNextToLMDB] }

    private var writeNextToLMDB: Benchmark {
        durableWrite(nextTo: "LMDB put, commit") { [plan, folder] in
            let database = try LMDBDatabase(folder: try folder.newFolder(), count: plan.keys)
            return { try database.put($0, forKey: Contents.name(0)) }
        }
    }

    private var writeNextToRedis: Benchmark {
        durableWrite(nextTo: "Redis SET, appendfsync always") { [plan, folder] in
            let server = try RedisServer(folder: try folder.newFolder())
            let client = try server.connect()
            // Few of them, because each waits for the disk; the number of keys makes no difference to Redis.
            for index in 0..<min(plan.keys, 100) { try client.set(index, forKey: Contents.name(index)) }
            return { number in
                try client.set(number, forKey: Contents.name(0))
                withExtendedLifetime(server) {}
            }
        }
    }

    private func durableWrite(
        nextTo name: String,
        _ makePeer: @escaping () throws -> (Int) throws -> Void
    ) -> Benchmark {
        Benchmark("JSONFileStore: durable write, \(plan.keys) keys") { [plan, folder] in
            let write = try makePeer()
            let saved = try SavedStore(try folder.newFile(), count: plan.keys, options: .notInBackground)
            var number = 1_000_000_000
            let floor = Workload(name, operations: 1) {
                number += 1
                try write(number)
            }
            return (saved.durableWrite(), floor)
        }
    }

    private var readNextToLMDB: Benchmark {
        Benchmark("JSONFileStore: read Int, unchanged") { [plan, folder] in
            let database = try LMDBDatabase(folder: try folder.newFolder(), count: plan.keys)
            let fixture = try Fixture<PlainAccess<Int>>(.file(folder), plan: plan)
            let floor = Workload("LMDB get", operations: plan.operations) { [name = fixture.entry] in
                repeated(plan.operations) { database.value(forKey: name) }
            }
            return (fixture.repeatedRead("read", operations: plan.operations), floor)
        }
    }

    private var readsInTurnNextToLMDB: Benchmark {
        LookupBenchmarks(kind: .file(folder), plan: plan).inTurn { [plan, folder] names in
            let database = try LMDBDatabase(folder: try folder.newFolder(), count: plan.keys)
            return Workload("LMDB get", operations: names.count) {
                for name in names { blackHole(database.value(forKey: name)) }
            }
        }
    }
}

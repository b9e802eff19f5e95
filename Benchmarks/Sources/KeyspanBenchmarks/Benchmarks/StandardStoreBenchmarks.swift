import Keyspan

extension Defaults.Keys {
    fileprivate static let standardCount = Key<Int>(Contents.name(0), default: Int.fallback)
}

/// `Defaults[.key]`, as most code is written, of the platform's kind of standard store: layers over a file.
struct StandardStoreBenchmarks {
    let plan: Plan
    let folder: TemporaryFolder

    var all: [Benchmark] {
        // A process can choose its standard store once.
        var chosen: Fixture<PlainAccess<Int>>?
        let choose: () throws -> Fixture<PlainAccess<Int>> = { [plan, folder] in
            if let chosen { return chosen }
            let fixture = try Fixture<PlainAccess<Int>>(.file(folder), plan: plan)
            try Defaults.bootstrap(LayeredStore(registeringBelow: fixture.defaults.store))
            guard Defaults[.standardCount] == Int.samples.1 else {
                throw BenchmarkError("the standard store is not the one that was chosen")
            }
            chosen = fixture
            return fixture
        }
        return [
            read { [plan] in try choose().repeatedLookup(operations: plan.operations) },
            read { [plan] in
                _ = try choose()
                let memory = try Fixture<PlainAccess<Int>>(.memory, plan: plan)
                return memory.repeatedRead("InMemoryStore: read", operations: plan.operations)
            },
        ]
    }

    private func read(nextTo makeFloor: @escaping () throws -> Workload) -> Benchmark {
        Benchmark("standard store: read Int, unchanged") { [plan] in
            let floor = try makeFloor()
            let subject = Workload("read", operations: plan.operations) {
                repeated(plan.operations) { Defaults[.standardCount] }
            }
            return (subject, floor)
        }
    }
}

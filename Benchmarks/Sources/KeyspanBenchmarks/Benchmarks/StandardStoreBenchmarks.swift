import Keyspan

extension Defaults.Keys {
    fileprivate static let standardCount = Key<Int>(Contents.name(0), default: Int.fallback)
}

/// `Defaults[.key]`, as most code is written; chooses the standard store, which a process can do once.
enum StandardStoreBenchmarks {
    static func read(plan: Plan) -> Benchmark {
        Benchmark("standard store: read Int, unchanged") {
            let fixture = try Fixture<PlainAccess<Int>>(.memory, plan: plan)
            // As the platform's standard store, which has its file in place of the memory.
            try Defaults.bootstrap(LayeredStore(registeringBelow: fixture.defaults.store))
            guard Defaults[.standardCount] == Int.samples.1 else {
                throw BenchmarkError("the standard store is not the one that was chosen")
            }
            let subject = Workload("read", operations: plan.operations) {
                repeated(plan.operations) { Defaults[.standardCount] }
            }
            return (subject, fixture.repeatedLookup(operations: plan.operations))
        }
    }
}

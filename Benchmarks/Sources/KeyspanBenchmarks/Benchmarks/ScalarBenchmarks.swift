import Keyspan

extension Int: BenchmarkValue, DirectValue {
    static var typeName: String { "Int" }
    static var fallback: Int { -1 }
    static var samples: (Int, Int) { (1_234_567, 7_654_321) }

    var stored: PropertyListValue { propertyListValue }
}

extension Defaults.Keys {
    fileprivate static let standardCount = Key<Int>(Contents.name(0), default: Int.fallback)
}

/// Reads and writes of an `Int`.
enum ScalarBenchmarks {
    static func all(kind: StoreKind, plan: Plan) -> [Benchmark] {
        TypedBenchmarks<Int>(kind: kind, plan: plan).all
    }

    /// `Defaults[.key]`, as most code is written; chooses the standard store, which a process can do once.
    static func standardRead(plan: Plan) -> Benchmark {
        Benchmark("standard store: read Int, unchanged") {
            let fixture = try Fixture<Int>(.memory, plan: plan)
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

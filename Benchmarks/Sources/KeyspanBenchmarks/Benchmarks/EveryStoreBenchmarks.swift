import Foundation
import Keyspan
import KeyspanUserDefaults

/// Every store next to Foundation's `UserDefaults` with the same keys: a read, a write, a durable write, and opening.
struct EveryStoreBenchmarks {
    let kind: EveryStore
    let plan: Plan
    let folder: TemporaryFolder

    var all: [Benchmark] {
        var benchmarks = [read, write]
        if kind.isDurable {
            benchmarks.append(durableWrite)
            benchmarks += plan.fileSizes.suffix(2).map(opening)
        }
        return benchmarks
    }

    private var read: Benchmark {
        Benchmark("\(kind): read of an Int") { [kind, plan, folder] in
            let (store, plain) = try Self.filled(kind, count: plan.keys, folder)
            let (defaults, key) = (Defaults(store), Defaults.Key(Contents.name(0), default: -1))
            guard defaults[key] == 0, plain.defaults.integer(forKey: key.name) == 0 else {
                throw BenchmarkError("\(kind) does not have what was written to it")
            }
            let subject = Workload("read", operations: plan.operations) {
                repeated(plan.operations) { defaults[key] }
            }
            let floor = Workload("UserDefaults.integer(forKey:)", operations: plan.operations) {
                repeated(plan.operations) { plain.defaults.integer(forKey: key.name) }
            }
            return (subject, floor)
        }
    }

    private var write: Benchmark {
        Benchmark("\(kind): write of an Int") { [kind, plan, folder] in
            let (store, plain) = try Self.filled(kind, count: plan.keys, folder)
            let (defaults, key) = (Defaults(store), Defaults.Key(Contents.name(0), default: -1))
            var number = 0
            let subject = Workload("write", operations: plan.operations) {
                for _ in 0..<plan.operations {
                    number += 1
                    defaults[key] = number
                }
            }
            let floor = Workload("UserDefaults.set(_:forKey:)", operations: plan.operations) {
                for _ in 0..<plan.operations {
                    number += 1
                    plain.defaults.set(number, forKey: key.name)
                }
            }
            return (subject, floor)
        }
    }

    private var durableWrite: Benchmark {
        Benchmark("\(kind): write and synchronize, \(plan.keys) keys") { [kind, plan, folder] in
            let (store, plain) = try Self.filled(kind, count: plan.keys, folder)
            let (defaults, key) = (Defaults(store), Defaults.Key(Contents.name(0), default: -1))
            var number = 0
            let subject = Workload("write and synchronize", operations: 1) {
                number += 1
                defaults[key] = number
                try defaults.synchronize()
            }
            let floor = Workload("UserDefaults.set, synchronize", operations: 1) {
                number += 1
                plain.defaults.set(number, forKey: key.name)
                plain.defaults.synchronize()
            }
            return (subject, floor)
        }
    }

    /// Opening and the first read, next to the first read of a `UserDefaults` that nobody has read before.
    private func opening(_ size: Int) -> Benchmark {
        Benchmark("\(kind): open, \(size) keys") { [kind, folder] in
            let saved = try kind.makeFile(count: size, in: folder)
            let subject = Workload("open and read", operations: 1) {
                let store = try kind.open(saved)
                guard store.value(forKey: Contents.name(size - 1)) != nil else {
                    throw BenchmarkError("\(kind) has lost what was written to it")
                }
            }
            let original = try PlainDefaults(count: size)
            var next: PlainDefaults?
            let floor = Workload(
                "UserDefaults, first read",
                operations: 1,
                prepare: { next = try original.copy() },
                body: {
                    guard next?.defaults.object(forKey: Contents.name(size - 1)) != nil else {
                        throw BenchmarkError("UserDefaults has lost what was written to it")
                    }
                }
            )
            return (subject, floor)
        }
    }

    private static func filled(
        _ kind: EveryStore,
        count: Int,
        _ folder: TemporaryFolder
    ) throws -> (any PropertyListStore, PlainDefaults) {
        (try kind.makeStore(count: count, in: folder), try PlainDefaults(count: count))
    }
}

import Keyspan
import Synchronization

/// Batches of one write to a store that is observed, next to closures that are called under a lock.
struct ObserverBenchmarks {
    let kind: StoreKind
    let plan: Plan

    var all: [Benchmark] {
        [0, 1, 10, 100].map { observed(observers: $0, ofOtherKeys: 0) } + [observed(observers: 1, ofOtherKeys: 99)]
            + [1, 10, 100].map(unconcerned)
    }

    /// A change of a key that nobody observes, next to a store that nobody observes.
    private func unconcerned(observers: Int) -> Benchmark {
        Benchmark("\(kind.name): change with \(observers) observers of other keys") { [kind, plan] in
            let calls = Calls()
            let (observed, alone) = (
                try Fixture<PlainAccess<Int>>(kind, plan: plan), try Fixture<PlainAccess<Int>>(kind, plan: plan)
            )
            let observations = (0..<observers).map { index in
                observed.defaults.store.observe(
                    .named([UTF8Text(wrappedValue: "other \(index)")]),
                    initial: false,
                    calls.receive
                )
            }
            func change(_ name: String, _ fixture: Fixture<PlainAccess<Int>>) -> Workload {
                var number = 0
                return Workload(name, operations: plan.operations) {
                    for _ in 0..<plan.operations {
                        number += 1
                        try fixture.defaults.store.apply(
                            PropertyListBatch(.set(number.propertyListValue, key: fixture.entry))
                        )
                    }
                    withExtendedLifetime(observations) {}
                }
            }
            return (change("change", observed), change("change without observers", alone))
        }
    }

    /// Each write gives a key another value, which all observers of the key receive.
    private func observed(observers: Int, ofOtherKeys others: Int) -> Benchmark {
        let count = others > 0 ? "\(observers) of \(observers + others) observers" : "\(observers) observers"
        return Benchmark("\(kind.name): change with \(count)") { [kind, plan] in
            let fixture = try Fixture<PlainAccess<Int>>(kind, plan: plan)
            let (store, entry, dictionary) = (fixture.defaults.store, fixture.entry, ObservedDictionary())
            let calls = Calls()
            let observations = (0..<observers + others).map { index in
                store.observe(
                    .named([UTF8Text(wrappedValue: index < observers ? entry : "other \(index)")]),
                    initial: false,
                    calls.receive
                )
            }
            for _ in 0..<observers { dictionary.observe(calls.receive) }
            let operations = max(1, plan.operations / max(1, observers))
            var number = 0
            let subject = Workload("change", operations: operations) {
                for _ in 0..<operations {
                    number += 1
                    try store.apply(PropertyListBatch(.set(number.propertyListValue, key: entry)))
                }
                withExtendedLifetime(observations) {}
            }
            let floor = Workload("closures under a Mutex", operations: operations) {
                for _ in 0..<operations {
                    number += 1
                    dictionary.write(number.propertyListValue, forKey: entry)
                }
            }
            return (subject, floor)
        }
    }

    /// Counts calls, so that the least that an observer can do is done.
    private final class Calls: Sendable {
        private let count = Atomic(0)

        func receive(_ change: PropertyListChange) {
            count.wrappingAdd(1, ordering: .relaxed)
        }
    }
}

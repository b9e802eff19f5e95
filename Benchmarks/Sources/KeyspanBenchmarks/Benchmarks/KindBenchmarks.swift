import Foundation
import Keyspan

/// Reads and writes of each kind of value and key.
struct KindBenchmarks {
    let plan: Plan

    /// Of the kinds of which most settings are, on each kind of store.
    func common(_ kind: StoreKind) -> [Benchmark] {
        [rows(Int.self, kind), rows(String.self, kind), rows([Int].self, kind), rows(Profile.self, kind)].flatMap { $0 }
    }

    /// Of all others, in memory: what differs between the stores is seen with the common ones.
    var others: [Benchmark] {
        [
            rows(Date.self), rows(UUID.self), rows(URL.self), rows(Decimal.self), rows(Fruit.self), rows(Int?.self),
            rows(Set<Int>.self), rows([String: Int].self), rows(Range<Int>.self), rows(Color.self), rows(Playlist.self),
            rows(Tags.self), rows(Window.self), rows(Defaults.AnySerializable.self), rows(StructuredProfile.self),
            KeyBenchmarks<ThrowingAccess<Int>>(kind: .memory, plan: plan).all,
            KeyBenchmarks<ThrowingAccess<Profile>>(kind: .memory, plan: plan).all,
            KeyBenchmarks<StrictAccess<Int>>(kind: .memory, plan: plan).reads,
            KeyBenchmarks<ValidatedAccess>(kind: .memory, plan: plan).all,
            KeyBenchmarks<SnapshotAccess<Int>>(kind: .memory, plan: plan).reads,
            KeyBenchmarks<SnapshotAccess<Profile>>(kind: .memory, plan: plan).reads,
        ]
        .flatMap { $0 }
    }

    private func rows<Value: BenchmarkValue>(_ type: Value.Type, _ kind: StoreKind = .memory) -> [Benchmark] {
        KeyBenchmarks<PlainAccess<Value>>(kind: kind, plan: plan).all
    }
}

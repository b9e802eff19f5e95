import Foundation
import Keyspan

private struct Profile: Codable, BenchmarkValue {
    let name: String
    let age: Int
    let score: Double
    let isAdministrator: Bool

    static let typeName = "Codable"
    static let fallback = Profile(name: "", age: 0, score: 0, isAdministrator: false)
    static let samples = (
        Profile(name: "Augusta Ada King, Countess of Lovelace", age: 36, score: 0.75, isAdministrator: true),
        Profile(name: "Alan Mathison Turing, mathematician", age: 41, score: 0.25, isAdministrator: false)
    )
}

/// Reads and writes of a structure of four fields that is stored as JSON, next to the encoder and the decoder alone.
struct CodableBenchmarks {
    let kind: StoreKind
    let plan: Plan

    var all: [Benchmark] {
        TypedBenchmarks<Profile>(kind: kind, plan: plan).reads + [readNextToScalar, changedRead, write]
    }

    /// What was decoded once, next to what needs no decoding.
    private var readNextToScalar: Benchmark {
        Benchmark("\(kind.name): read Codable, unchanged") { [kind, plan] in
            (
                try Fixture<Profile>(kind, plan: plan).repeatedRead("read", operations: plan.operations),
                try Fixture<Int>(kind, plan: plan).repeatedRead("read Int, unchanged", operations: plan.operations)
            )
        }
    }

    /// A hundred keys, each for the first time since it was written, which is not measured.
    private var changedRead: Benchmark {
        Benchmark("\(kind.name): read Codable, changed") { [kind, plan] in
            let fixture = try Fixture<Profile>(kind, plan: plan)
            let (defaults, keys) = (fixture.defaults, fixture.keys)
            var isFirst = false
            let change = {
                isFirst.toggle()
                for key in keys {
                    defaults[key] = isFirst ? Profile.samples.0 : Profile.samples.1
                }
            }
            let subject = Workload("read", operations: keys.count, prepare: change) {
                for key in keys {
                    blackHole(defaults[key])
                }
            }
            let data = try JSONEncoder().encode(Profile.samples.0)
            let decoder = JSONDecoder()
            let floor = Workload("JSONDecoder", operations: keys.count) {
                try repeated(keys.count) { try decoder.decode(Profile.self, from: data) }
            }
            return (subject, floor)
        }
    }

    /// One key again and again, each time another value.
    private var write: Benchmark {
        Benchmark("\(kind.name): write Codable") { [kind, plan] in
            let fixture = try Fixture<Profile>(kind, plan: plan)
            let (defaults, key) = (fixture.defaults, fixture.key)
            let (first, second) = Profile.samples
            let subject = Workload("write", operations: 100) {
                for _ in 0..<50 {
                    defaults[key] = first
                    defaults[key] = second
                }
            }
            let encoder = JSONEncoder()
            let floor = Workload("JSONEncoder", operations: 100) {
                try repeated(100) { try encoder.encode(first) }
            }
            return (subject, floor)
        }
    }
}

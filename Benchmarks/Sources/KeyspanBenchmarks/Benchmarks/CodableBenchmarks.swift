import Foundation
import Keyspan

/// Reads and writes of a structure of four fields, next to the encoder and the decoder alone.
struct CodableBenchmarks<Value: BenchmarkValue & Codable> {
    let kind: StoreKind
    let plan: Plan

    var all: [Benchmark] { [readNextToScalar, changedRead, write] }

    /// Reads of a decoded value, next to reads that need no decoding.
    private var readNextToScalar: Benchmark {
        Benchmark("\(kind.name): read \(Value.typeName), unchanged") { [kind, plan] in
            (
                try Fixture<PlainAccess<Value>>(kind, plan: plan).repeatedRead("read", operations: plan.operations),
                try Fixture<PlainAccess<Int>>(kind, plan: plan)
                    .repeatedRead("read Int, unchanged", operations: plan.operations)
            )
        }
    }

    /// Many keys, each for the first time since it was written, which is not measured.
    private var changedRead: Benchmark {
        Benchmark("\(kind.name): read \(Value.typeName), changed") { [kind, plan] in
            let fixture = try Fixture<PlainAccess<Value>>(kind, plan: plan)
            let data = try JSONEncoder().encode(Value.samples.0)
            let decoder = JSONDecoder()
            let floor = Workload("JSONDecoder", operations: plan.readKeys) {
                try repeated(plan.readKeys) { try decoder.decode(Value.self, from: data) }
            }
            return (fixture.readOfEach(prepare: fixture.changeOfEach), floor)
        }
    }

    /// One key again and again, each time another value.
    private var write: Benchmark {
        Benchmark("\(kind.name): write \(Value.typeName)") { [kind, plan] in
            let fixture = try Fixture<PlainAccess<Value>>(kind, plan: plan)
            let encoder = JSONEncoder()
            let (operations, value) = (plan.operations, Value.samples.0)
            let floor = Workload("JSONEncoder", operations: operations) {
                try repeated(operations) { try encoder.encode(value) }
            }
            return (fixture.repeatedWrite("write", operations: operations), floor)
        }
    }
}

import Keyspan

extension [Int]: BenchmarkValue, DirectValue {
    static var typeName: String { "[Int]" }
    static var fallback: [Int] { [] }
    static var samples: ([Int], [Int]) { (Array(0..<10), Array(10..<20)) }

    var stored: PropertyListValue { .array(map(\.propertyListValue)) }
}

/// Reads and writes of an array of ten `Int`.
enum ArrayBenchmarks {
    static func all(kind: StoreKind, plan: Plan) -> [Benchmark] {
        TypedBenchmarks<[Int]>(kind: kind, plan: plan).all
    }
}

import Keyspan

extension String: BenchmarkValue, DirectValue {
    static var typeName: String { "String" }
    static var fallback: String { "" }
    // Made at run time, because a literal is not reference-counted and would be cheaper than what users have.
    static let samples = (String(repeating: "a", count: 40), String(repeating: "b", count: 40))

    var stored: PropertyListValue { propertyListValue }
}

/// Reads and writes of a `String` of 40 bytes.
enum StringBenchmarks {
    static func all(kind: StoreKind, plan: Plan) -> [Benchmark] {
        TypedBenchmarks<String>(kind: kind, plan: plan).all
    }
}

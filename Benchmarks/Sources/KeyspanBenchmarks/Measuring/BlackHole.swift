import CMeasurement

/// Uses a value, so that the compiler cannot leave out what made it.
///
/// Costs a store and a call, about a nanosecond, in subjects and floors alike.
@inline(__always)
func blackHole<Value>(_ value: Value) {
    withUnsafePointer(to: value) { keyspan_black_hole($0) }
}

/// Repeats an operation and uses each result.
///
/// Inlined with the operation, so that no call of a closure is measured with it.
@inline(__always)
func repeated<Value>(_ times: Int, _ operation: () throws -> Value) rethrows {
    for _ in 0..<times {
        blackHole(try operation())
    }
}

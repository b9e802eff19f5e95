import CMeasurement

/// One turn of a workload: the time and the allocations of several calls of its body.
struct Round {
    /// The time that was measured in all.
    let measured: Duration
    /// Nanoseconds of one operation, or what the workload says of itself.
    let figure: Double
    /// On this thread; `nil` where they are not counted.
    let allocations: Allocations?

    /// What one operation allocated.
    struct Allocations {
        let calls: Double
        /// Whatever was freed in between.
        let bytes: Double
    }

    /// Runs the body that many times on this thread.
    init(of workload: Workload, calls: Int) throws {
        switch workload.body {
        case .reporting(_, let body):
            (measured, figure, allocations) = (.zero, try body(), nil)
        case .measured(let stopwatch, let body):
            var (elapsed, allocated) = (Duration.zero, keyspan_allocation_count())
            if let prepare = workload.prepare {
                for _ in 0..<calls {
                    try prepare()
                    let (time, count) = try Self.measure(by: stopwatch, body)
                    elapsed += time
                    allocated = allocated + count
                }
            } else {
                // One measurement of all calls, so that reading the clock does not count for each.
                (elapsed, allocated) = try Self.measure(by: stopwatch) {
                    for _ in 0..<calls {
                        try body()
                    }
                }
            }
            let operations = Double(calls * workload.operations)
            measured = elapsed
            figure = elapsed / .nanoseconds(1) / operations
            allocations =
                keyspan_counts_allocations()
                ? Allocations(calls: Double(allocated.calls) / operations, bytes: Double(allocated.bytes) / operations)
                : nil
        }
    }

    private static func measure(
        by stopwatch: Stopwatch,
        _ body: () throws -> Void
    ) rethrows -> (time: Duration, allocations: keyspan_allocation_count) {
        let allocations = keyspan_allocations()
        let start = stopwatch.now
        try body()
        let time = stopwatch.now - start
        return (time, keyspan_allocations() - allocations)
    }

    /// The number of calls that take at least that long together; runs them, which warms caches too.
    static func calls(of workload: Workload, lasting length: Duration) throws -> Int {
        var calls = 1
        while true {
            if try Round(of: workload, calls: calls).measured >= length { return calls }
            calls *= 2
        }
    }
}

extension keyspan_allocation_count {
    static func + (left: Self, right: Self) -> Self {
        Self(calls: left.calls + right.calls, bytes: left.bytes + right.bytes)
    }

    static func - (left: Self, right: Self) -> Self {
        Self(calls: left.calls - right.calls, bytes: left.bytes - right.bytes)
    }
}

import CMeasurement

/// One turn of a workload: the time and the allocations of several calls of its body.
struct Round {
    /// The time that was measured in all.
    let measured: Duration
    let nanosecondsPerOperation: Double
    /// On this thread.
    let allocationsPerOperation: Double
    /// On this thread, whatever was freed in between.
    let bytesPerOperation: Double

    /// Runs the body that many times on this thread.
    init(of workload: Workload, calls: Int) throws {
        var (elapsed, allocations) = (Duration.zero, keyspan_allocation_count())
        if let prepare = workload.prepare {
            for _ in 0..<calls {
                try prepare()
                let (time, count) = try Self.measure(by: workload.stopwatch, workload.body)
                elapsed += time
                allocations = allocations + count
            }
        } else {
            // One measurement of all calls, so that reading the clock does not count for each.
            (elapsed, allocations) = try Self.measure(by: workload.stopwatch) {
                for _ in 0..<calls {
                    try workload.body()
                }
            }
        }
        measured = elapsed
        let operations = Double(calls * workload.operations)
        nanosecondsPerOperation = elapsed / .nanoseconds(1) / operations
        allocationsPerOperation = Double(allocations.calls) / operations
        bytesPerOperation = Double(allocations.bytes) / operations
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
    fileprivate static func + (left: Self, right: Self) -> Self {
        Self(calls: left.calls + right.calls, bytes: left.bytes + right.bytes)
    }

    fileprivate static func - (left: Self, right: Self) -> Self {
        Self(calls: left.calls - right.calls, bytes: left.bytes - right.bytes)
    }
}

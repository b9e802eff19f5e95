/// The time that a wait may still take, which passes only while the cooperative pool runs tasks.
///
/// All tests of a run start at once, and a machine with two processors has two threads for them: on a busy one, a task that is
/// awaited may begin a minute late. Of a pause, 50 ms count at most, and only once a task has run that was started before it. A pool
/// that runs no task anymore ends the wait as well, after ten times the limit.
package struct Patience {
    private var left: Duration
    private let end: ContinuousClock.Instant
    private var last = ContinuousClock.now
    private var probe = Self.startTask()

    /// The pause before the next look: looks that come too often occupy those that are awaited.
    package private(set) var pause = Duration.milliseconds(1)

    package init(_ limit: Duration) {
        left = limit
        end = .now + limit * 10
    }

    /// Looks, and takes the time since the last look from the time that is left.
    package mutating func look<Value>(_ body: () throws -> Value) rethrows -> Value {
        let begin = ContinuousClock.now
        if probe.count > 0 {
            left -= min(begin - last, .milliseconds(50))
            probe = Self.startTask()
        }
        defer {
            last = .now
            left -= last - begin
            pause = min(pause * 1.25, .milliseconds(10))
        }
        return try body()
    }

    package var isOver: Bool { left <= .zero || ContinuousClock.now >= end }

    /// Starts a task that leaves a mark when it runs.
    private static func startTask() -> Recorder<Void> {
        let mark = Recorder<Void>()
        Task.detached { mark.record(()) }
        return mark
    }
}

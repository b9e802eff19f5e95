/// The time that a wait may still take, which passes only while the cooperative pool runs tasks.
///
/// All tests of a run start at once, and a machine with two processors has two threads for them: on a busy one, a task that is
/// awaited may begin a minute late. Of a pause, 50 ms count at most, and only once a task has run that was started before it. A pool
/// that runs no task anymore ends the wait as well, after ten times the limit.
package struct Patience {
    private var left: Duration
    private let end: ContinuousClock.Instant
    private var last: ContinuousClock.Instant
    private let now: () -> ContinuousClock.Instant
    private let start: (@escaping @Sendable () -> Void) -> Void
    private var probe = Recorder<Void>()

    /// The pause before the next look: looks that come too often occupy those that are awaited.
    package private(set) var pause = Duration.milliseconds(1)

    /// - Parameter start: Starts a task of the pool.
    package init(
        _ limit: Duration,
        now: @escaping () -> ContinuousClock.Instant = { .now },
        start: @escaping (@escaping @Sendable () -> Void) -> Void = { body in Task.detached { body() } }
    ) {
        left = limit
        last = now()
        end = last + limit * 10
        self.now = now
        self.start = start
        startProbe()
    }

    /// Looks, and takes the time since the last look from the time that is left.
    package mutating func look<Value>(_ body: () throws -> Value) rethrows -> Value {
        let begin = now()
        if probe.count > 0 {
            left -= min(begin - last, .milliseconds(50))
            startProbe()
        }
        defer {
            last = now()
            left -= last - begin
            pause = min(pause * 1.25, .milliseconds(10))
        }
        return try body()
    }

    package var isOver: Bool { left <= .zero || now() >= end }

    /// Starts a task that leaves a mark when it runs.
    private mutating func startProbe() {
        let mark = Recorder<Void>()
        start { mark.record(()) }
        probe = mark
    }
}

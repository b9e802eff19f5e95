import Foundation

/// Which time is measured.
enum Stopwatch {
    /// The time that passes.
    case wall
    /// The processor time of the measuring thread: what waits for a core or sleeps costs nothing.
    case processor

    /// The time since some fixed moment.
    var now: Duration {
        var time = timespec()
        // Cannot fail: both clocks exist on Linux and on Apple systems, and the pointer is valid.
        clock_gettime(clock, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    private var clock: clockid_t {
        switch self {
        case .wall: CLOCK_MONOTONIC
        case .processor: CLOCK_THREAD_CPUTIME_ID
        }
    }
}

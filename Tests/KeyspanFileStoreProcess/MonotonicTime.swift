/// The time since some moment that is the same for all processes.
enum MonotonicTime {
    /// It, in nanoseconds.
    static var now: Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec)
    }
}

#if Etcd
/// The growing pauses between attempts, with chance in them so that the clients of a cluster do not come back all at once.
struct Backoff: Sendable {
    /// The pause after the first failure, before chance shortens it.
    let first: Duration
    /// The longest pause.
    let longest: Duration
    private var failures = 0

    /// Makes the pauses of a series of attempts.
    init(first: Duration = .milliseconds(50), longest: Duration = .seconds(5)) {
        self.first = first
        self.longest = longest
    }

    /// The pause before the next attempt: of the next doubled length, a random part between a half and the whole.
    mutating func next() -> Duration {
        let whole = min(first * (1 << min(failures, 16)), longest)
        failures += 1
        return whole * Double.random(in: 0.5...1)
    }

    /// Begins anew with the first pause, after a success.
    mutating func reset() {
        failures = 0
    }
}
#endif

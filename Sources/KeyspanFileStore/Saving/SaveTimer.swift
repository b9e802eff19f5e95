/// Runs a piece of work later, on a thread of its own.
package protocol SaveTimer: Sendable {
    /// Runs the work once, not before the delay is over, and not on the calling thread.
    func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void)
}

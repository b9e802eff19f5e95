import KeyspanCore

/// Lets events gather that follow one another closely.
///
/// A single event is dealt with at once. While many processes write one file, each of their writes would wake all the others,
/// and waking 60 processes costs more than the write.
final class EventPace: Sendable {
    private let last: Locked<LockPatience.Instant?> = Locked(nil)

    /// The longest time between events that follow one another closely.
    private static let rush = Duration.milliseconds(8)
    /// How long events gather then.
    private static let pause = Duration.milliseconds(20)

    /// Called when events have been dealt with; stops the thread that reads the next ones if they come in a rush.
    func pauseInRush() {
        let now = LockPatience.now
        let previous = last.withLock { last in
            defer { last = now }
            return last
        }
        guard let previous, previous.duration(to: now) < Self.rush else { return }
        LockPatience.stopThread(for: Self.pause)
        // The events that have gathered belong to the same rush.
        last.withLock { $0 = LockPatience.now }
    }
}

/// Divides the use of a lock that several processes want into turns of some milliseconds.
///
/// The kernel wakes the next process when a lock is released, but gives the lock to whoever asks first, which is often the
/// process that has just released it, because it is running. Within a turn that is welcome: on a busy machine, waking a
/// process takes longer than writing a batch. But it must come to an end, or the others would wait forever. So a process
/// that had to wait for the lock, and therefore knows that others want it, pauses when its turn is over.
struct LockTurns: Sendable {
    /// When this process got the lock after it had to wait; `nil` if it did not have to, or if nobody took it in a pause.
    private var begin: LockPatience.Instant?
    private var release: LockPatience.Instant?

    /// Long enough for some batches, and short enough for dozens of processes to have their turn within the lock's time limit.
    private static let length = Duration.milliseconds(20)
    /// Long enough for the next process to be woken on a busy machine.
    ///
    /// It is lost only if no other process waits any more.
    private static let pause = Duration.milliseconds(10)

    /// How long to wait before asking for the lock.
    func pause(at now: LockPatience.Instant) -> Duration {
        guard let begin, let release, begin.duration(to: release) >= Self.length else { return .zero }
        return max(Self.pause - release.duration(to: now), .zero)
    }

    /// The lock was taken.
    ///
    /// - Parameters:
    ///   - hasWaited: Whether another process had it.
    ///   - hasPaused: Whether others could have taken it before.
    mutating func lockWasTaken(afterWait hasWaited: Bool, afterPause hasPaused: Bool, at now: LockPatience.Instant) {
        if hasWaited {
            begin = now
        } else if hasPaused {
            begin = nil
        }
        release = nil
    }

    /// The lock was released.
    mutating func lockWasReleased(at now: LockPatience.Instant) {
        if release == nil { release = now }
    }
}

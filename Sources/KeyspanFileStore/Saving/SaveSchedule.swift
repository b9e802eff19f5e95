/// Decides when a table is saved, as a value without clock, thread or disk.
///
/// The first unsaved change starts a timer; later ones do not move it, so a change waits no longer than the delay,
/// however many follow. After a failure the timer is set again with a growing delay. States of the table are known by
/// their generation.
///
/// While a change is unsaved, a timer is set or a save is running.
package struct SaveSchedule: Sendable {
    /// A call of the timer that has to be arranged.
    package struct Timer: Sendable, Hashable {
        /// Which one; a later timer makes it void.
        package let ticket: UInt64
        /// How long from now.
        package let delay: Duration
    }

    /// The latest generation that is on the disk.
    package private(set) var savedGeneration: UInt64

    private let delay: Duration
    private let patience: Int
    private var isPendingUrgent = false
    private var pending: UInt64?
    private var lastTicket: UInt64 = 0
    private var failures = 0
    private var lastFailure: FileStoreError?

    /// The longest time between two attempts of a save that fails, unless the delay itself is longer.
    package static let maximumRetryDelay = Duration.seconds(30)
    private static let minimumRetryDelay = Duration.milliseconds(100)

    /// Makes a schedule.
    ///
    /// - Parameters:
    ///   - savedGeneration: The generation that is on the disk now.
    ///   - delay: How long a change may wait.
    ///   - patience: How many failures are no news that come from someone else who is writing the file.
    package init(savedGeneration: UInt64, delay: Duration, patience: Int = 0) {
        self.savedGeneration = savedGeneration
        self.patience = patience
        self.delay = max(delay, .zero)
    }

    /// The table has reached a generation.
    ///
    /// - Parameters:
    ///   - generation: The generation.
    ///   - isUrgent: Whether it must not wait; it waits after a failure all the same.
    /// - Returns: The timer to set, if that is unsaved and none is set that is soon enough.
    package mutating func tableDidChange(to generation: UInt64, isUrgent: Bool = false) -> Timer? {
        guard generation > savedGeneration else { return nil }
        if pending == nil { return makeTimer(after: isUrgent ? .zero : delay, isUrgent: isUrgent) }
        guard isUrgent, !isPendingUrgent, failures == 0 else { return nil }
        return makeTimer(after: .zero, isUrgent: true)
    }

    /// A timer has run out.
    ///
    /// - Returns: Whether to save now; not if the timer has become void.
    package mutating func timerDidFire(_ ticket: UInt64) -> Bool {
        guard pending == ticket else { return false }
        pending = nil
        return true
    }

    /// A generation is on the disk.
    ///
    /// ``tableDidChange(to:)`` follows, because a timer with a grown delay is void now.
    package mutating func saveDidSucceed(_ generation: UInt64) {
        savedGeneration = max(savedGeneration, generation)
        lastFailure = nil
        guard failures > 0 else { return }
        failures = 0
        pending = nil
    }

    /// A save in the background failed.
    ///
    /// - Returns: The timer to set, if none is; and whether the failure is another one than the last, to be reported.
    package mutating func saveDidFail(_ error: FileStoreError) -> (retry: Timer?, isNews: Bool) {
        failures += 1
        let isAwaited = (error.step == .parse || error.isSuperseded) && failures <= patience
        let isNews = !isAwaited && lastFailure.map { !$0.isSameFailure(as: error) } ?? true
        if !isAwaited { lastFailure = error }
        guard pending == nil else { return (nil, isNews) }
        return (makeTimer(after: retryDelay), isNews)
    }

    /// A save that a caller waited for failed; the same failure in the background is no news after that.
    package mutating func callerWasTold(_ error: FileStoreError) {
        lastFailure = error
    }

    private var retryDelay: Duration {
        let grown = Self.minimumRetryDelay * (1 << min(failures, 16))
        return max(delay, min(grown, Self.maximumRetryDelay))
    }

    private mutating func makeTimer(after delay: Duration, isUrgent: Bool = false) -> Timer {
        lastTicket += 1
        isPendingUrgent = isUrgent
        pending = lastTicket
        return Timer(ticket: lastTicket, delay: delay)
    }
}

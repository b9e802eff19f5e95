/// Decides when a table is saved, as a value without clock, thread or disk.
///
/// The first unsaved change starts a timer; later ones do not move it, so a change waits no longer than the delay,
/// however many follow. After a failure the timer is set again with a growing delay. States of the table are known by
/// their generation.
///
/// While a change is unsaved, a timer is pending or a save is running. The schedule keeps this promise by itself: each
/// method that voids a timer returns its successor, so no caller can forget to set one.
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
    /// The latest generation that the table has reached.
    private var latestGeneration: UInt64
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
        latestGeneration = savedGeneration
        self.patience = patience
        self.delay = max(delay, .zero)
    }

    /// The table has reached a generation.
    ///
    /// - Parameters:
    ///   - generation: The generation.
    ///   - isUrgent: Whether it must not wait; it waits after a failure all the same.
    ///   - pause: How long it waits at least, if no timer is set yet.
    /// - Returns: The timer to set, if that is unsaved and none is set that is soon enough.
    package mutating func tableDidChange(
        to generation: UInt64,
        isUrgent: Bool = false,
        after pause: Duration = .zero
    ) -> Timer? {
        latestGeneration = max(latestGeneration, generation)
        guard generation > savedGeneration else { return nil }
        if pending == nil { return makeTimer(after: isUrgent ? .zero : max(delay, pause), isUrgent: isUrgent) }
        guard isUrgent, !isPendingUrgent, failures == 0 else { return nil }
        return makeTimer(after: .zero, isUrgent: true)
    }

    /// A timer has run out.
    ///
    /// - Returns: Whether to save now; not if the timer has become void, or if everything was saved meanwhile.
    package mutating func timerDidFire(_ ticket: UInt64) -> Bool {
        guard pending == ticket else { return false }
        pending = nil
        return isBehind
    }

    /// A generation is on the disk.
    ///
    /// A timer with a delay that has grown with failures is void now.
    ///
    /// - Returns: The timer to set in its place, if the table has changed again in the meantime.
    package mutating func saveDidSucceed(_ generation: UInt64) -> Timer? {
        if failures > 0 { return anotherDidSave(generation) }
        note(saved: generation)
        return nil
    }

    /// Another process has done what the timer was set for, up to a generation; what came after that waits anew.
    ///
    /// - Returns: The timer to set in place of the one that was pending, if something came after that.
    package mutating func anotherDidSave(_ generation: UInt64) -> Timer? {
        note(saved: generation)
        (failures, pending) = (0, nil)
        return isBehind ? makeTimer(after: delay) : nil
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

    /// Whether the table has something that is not on the disk.
    private var isBehind: Bool { latestGeneration > savedGeneration }

    private mutating func note(saved generation: UInt64) {
        savedGeneration = max(savedGeneration, generation)
        lastFailure = nil
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

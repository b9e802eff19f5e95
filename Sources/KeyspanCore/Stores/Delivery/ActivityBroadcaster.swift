internal import Synchronization

/// A store that reports its activity through a broadcaster.
package protocol ActivityBroadcasting: ActivityReporting {
    /// The broadcaster, which all stores of one source in this process share.
    var activity: ActivityBroadcaster { get }
}

extension ActivityBroadcasting {
    public func observeActivity(_ receive: @escaping @Sendable (StoreActivity) -> Void) -> StoreObservation {
        activity.observe(receive)
    }

    public var contentsStatus: ContentsStatus { activity.status }
}

/// Passes on what a store does with its source, and knows since when its contents are good.
///
/// Activity is noted under any lock of the store, and delivered without one.
package final class ActivityBroadcaster: Sendable {
    private struct State {
        var observers: [UInt64: @Sendable (StoreActivity) -> Void] = [:]
        var lastObserver: UInt64 = 0
        /// The activities to deliver, each with the number of the last observer at that time.
        var pending: [(activity: StoreActivity, lastObserver: UInt64)] = []
        var isDelivering = false
        /// When the source was last read as a whole, if its version was neither accepted nor rejected since.
        var unjudgedReading: ContinuousClock.Instant?
        var lastGood: ContinuousClock.Instant? = ContinuousClock.now
        var staleSince: ContinuousClock.Instant?
        /// The time of readings whose values have not taken effect yet.
        var readingTime = Duration.zero

        /// Takes what was noted, and the observers in the order of their registration.
        mutating func beginDelivery() -> (activities: [(StoreActivity, lastObserver: UInt64)], observers: [UInt64])? {
            if isDelivering || pending.isEmpty { return nil }
            defer { (pending, isDelivering) = ([], true) }
            return (pending, observers.keys.sorted())
        }

        mutating func note(_ activity: StoreActivity) {
            pending.append((activity, lastObserver))
        }

        /// Forgets what only an observer would have received.
        mutating func forget() {
            (pending, readingTime) = ([], .zero)
        }
    }

    private let state = Locked(State())
    private let observerCount = Atomic(0)

    /// Makes a broadcaster without observers, for contents that were just read.
    package init() {}

    /// The present time, if anyone observes how long things take; one atomic load if not.
    package var start: ContinuousClock.Instant? {
        observerCount.load(ordering: .relaxed) > 0 ? ContinuousClock.now : nil
    }

    /// Registers an observer.
    package func observe(_ receive: @escaping @Sendable (StoreActivity) -> Void) -> StoreObservation {
        let number = state.withLock { state in
            state.lastObserver += 1
            state.observers[state.lastObserver] = receive
            observerCount.store(state.observers.count, ordering: .relaxed)
            return state.lastObserver
        }
        return StoreObservation { [weak self] in
            guard let self else { return }
            let removed = state.withLock { state in
                defer {
                    observerCount.store(state.observers.count, ordering: .relaxed)
                    if state.observers.isEmpty { state.forget() }
                }
                return state.observers.removeValue(forKey: number)
            }
            // Released after the lock, because an observer may hold anything.
            withExtendedLifetime(removed) {}
        }
    }

    /// Notes activity until ``deliver()``, if there are observers.
    package func note(_ activity: @autoclosure () -> StoreActivity) {
        guard observerCount.load(ordering: .relaxed) > 0 else { return }
        let activity = activity()
        state.withLock { $0.note(activity) }
    }

    /// Delivers the noted activities to the observers, unless another thread or a caller of this one does; called without any lock.
    package func deliver() {
        guard observerCount.load(ordering: .relaxed) > 0 else { return }
        while let (activities, observers) = state.withLock({ $0.beginDelivery() }) {
            OperationScope.leave {
                for (activity, lastObserver) in activities {
                    for number in observers where number <= lastObserver {
                        // A canceled observer receives nothing more.
                        state.withLock { $0.observers[number] }?(activity)
                    }
                }
            }
            state.withLock { $0.isDelivering = false }
        }
    }
}

// MARK: - The status of the contents

extension ActivityBroadcaster {
    /// How the contents stand to the source.
    package var status: ContentsStatus {
        state.withLock { ContentsStatus(lastGood: $0.lastGood, staleSince: $0.staleSince) }
    }

    /// Notes that the source was read, before its version is accepted.
    ///
    /// - Parameters:
    ///   - isWhole: Whether the present version was read, and not only a part of the source that can be read without it.
    ///   - start: When the reading began, if it found values that take effect later and anyone observes that.
    package func noteReading(ofWhole isWhole: Bool = true, since start: ContinuousClock.Instant? = nil) {
        let now = ContinuousClock.now
        state.withLock { state in
            if isWhole { state.unjudgedReading = now }
            if let start { state.readingTime += start.duration(to: now) }
        }
    }

    /// Notes that all that was read is in effect.
    package func noteAcceptance() {
        state.withLock { state in
            state.readingTime = .zero
            guard let reading = state.unjudgedReading else { return }
            (state.lastGood, state.staleSince, state.unjudgedReading) = (reading, nil, nil)
        }
    }

    /// Notes that the present version of the source is not in effect.
    ///
    /// - Parameters:
    ///   - isFirst: Whether no version was ever in effect.
    ///   - age: How long ago the contents were last known to be up to date.
    package func noteStaleness(ofFirstVersion isFirst: Bool = false, age: Duration = .zero) {
        let start = ContinuousClock.now - age
        state.withLock { state in
            (state.staleSince, state.unjudgedReading) = (state.staleSince ?? start, nil)
            state.readingTime = .zero
            if isFirst { state.lastGood = nil }
        }
    }

    /// Reads a source that is read as a whole, and notes what that led to; called without any lock.
    ///
    /// - Parameter read: Reads the source and lets its values take effect, and returns whether they are others than before, and whether
    ///   all of them are in effect.
    package func measureReading<Failure: Error>(
        _ read: () throws(Failure) -> (isChange: Bool, isComplete: Bool)
    ) throws(Failure) {
        let start = start
        do throws(Failure) {
            let (isChange, isComplete) = try read()
            noteReading()
            if isComplete { noteAcceptance() } else { noteStaleness() }
            if isChange { noteReload(since: start) }
        } catch {
            noteStaleness()
            throw error
        }
        deliver()
    }

    /// Notes that values of others have taken effect.
    ///
    /// - Parameter start: When their admission began, if anyone observes that.
    package func noteReload(since start: ContinuousClock.Instant?) {
        guard let start else { return }
        let now = ContinuousClock.now
        state.withLock { state in
            state.note(.reloaded(duration: state.readingTime + start.duration(to: now)))
            state.readingTime = .zero
        }
    }
}

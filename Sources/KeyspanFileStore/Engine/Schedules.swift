package import KeyspanCore

/// The work that an engine does without being asked.
package enum BackgroundWork: Sendable, Hashable, CaseIterable {
    /// Writing this process's pending writes to the file or its journal.
    case save
    /// Bringing the journal's records into the file.
    case checkpoint
    /// Reading what other processes wrote.
    case refresh
}

/// Runs background work on threads of its own.
package protocol WorkQueue: Sendable {
    /// Runs the work once, not before the delay is over, and not on the calling thread.
    func run(after delay: Duration, _ work: @escaping @Sendable () -> Void)
}

extension BlockingQueue: WorkQueue {}

/// Decides when one kind of work runs, as a value without clock, thread or disk.
///
/// Requests are numbered. The first request that is not completed arranges a run; later ones do not move it, so a request
/// waits no longer than the delay, however many follow. After a failure the work is arranged again with a growing delay.
///
/// While a request is not completed, a run is arranged or under way. The schedule keeps this promise by itself: each method
/// that voids a run returns its successor, so no caller can forget to arrange one.
package struct WorkSchedule: Sendable {
    /// A run that the caller must arrange.
    package struct Run: Sendable, Hashable {
        /// Identifies the run; a later run voids it.
        package let ticket: UInt64
        /// How long from now the run begins.
        package let delay: Duration
    }

    /// The number of the latest request that is completed.
    package private(set) var completed: UInt64

    private let delay: Duration
    private let patience: Int
    private var isArrangedUrgently = false
    /// Whether the arranged run is one after a failure, whose delay has grown.
    private var isRetry = false
    private var arranged: UInt64?
    /// The number of the latest request.
    private var requested: UInt64
    private var lastTicket: UInt64 = 0
    private var failures = 0
    private var lastFailure: FileStoreError?

    /// The longest time between two attempts of work that fails, unless the delay itself is longer.
    package static let maximumRetryDelay = Duration.seconds(30)
    private static let minimumRetryDelay = Duration.milliseconds(100)
    /// The longest time between a request with news and the next attempt of work that fails.
    private static let maximumNewsDelay = Duration.milliseconds(500)

    /// Makes a schedule.
    ///
    /// - Parameters:
    ///   - completed: The number of the latest request that is completed now.
    ///   - delay: How long a request may wait.
    ///   - patience: How many failures caused by another writer to tolerate before reporting one.
    package init(completed: UInt64, delay: Duration, patience: Int = 0) {
        self.completed = completed
        requested = completed
        self.patience = patience
        self.delay = max(delay, .zero)
    }

    /// Notes a request.
    ///
    /// - Parameters:
    ///   - number: The number of the request.
    ///   - isUrgent: Whether it must not wait; it waits after a failure nevertheless.
    ///   - hasNews: Whether the cause of a failure may be gone, so that the next attempt need not wait long.
    ///   - pause: How long it waits at least, if no run is arranged yet.
    /// - Returns: The run to arrange; `nil` if the request is completed or a run is arranged that is soon enough.
    package mutating func request(
        _ number: UInt64,
        isUrgent: Bool = false,
        hasNews: Bool = false,
        after pause: Duration = .zero
    ) -> Run? {
        requested = max(requested, number)
        guard number > completed else { return nil }
        if arranged == nil { return arrange(after: isUrgent ? .zero : max(delay, pause), isUrgent: isUrgent) }
        if isRetry, hasNews, retryDelay > Self.maximumNewsDelay {
            return arrange(after: max(delay, Self.maximumNewsDelay))
        }
        guard isUrgent, !isArrangedUrgently, failures == 0 else { return nil }
        return arrange(after: .zero, isUrgent: true)
    }

    /// Notes that an arranged run begins.
    ///
    /// - Returns: Whether to do the work now; `false` if the run is void or everything was completed meanwhile.
    package mutating func begin(_ ticket: UInt64) -> Bool {
        guard arranged == ticket else { return false }
        arranged = nil
        return isBehind
    }

    /// Notes that the work is completed up to a request.
    ///
    /// This voids a run whose delay has grown with failures.
    ///
    /// - Returns: The run to arrange in its place, if there were requests in the meantime.
    package mutating func complete(_ number: UInt64) -> Run? {
        if failures > 0 { return completeElsewhere(number) }
        note(completed: number)
        return nil
    }

    /// Notes that another process has done the work up to a request; later requests wait anew.
    ///
    /// - Returns: The run to arrange in place of the present one, if there are later requests.
    package mutating func completeElsewhere(_ number: UInt64) -> Run? {
        note(completed: number)
        (failures, arranged) = (0, nil)
        return isBehind ? arrange(after: delay) : nil
    }

    /// Notes that the work failed in the background.
    ///
    /// - Returns: The run to arrange, if none is; and whether the failure differs from the last one and must be reported.
    package mutating func fail(_ error: FileStoreError) -> (retry: Run?, mustReport: Bool) {
        failures += 1
        let isTolerated = (error.step == .parse || error.isSuperseded) && failures <= patience
        let mustReport = !isTolerated && lastFailure.map { !$0.isSameFailure(as: error) } ?? true
        if !isTolerated { lastFailure = error }
        guard arranged == nil else { return (nil, mustReport) }
        return (arrange(after: retryDelay, isRetry: true), mustReport)
    }

    /// Notes a failure that was thrown to a caller; the same failure in the background is not reported after that.
    package mutating func noteThrown(_ error: FileStoreError) {
        lastFailure = error
    }

    private var isBehind: Bool { requested > completed }

    private mutating func note(completed number: UInt64) {
        completed = max(completed, number)
        lastFailure = nil
    }

    private var retryDelay: Duration {
        let grown = Self.minimumRetryDelay * (1 << min(failures, 16))
        return max(delay, min(grown, Self.maximumRetryDelay))
    }

    private mutating func arrange(after delay: Duration, isUrgent: Bool = false, isRetry: Bool = false) -> Run {
        lastTicket += 1
        self.isRetry = isRetry
        isArrangedUrgently = isUrgent
        arranged = lastTicket
        return Run(ticket: lastTicket, delay: delay)
    }
}

/// The schedules of an engine: one for each kind of work.
///
/// Saves are numbered by the ``WriteLedger``, checkpoints and refreshes here.
package struct WorkSchedules: Sendable {
    private var save: WorkSchedule
    private var checkpoint: WorkSchedule
    private var refresh: WorkSchedule
    /// When unsaved writes become visible to other processes.
    var publication = PublicationSchedule()
    /// The number of the latest request of a checkpoint.
    package private(set) var checkpointRequest: UInt64 = 0
    /// The number of the latest request of a refresh.
    package private(set) var refreshRequest: UInt64 = 0
    /// Whether all refreshes since the last look at the file were requested because the journal was written to.
    private(set) var followsAppends = true
    /// Whether the next refresh waits for ``EventResponse/restDuration``.
    private(set) var isResting = false
    /// When a refresh was requested last.
    private var lastRefreshRequest: LockPatience.Instant?
    /// Whether the last look at the file preceded a write by this process.
    ///
    /// The next write also reads what others wrote. So the first refresh after a write waits: otherwise each batch of one process
    /// would make all others queue for the lock in order to read.
    private var isWriting = false

    /// How many attempts to parse a file fail before the failure is reported.
    ///
    /// Another program may still be writing it. With growing intervals that is about three seconds.
    private static let patience = 4

    /// Makes schedules for a file that has just been read.
    package init(_ options: FileStoreOptions) {
        save = WorkSchedule(completed: 0, delay: options.saveDelay)
        checkpoint = WorkSchedule(completed: 0, delay: options.checkpointDelay, patience: Self.patience)
        refresh = WorkSchedule(completed: 0, delay: .zero, patience: Self.patience)
    }

    /// The schedule of one kind of work.
    package subscript(work: BackgroundWork) -> WorkSchedule {
        get {
            switch work {
            case .save: save
            case .checkpoint: checkpoint
            case .refresh: refresh
            }
        }
        set {
            switch work {
            case .save: save = newValue
            case .checkpoint: checkpoint = newValue
            case .refresh: refresh = newValue
            }
        }
    }

    /// Requests a checkpoint, because the journal has records that the file lacks.
    ///
    /// - Parameter isUrgent: Whether the journal has become so large that the checkpoint must not wait.
    /// - Returns: The run to arrange, if none is.
    package mutating func requestCheckpoint(isUrgent: Bool) -> WorkSchedule.Run? {
        checkpointRequest += 1
        return checkpoint.request(checkpointRequest, isUrgent: isUrgent)
    }

    /// Requests a refresh, because another process may have changed the file.
    ///
    /// - Parameters:
    ///   - isAppend: Whether only the journal was written to.
    ///   - now: The current instant.
    /// - Returns: The run to arrange, if none is.
    package mutating func requestRefresh(
        afterAppend isAppend: Bool = false,
        at now: LockPatience.Instant
    ) -> WorkSchedule.Run? {
        let isRush = lastRefreshRequest.map { $0.duration(to: now) < EventResponse.restDuration } ?? false
        refreshRequest += 1
        lastRefreshRequest = now
        if !isAppend { followsAppends = false }
        isResting = isWriting || isRush
        return refresh.request(
            refreshRequest,
            hasNews: !isAppend,
            after: isResting ? EventResponse.restDuration : .zero
        )
    }

    /// Notes that the file has been read up to a request, by a refresh or before a write.
    ///
    /// - Returns: The run to arrange, if there was another request in the meantime.
    package mutating func completeRefresh(_ request: UInt64, toWrite isWriting: Bool) -> WorkSchedule.Run? {
        self.isWriting = isWriting
        if request == refreshRequest { followsAppends = true }
        return refresh.complete(request)
    }
}

#if Remote
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
@_spi(StoreAuthors) internal import KeyspanCore

/// The time of a store, which tests let pass.
struct RemoteClock: Sendable {
    /// The date, for the times of documents.
    var date: @Sendable () -> Date = { Date() }
    /// The time by which pauses and silence are measured.
    var now: @Sendable () -> ContinuousClock.Instant = { .now }
    /// Returns at a time, or before if the task is canceled.
    var sleep: @Sendable (_ end: ContinuousClock.Instant) async -> Void = { end in
        try? await Task.sleep(until: end, clock: .continuous)
    }
}

/// The work of a ``RemoteStore``: takes messages, keeps them in the cache, and lets their values come into force.
final class RemoteEngine: Sendable {
    /// The parameters that only tests choose.
    struct Parameters: Sendable {
        var clock = RemoteClock()
        /// The longest pause after the first failure.
        var firstRetry = Duration.seconds(5)
        /// The longest pause of all.
        var longestRetry = Duration.seconds(600)
        /// The longest time that a response with the document may take in all.
        var requestLimit = Duration.seconds(300)
    }

    struct State: Sendable {
        /// The version in force.
        var active: RemoteVersion?
        /// The latest version of the server that this client has taken.
        var fetched: RemoteVersion?
        /// The number of versions that were fetched in this run.
        var fetchedCount = 0
        /// Whether the server has refused a request because of its tag.
        var isTagRefused = false
        /// When the server last proved that the fetched version is the present one.
        var lastProof: Date?
        var lastError: RemoteStoreError?
        /// The kinds of failures that were reported since the last success.
        var reported: Set<RemoteStoreError.Kind> = []
        /// Whether the cache cannot be written, which was reported.
        var isCacheFailing: Bool
        /// Whether the program wants a stream, and whether there is one that has brought an event.
        var wantsStream: Bool
        var isStreaming = false
        var stream: OpenStream?
        var streamCount = 0
        /// Whether a failure of the stream was reported since the last event.
        var isStreamReported = false
        /// The time over which the clients of the server spread.
        var lastSpread = Duration.zero
        /// The task that follows the server, and its present sleep.
        var loop: Task<Void, Never>?
        var sleep: Task<Void, Never>?
        /// When the next request is due, and the reason for an earlier one.
        var nextRequest: ContinuousClock.Instant?
        var hint: RemoteHint?
        /// The number of requests because of events that have brought nothing, one after the other.
        var vainHints = 0
        /// The time before which the server wants no request.
        var notBefore: ContinuousClock.Instant?
        /// The requests under way, by numbers that rise.
        var requests: [Int: PendingRequest] = [:]
        var requestCount = 0
        /// When the server last assigned a group to the client, and whether it was reported that it does not.
        var assigned: ContinuousClock.Instant?
        var isAssignmentFailing = false
        /// When the document was last asked for.
        var lastRequest: ContinuousClock.Instant?
        /// The pauses that the server has asked for in place of an answer, and of a stream.
        var retryAfter, streamRetryAfter: Duration?
        /// The time for which the server wants its last answer to be used.
        var maximumAge: Duration?
        var isClosed = false
    }

    let name: String
    let endpoint: RemoteEndpoint
    let verifier: DocumentVerifier
    let options: RemoteStoreOptions
    let parameters: Parameters
    let transport: any RemoteTransport
    let cache: RemoteCache?
    let contents = CommittedTable([:])
    let activity = ActivityBroadcaster()
    /// The calls of rules and bridges.
    let examination = Examination()
    let state: Locked<State>
    /// Exchanged as a whole when values come into force, so that an older version never replaces a newer one.
    let reading: Locked<RemoteReading>

    init(
        _ endpoint: RemoteEndpoint,
        _ verifier: DocumentVerifier,
        _ keys: PublishedKeys,
        cache path: String?,
        _ options: RemoteStoreOptions,
        _ transport: any RemoteTransport,
        _ parameters: Parameters
    ) {
        (name, self.endpoint, self.verifier, self.options) = (endpoint.name, endpoint, verifier, options)
        (self.transport, self.parameters) = (transport, parameters)
        cache = path.flatMap { RemoteCache($0, of: endpoint.name) }
        var state = State(isCacheFailing: path != nil && cache == nil, wantsStream: options.isLive)
        if options.polling != .manually || options.isLive { state.nextRequest = parameters.clock.now() }
        self.state = Locked(state)
        reading = Locked(RemoteReading(of: keys, store: endpoint.name))
        activity.noteStaleness(ofFirstVersion: true)
        readCache()
    }

    var clock: RemoteClock { parameters.clock }

    /// The group of the client; `nil` before the server has assigned one.
    var group: String? { state.withLock { group(in: $0) } }

    func group(in state: State) -> String? { endpoint.namedGroup ?? state.fetched?.group }

    var status: RemoteStoreStatus {
        // A missed answer makes the values stale, and so does the failure of a request.
        let now = clock.date()
        return state.withLock { state in
            let interval = interval(in: state)
            var status = RemoteStoreStatus()
            status.revision = state.active?.revision
            status.fetchedRevision = state.fetched?.revision
            status.isActivationPending = state.active?.state != state.fetched?.state
            (status.group, status.isLive) = (group(in: state), state.isStreaming)
            (status.lastProof, status.lastError) = (state.lastProof, state.lastError)
            let longest = max(interval ?? .zero, state.maximumAge ?? .zero) * 1.5
            let isLate =
                interval != nil && state.lastProof.map { abs(now.timeIntervalSince($0)) > longest.seconds } ?? false
            if state.lastError != nil || isLate { status.staleSince = state.lastProof }
            status.isExpired = state.active.map { $0.validity.upperBound < now } ?? false
            return status
        }
    }

    /// The words about the origin of the values in force.
    ///
    /// - Parameter kept: The revision of a value that its key keeps, because it refuses the present one.
    func provenanceDetail(kept: Int64?) -> String? {
        let (version, lastProof) = state.withLock { ($0.active, $0.lastProof) }
        guard let version else { return nil }
        if let kept { return "revision \(kept), kept instead of revision \(version.revision)" }
        let age = lastProof.map { clock.date().timeIntervalSince($0) }
        return "revision \(version.revision)" + (age.map { ", \(Self.words(for: $0))" } ?? "")
    }

    private static func words(for age: Double) -> String {
        let seconds = Int(min(max(age, 0), 1e12))
        let units = [(86_400, "day"), (3_600, "hour"), (60, "minute")]
        guard let (size, unit) = units.first(where: { seconds >= $0.0 }) else { return "just now" }
        return "\(seconds / size) \(unit)\(seconds / size == 1 ? "" : "s") ago"
    }
}
#endif

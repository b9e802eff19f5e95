#if Remote || canImport(CryptoKit)
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
@_spi(StoreAuthors) internal import KeyspanCore

/// The work of a ``RemoteStore``: takes messages, keeps them in the cache, and lets their values come into force.
final class RemoteEngine: Sendable {
    /// The parameters that only tests choose.
    struct Parameters: Sendable {
        /// The time of the system's clock.
        var now: @Sendable () -> Date = { Date() }
        /// The clock that measures how long a server is silent.
        var connectionClock = ConnectionClock()
        /// The shortest time between two requests for the document that no one has asked for.
        var minimumInterval = Duration.seconds(60)
        /// The longest pause after the first failure.
        var firstRetry = Duration.seconds(5)
        /// The longest pause of all.
        var longestRetry = Duration.seconds(600)
        /// The longest time that a response with the document may take in all.
        var requestLimit = Duration.seconds(300)
        /// The range of the most messages that are kept of one version.
        var maximumChain = 48...96
    }

    struct State: Sendable {
        /// The version in force.
        var active: RemoteVersion?
        /// The latest version of the server that this client has taken.
        var fetched: RemoteVersion?
        /// The number of versions that were fetched in this run, and of those that the cache has at least.
        var fetchedCount = 0
        var cachedCount = 0
        /// The entity tag of a document with the values of the fetched version.
        var entityTag: String?
        /// When the server last confirmed the fetched version, and when this process last noted it.
        var confirmed: Date?
        var lastContact: ContinuousClock.Instant?
        /// The time of confirmation that the cache has.
        var savedConfirmation: Date?
        var lastError: RemoteStoreError?
        /// The kinds of failures that were reported since the last success.
        var reported: Set<RemoteStoreError.Kind> = []
        /// Whether the cache cannot be written, which was reported.
        var isCacheFailing: Bool

        /// Whether the program wants a stream, and whether there is one.
        var wantsStream: Bool
        var isStreaming = false
        /// Whether the next stream has to begin with the document.
        var needsDocument = false
        /// The task that follows the server, and the end of its present phase.
        var loop: Task<Void, Never>?
        var cancelPhase: (@Sendable () -> Void)?
        /// The requests under way, by numbers that rise.
        var requests: [Int: PendingRequest] = [:]
        var requestCount = 0
        /// When the document was last asked for.
        var lastRequest: ContinuousClock.Instant?
        /// The pause that the server has asked for in place of an answer.
        var retryAfter: Duration?
        /// The time for which the server wants its last answer to be used.
        var maximumAge: Duration?
        var isClosed = false
    }

    let name: String
    let endpoint: RemoteEndpoint
    let verifier: MessageVerifier
    let keys: PublishedKeys
    let options: RemoteStoreOptions
    let parameters: Parameters
    let transport: any RemoteTransport
    let cache: RemoteCache?
    /// The most messages that are kept of one version; then the document is fetched anew.
    ///
    /// The number is random, so that the clients on a stream do not all ask for the document together.
    let maximumChain: Int

    let contents = CommittedTable([:])
    let activity = ActivityBroadcaster()
    /// The calls of rules and bridges.
    let examination = Examination()
    let state: Locked<State>
    /// Exchanged as a whole when values come into force, so that an older version never replaces a newer one.
    let reading: Locked<RemoteReading>

    init(
        endpoint: RemoteEndpoint,
        verifier: MessageVerifier,
        keys: PublishedKeys,
        options: RemoteStoreOptions,
        parameters: Parameters,
        transport: any RemoteTransport,
        cache: RemoteCache?,
        isCacheUnusable: Bool = false
    ) {
        name = endpoint.name
        (self.endpoint, self.verifier, self.keys) = (endpoint, verifier, keys)
        (self.options, self.parameters, self.transport, self.cache) = (options, parameters, transport, cache)
        maximumChain = Int.random(in: parameters.maximumChain)
        state = Locked(State(isCacheFailing: isCacheUnusable, wantsStream: options.isLive))
        reading = Locked(RemoteReading(of: keys, store: endpoint.name))
        activity.noteStaleness(ofFirstVersion: true)
        readCache()
    }

    var status: RemoteStoreStatus {
        state.withLock { state in
            var status = RemoteStoreStatus()
            status.revision = state.active?.position.revision
            status.fetchedRevision = state.fetched?.position.revision
            status.isActivationPending = state.active?.position.state != state.fetched?.position.state
            (status.lastContact, status.lastError) = (state.confirmed, state.lastError)
            status.isLive = state.isStreaming
            return status
        }
    }

    /// The words about the origin of the values in force.
    ///
    /// - Parameter kept: The revision of a value that its key keeps, because it refuses the present one.
    func provenanceDetail(kept: Int64?) -> String? {
        let (version, confirmed) = state.withLock { ($0.active, $0.confirmed) }
        guard let version else { return nil }
        if let kept { return "revision \(kept), kept instead of revision \(version.position.revision)" }
        let age = confirmed.map { parameters.now().timeIntervalSince($0) }
        return "revision \(version.position.revision)" + (age.map { ", \(Self.words(for: $0))" } ?? "")
    }

    private static func words(for age: Double) -> String {
        let seconds = Int(min(max(age, 0), 1e12))
        let units = [(86_400, "day"), (3_600, "hour"), (60, "minute")]
        guard let (size, unit) = units.first(where: { seconds >= $0.0 }) else { return "just now" }
        return "\(seconds / size) \(unit)\(seconds / size == 1 ? "" : "s") ago"
    }
}
#endif

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
        /// The shortest time between two requests for the document that no one has asked for.
        var minimumInterval = Duration.seconds(60)
        /// The longest pause after the first failure.
        var firstRetry = Duration.seconds(5)
        /// The longest pause of all.
        var longestRetry = Duration.seconds(600)
        /// The range of the most messages that are kept of one version.
        var maximumChain = 48...96
    }

    struct State: Sendable {
        /// The version in force.
        var active: RemoteVersion?
        /// The latest version of the server that this client has taken.
        var fetched: RemoteVersion?
        /// The entity tag of the fetched version, if it is a document as it was received.
        var entityTag: String?
        /// When the server last confirmed the fetched version.
        var confirmed: Date?
        var lastError: RemoteStoreError?
        /// The kinds of failures that were reported since the last success.
        var reported: Set<RemoteStoreError.Kind> = []
        /// Whether it was reported that the cache fails.
        var isCacheFailing = false

        /// Whether the program wants a stream, and whether there is one.
        var wantsStream: Bool
        var isStreaming = false
        /// Whether the next stream has to begin with the document.
        var needsDocument = false
        /// The task that follows the server, its present phase, and the request that callers share.
        var loop: Task<Void, Never>?
        var phase: Task<Void, Never>?
        var request: Task<Result<Bool, RemoteStoreError>, Never>?
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
    private let maximumChain: Int

    let contents = CommittedTable([:])
    let activity = ActivityBroadcaster()
    let state: Locked<State>
    /// Held while values come into force, so that an older version never replaces a newer one.
    private let reading: Locked<RemoteReading>

    init(
        endpoint: RemoteEndpoint,
        verifier: MessageVerifier,
        keys: PublishedKeys,
        options: RemoteStoreOptions,
        parameters: Parameters,
        transport: any RemoteTransport,
        cache: RemoteCache?
    ) {
        name = endpoint.name
        (self.endpoint, self.verifier, self.keys) = (endpoint, verifier, keys)
        (self.options, self.parameters, self.transport, self.cache) = (options, parameters, transport, cache)
        maximumChain = Int.random(in: parameters.maximumChain)
        state = Locked(State(wantsStream: options.isLive))
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
    var provenanceDetail: String? {
        let (version, confirmed) = state.withLock { ($0.active, $0.confirmed) }
        guard let version else { return nil }
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

// MARK: - Taking messages

extension RemoteEngine {
    /// The effect of a message.
    enum Outcome {
        /// There are other values than before.
        case new
        /// The client has these values already.
        case known
        /// The message is a change of values that the client does not have.
        case needsDocument
    }

    /// Takes a message, and lets its values come into force if they may.
    ///
    /// - Parameters:
    ///   - bytes: The text of the message.
    ///   - entityTag: The entity tag of the response, for the next request.
    func take(_ bytes: [UInt8], entityTag: String? = nil) async throws(RemoteStoreError) -> Outcome {
        let now = parameters.now()
        let message = try verifier.message(bytes, at: now)
        // An event has no line feed at its end, and the cache needs one.
        let bytes = bytes.last == UInt8(ascii: "\n") ? bytes : bytes + [UInt8(ascii: "\n")]
        let revision = message.revision
        let (outcome, refused) = state.withLock { state -> (Outcome, RemoteStoreError?) in
            var version: RemoteVersion
            let isSame = state.fetched?.position.state == message.state
            if message.kind == .document {
                if let known = state.fetched?.position.revision, revision < known {
                    // Another server can have numbered the same values a little earlier.
                    return (.known, isSame ? nil : .olderRevision(revision, than: known, store: name))
                }
                version = RemoteVersion(document: message, bytes, entries: keys.entries)
                state.entityTag = entityTag
                state.needsDocument = false
            } else {
                guard let fetched = state.fetched else { return (.needsDocument, nil) }
                if isSame || revision <= fetched.position.revision { return (.known, nil) }
                guard let changed = fetched.applying(message, bytes, entries: keys.entries),
                    changed.size <= 2 * options.maximumSize, changed.messages.count <= maximumChain
                else { return (.needsDocument, nil) }
                version = changed
                state.entityTag = nil
            }
            state.fetched = version
            // The values in force are the same, so that their revision can rise with this.
            if state.active?.position.state == message.state { state.active = version }
            return (isSame ? .known : .new, nil)
        }
        if let refused { throw refused }
        if case .needsDocument = outcome { return outcome }
        noteContact(at: now)
        await writeCache()
        if case .new = outcome, options.activation == .immediately { activate(inBackground: true) }
        noteContents()
        return outcome
    }

    /// Notes that the server has confirmed the fetched version, or has sent another one.
    func noteContact(at now: Date) {
        state.withLock { state in
            state.confirmed = now
            state.lastError = nil
            state.reported = []
        }
        activity.noteReading()
    }

    /// Notes and reports a failure, unless one of its kind was reported since the last success.
    func note(_ error: RemoteStoreError) {
        let isNew = state.withLock { state in
            state.lastError = error
            return !state.isClosed && state.reported.insert(error.kind).inserted
        }
        activity.noteStaleness()
        if isNew { Defaults.Problem.storeNotice(name: name, notice: error).report() }
    }

    /// Notes whether the values in force are those of the server.
    func noteContents() {
        let isInForce = state.withLock { $0.active?.position.state == $0.fetched?.position.state }
        if isInForce, reading.withLock({ $0.isComplete }) {
            activity.noteAcceptance()
        } else {
            activity.noteStaleness()
        }
        activity.deliver()
    }
}

// MARK: - Coming into force

extension RemoteEngine {
    /// Lets the fetched values come into force as one change.
    ///
    /// - Parameter isInBackground: Whether other threads call the observers, because this one only brought the values.
    /// - Returns: Whether there were fetched values that were not in force.
    @discardableResult
    func activate(inBackground isInBackground: Bool) -> Bool {
        let start = activity.start
        let (isActivation, isChange, errors) = reading.withLock { reading -> (Bool, Bool, [RemoteStoreError]) in
            let (version, active) = state.withLock { ($0.fetched, $0.active) }
            guard let version, version.position.state != active?.position.state else { return (false, false, []) }
            let errors = reading.read(version)
            let new = reading.table
            var isChange = false
            contents.merge(deliveringInBackground: isInBackground) { table in
                var entries: [PropertyListChange.Entry] = []
                table.forEachDifference(to: new) { key, old, new in
                    entries.append(.init(key: key, old: old, new: new))
                    return true
                }
                table = new
                isChange = !entries.isEmpty
                return entries
            }
            state.withLock { $0.active = version }
            return (true, isChange, errors)
        }
        contents.deliver()
        if isChange { activity.noteReload(since: start) }
        if !errors.isEmpty { activity.note(.rejected) }
        for error in errors { Defaults.Problem.storeNotice(name: name, notice: error).report() }
        return isActivation
    }

    /// Does what ``RemoteStore/activate()`` promises.
    func activateNow() -> Bool {
        guard activate(inBackground: false) else { return false }
        noteContents()
        writeCacheSoon()
        return true
    }
}
#endif

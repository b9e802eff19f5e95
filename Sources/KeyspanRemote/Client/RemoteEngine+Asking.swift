#if Remote
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import HTTPTypes
@_spi(StoreAuthors) internal import KeyspanCore

/// A request for the document that is under way.
struct PendingRequest: Sendable {
    let task: Task<Result<Bool, RemoteStoreError>, Never>
    /// Whether caches have to pass it on to the server.
    let isFresh: Bool
    /// Whether an answer has begun to arrive.
    var isAnswered = false
}

extension RemoteEngine {
    /// The time after which a client with traits asks for its group again.
    private static let assignmentInterval = Duration.seconds(3_600)

    /// Asks for the document, or joins a request that is under way.
    ///
    /// - Parameters:
    ///   - isFresh: Whether the answer has to be that of the server, from now on, and not that of a cache.
    ///   - hint: The event that is the reason.
    /// - Returns: The task with the result: whether there are other values than before.
    func request(isFresh: Bool = false, for hint: RemoteHint? = nil) -> Task<Result<Bool, RemoteStoreError>, Never> {
        state.withLock { state in
            // An answer that has begun may be one from before the event, or from before the call.
            let isAny = !isFresh && hint == nil
            let pending = state.requests.values.first { isAny || (!$0.isAnswered && ($0.isFresh || !isFresh)) }
            if let pending { return pending.task }
            state.requestCount += 1
            let number = state.requestCount
            let task = Task { () -> Result<Bool, RemoteStoreError> in
                let result = await self.ask(number, isFresh: isFresh, for: hint)
                self.state.withLock { $0.requests[number] = nil }
                if case .failure(let error) = result { self.note(error) }
                self.updateStream()
                return result
            }
            state.requests[number] = PendingRequest(task: task, isFresh: isFresh)
            (state.lastRequest, state.retryAfter) = (clock.now(), nil)
            if state.isClosed { task.cancel() }
            return task
        }
    }

    /// Asks for an announced document at its own URL, which caches keep, or for the present one of the client's group;
    /// past caches if they have one that is too old.
    ///
    /// A server that assigns groups is asked for that once an hour, when it says that they have changed, and when the
    /// group is gone.
    private func ask(_ number: Int, isFresh: Bool, for hint: RemoteHint?) async -> Result<Bool, RemoteStoreError> {
        let (assigned, isFirst) = state.withLock { ($0.assigned, $0.lastError == nil) }
        let isAssigned = !isFresh && assigned.map { clock.now() - $0 < Self.assignmentInterval } ?? false
        let known = endpoint.namedGroup ?? (isAssigned ? group : nil)
        if let tag = hint?.tag, let known, let url = endpoint.url(known, tag.text) {
            let result = await ask(number, at: url, of: known, isFresh: false, isAnnounced: true)
            switch result {
            case .success where state.withLock({ $0.has(tag) }): return result
            // The server does not answer a second request either.
            case .failure(let error) where !error.isAnswer: return result
            default: break
            }
        }
        let isPast = isFresh || hint?.tag != nil
        let result = await ask(number, at: known.flatMap { endpoint.url($0) }, of: known, isFresh: isPast)
        guard case .failure(let error) = result else { return result }
        let isGone = error.isAnswer && known != nil && endpoint.namedGroup == nil
        // All clients of a server may have the same failure, and must not ask past the caches each time.
        if isGone || isFirst && !isPast && error.kind == .olderRevision {
            return await ask(number, at: nil, of: endpoint.namedGroup, isFresh: true)
        }
        if known == nil, !error.isAnswer, let group, let url = endpoint.url(group) {
            // A cache can have the document although the server does not answer.
            report(error, once: \.isAssignmentFailing)
            return await ask(number, at: url, of: group, isFresh: isFresh)
        }
        return result
    }

    /// Asks at a URL; by default, at that of the named group, or that which leads to the assigned one.
    private func ask(
        _ number: Int,
        at url: URL?,
        of group: String?,
        isFresh: Bool,
        isAnnounced: Bool = false
    ) async -> Result<Bool, RemoteStoreError> {
        do {
            guard let url = url ?? endpoint.document else { throw RemoteStoreError.redirected }
            let known = isAnnounced ? nil : state.withLock { knownTag(in: $0) }
            let limit = parameters.requestLimit
            let answer = try await IdleWatch.run(limit: options.timeout, total: limit, clock: clock) { watch in
                try await self.load(number, url, of: group, unless: known, isFresh: isFresh, isAnnounced, watch)
            }
            guard let (bytes, found) = answer else {
                // The answer says nothing about what another request has brought meanwhile.
                if state.withLock({ $0.fetched?.tag }) == known { noteProof(isAssignment: group == nil) }
                await bringIntoForce()
                return .success(false)
            }
            let version = try verifier.version(bytes, for: found, at: clock.date())
            return .success(try await take(version, isAssignment: group == nil))
        } catch {
            return .failure(RemoteStoreError(error, store: name))
        }
    }

    /// The tag of the fetched document; `nil` for one that has expired, and needs a new signature.
    private func knownTag(in state: borrowing State) -> DocumentTag? {
        guard let fetched = state.fetched, fetched.validity.upperBound > clock.date(), !state.isTagRefused else {
            return nil
        }
        return fetched.tag
    }

    /// The text of a document and the group at whose URL it is; `nil` if the client has the present one.
    private func load(
        _ number: Int,
        _ url: URL,
        of wanted: String?,
        unless known: DocumentTag?,
        isFresh: Bool,
        _ isAnnounced: Bool,
        _ watch: IdleWatch
    ) async throws -> (bytes: [UInt8], group: String)? {
        var fields: HTTPFields = [.accept: "text/plain"]
        fields[.ifNoneMatch] = known?.entityTag
        fields[.cacheControl] = isFresh ? "no-cache" : nil
        let (head, body, target) = try await send(to: url, fields)
        let group = wanted ?? target.lastPathComponent
        watch.noteActivity()
        noteTimes(of: head, isAnnounced)
        state.withLock { state in
            state.requests[number]?.isAnswered = true
            // The server does not understand the tag, or a cache does not.
            if wanted != nil, [.badRequest, .preconditionFailed].contains(head.status) { state.isTagRefused = true }
            if head.status == .ok { state.isTagRefused = false }
        }
        if head.status == .notModified, known != nil, self.group?.hasSameUTF8(as: group) == true { return nil }
        if head.status == .notModified {
            throw RemoteStoreError.malformed("it says that what was not asked for is unchanged")
        }
        guard head.status == .ok else { throw RemoteStoreError.refused(head.status.code) }
        var bytes: [UInt8] = []
        for try await chunk in body {
            watch.noteActivity()
            bytes += chunk
            if bytes.count > options.maximumSize { throw RemoteStoreError.tooLarge(limit: options.maximumSize) }
        }
        return (bytes, group)
    }

    private func noteTimes(of head: HTTPResponse, _ isAnnounced: Bool) {
        let isSuccess = head.status == .ok || head.status == .notModified
        let retryAfter = RetryFields.retryAfter(head.headerFields[.retryAfter])
        let maximumAge = RetryFields.maximumAge(head.headerFields[.cacheControl])
        state.withLock { state in
            state.retryAfter = isSuccess ? nil : retryAfter
            // Caches keep an announced document until it expires, and the next request is due long before.
            if isSuccess, !isAnnounced { state.maximumAge = maximumAge }
        }
    }

    /// Sends a request, and follows redirects on the same host.
    ///
    /// - Returns: The response, and the URL that has sent it.
    func send(
        to url: URL,
        _ fields: HTTPFields
    ) async throws -> (head: HTTPResponse, body: RemoteTransport.Body, url: URL) {
        var url = url
        for _ in 0...3 {
            guard let request = HTTPRequest(for: url, fields) else { break }
            let (head, body) = try await transport.send(request)
            guard [301, 302, 303, 307, 308].contains(head.status.code) else { return (head, body, url) }
            guard let target = RemoteEndpoint.redirect(from: url, to: head.headerFields[.location]) else { break }
            url = target
        }
        throw RemoteStoreError.redirected
    }
}

extension RemoteStoreError {
    /// Whether a server or a cache has answered, with something that the client cannot take.
    fileprivate var isAnswer: Bool { ![.unreachable, .timedOut, .refused].contains(kind) }
}
#endif

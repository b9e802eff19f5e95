#if Remote || canImport(CryptoKit)
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
@_spi(StoreAuthors) internal import KeyspanCore

/// A request for the document that is under way.
struct PendingRequest: Sendable {
    let task: Task<Result<Bool, RemoteStoreError>, Never>
    /// Whether caches have to pass it on to the server.
    let isFresh: Bool
    /// Whether an answer has begun to arrive.
    var isAnswered = false
}

/// The document that a request names by its tag.
private struct KnownDocument: Sendable {
    let position: SettingsPosition
    let entityTag: String
}

// MARK: - The document

extension RemoteEngine {
    /// Asks for the document, or joins a request that is under way.
    ///
    /// - Parameter isFresh: Whether the answer has to be that of the server, from now on, and not that of a cache.
    func request(isFresh: Bool = false) -> Task<Result<Bool, RemoteStoreError>, Never> {
        state.withLock { state in
            let pending = state.requests.values.first { !isFresh || ($0.isFresh && !$0.isAnswered) }
            if let pending { return pending.task }
            state.requestCount += 1
            let number = state.requestCount
            let task = Task { [weak self] () -> Result<Bool, RemoteStoreError> in
                guard let self else { return .success(false) }
                let result = await fetchDocument(number, isFresh: isFresh)
                self.state.withLock { $0.requests[number] = nil }
                if case .failure(let error) = result { note(error) }
                return result
            }
            state.requests[number] = PendingRequest(task: task, isFresh: isFresh)
            state.lastRequest = .now
            if state.isClosed { task.cancel() }
            return task
        }
    }

    /// Asks for the document; once more if a cache has answered with an older one, as after a change on the stream.
    ///
    /// - Returns: Whether there are other values than before.
    private func fetchDocument(_ number: Int, isFresh: Bool) async -> Result<Bool, RemoteStoreError> {
        do throws(RemoteStoreError) {
            return .success(try await fetchOnce(number, isFresh: isFresh))
        } catch {
            guard case .olderRevision = error.kind, !isFresh else { return .failure(error) }
        }
        do throws(RemoteStoreError) {
            return .success(try await fetchOnce(number, isFresh: true))
        } catch {
            return .failure(error)
        }
    }

    private func fetchOnce(_ number: Int, isFresh: Bool) async throws(RemoteStoreError) -> Bool {
        let known = state.withLock { state -> KnownDocument? in
            // An expired document needs a new signature, so it is not asked for by its tag.
            guard let fetched = state.fetched, fetched.expires > parameters.now() else { return nil }
            return state.entityTag.map { KnownDocument(position: fetched.position, entityTag: $0) }
        }
        guard let (body, entityTag) = try await load(number, known, isFresh: isFresh) else {
            // The answer says nothing about what the stream has brought meanwhile.
            if state.withLock({ $0.fetched?.position }) == known?.position { noteContact(at: parameters.now()) }
            await bringIntoForce()
            return false
        }
        let message = try verifier.message(body, at: parameters.now())
        guard message.kind == .document else { throw .notDocument(store: name) }
        if case .new = try await take(message, body, entityTag: entityTag) { return true }
        return false
    }

    /// The body of the document and its entity tag; `nil` if it is the one that the client has.
    private func load(
        _ number: Int,
        _ known: KnownDocument?,
        isFresh: Bool
    ) async throws(RemoteStoreError) -> (body: [UInt8], entityTag: String?)? {
        do {
            let (total, clock) = (parameters.requestLimit, parameters.connectionClock)
            return try await IdleWatch.run(limit: options.connectTimeout, total: total, clock: clock) { [self] watch in
                var headers = [(name: "Accept", value: "text/plain")]
                if let known { headers.append((name: "If-None-Match", value: known.entityTag)) }
                if isFresh { headers.append((name: "Cache-Control", value: "no-cache")) }
                let response = try await send(to: endpoint.document, headers)
                watch.noteActivity(limit: options.idleTimeout)
                noteTimes(of: response)
                state.withLock { state in
                    state.requests[number]?.isAnswered = true
                    // The server may not understand the tag.
                    if (400..<500).contains(response.status) { state.entityTag = nil }
                }
                if response.status == 304, known != nil { return nil }
                guard response.status == 200 else { throw RemoteStoreError.refused(response.status, store: name) }
                var body: [UInt8] = []
                for try await chunk in response.body {
                    watch.noteActivity()
                    body += chunk
                    if body.count > options.maximumSize {
                        throw RemoteStoreError(.tooLarge(limit: options.maximumSize), store: name)
                    }
                }
                return (body, EntityTag.checked(response.header("etag")))
            }
        } catch {
            throw typed(error)
        }
    }

    func noteTimes(of response: RemoteTransportResponse) {
        let isSuccess = response.status == 200 || response.status == 304
        state.withLock { state in
            if isSuccess {
                state.retryAfter = nil
                state.maximumAge = RetryHeaders.maximumAge(response.header("cache-control"))
            } else {
                state.retryAfter = RetryHeaders.retryAfter(response.header("retry-after"))
            }
        }
    }

    /// Sends a request, and follows redirects on the same host.
    func send(
        to url: URL,
        _ headers: [(name: String, value: String)]
    ) async throws -> RemoteTransportResponse {
        var url = url
        for _ in 0...3 {
            let request = RemoteTransportRequest(url: url, headers: headers, connectTimeout: options.connectTimeout)
            let response = try await transport.send(request)
            guard [301, 302, 303, 307, 308].contains(response.status) else { return response }
            guard let target = RemoteEndpoint.redirect(from: url, to: response.header("location")) else { break }
            url = target
        }
        throw RemoteStoreError.redirected(store: name)
    }

    func typed(_ error: any Error) -> RemoteStoreError {
        switch error {
        case let error as RemoteStoreError: error
        case let error as IdleWatch.Expired: .timedOut(after: error.limit, isTotal: error.isTotal, store: name)
        case let error as EventReader.TooLarge: RemoteStoreError(.tooLarge(limit: error.limit), store: name)
        default: .unreachable(error, store: name)
        }
    }
}

/// The tag of a document, which the next request sends back.
enum EntityTag {
    private static let maximumLength = 200

    /// The tag if it has the form of RFC 9110 and is not too long; otherwise `nil`.
    static func checked(_ text: String?) -> String? {
        guard let text, text.utf8.count <= maximumLength else { return nil }
        let quoted = text.utf8.starts(with: "W/".utf8) ? text.utf8.dropFirst(2) : text.utf8[...]
        let quote = UInt8(ascii: "\"")
        guard quoted.count >= 2, quoted.first == quote, quoted.last == quote else { return nil }
        let isValid = quoted.dropFirst().dropLast().allSatisfy {
            $0 == 0x21 || (0x23...0x7E).contains($0) || $0 >= 0x80
        }
        return isValid ? text : nil
    }
}
#endif

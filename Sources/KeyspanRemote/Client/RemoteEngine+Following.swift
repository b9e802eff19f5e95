#if Remote || canImport(CryptoKit)
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
@_spi(StoreAuthors) internal import KeyspanCore

// MARK: - Following the server

extension RemoteEngine {
    /// Begins to follow the server, in a task that ends with ``close()``.
    func start() {
        guard options.isAutomatic || options.isLive else { return }
        startLoop()
    }

    private func startLoop() {
        state.withLock { state in
            if state.isClosed || state.loop != nil { return }
            state.loop = Task { [weak self] in
                var retry = RetryDelay(first: .zero, longest: .zero)
                if let self { retry = RetryDelay(first: parameters.firstRetry, longest: parameters.longestRetry) }
                while !Task.isCancelled {
                    guard let pause = await self?.followOnce(&retry) else { return }
                    await self?.sleep(for: pause)
                }
            }
        }
    }

    /// Ends all work with the server, and leaves the values as they are.
    func close() {
        let tasks = state.withLock { state in
            state.isClosed = true
            defer { (state.loop, state.phase) = (nil, nil) }
            return (state.loop, state.phase, state.request)
        }
        tasks.0?.cancel()
        tasks.1?.cancel()
        tasks.2?.cancel()
    }

    /// Opens or closes the stream.
    func setLive(_ isLive: Bool) {
        let phase = state.withLock { state -> Task<Void, Never>? in
            guard state.wantsStream != isLive else { return nil }
            state.wantsStream = isLive
            return state.phase
        }
        phase?.cancel()
        if isLive { startLoop() }
    }

    /// Runs a part of the work that a change of ``setLive(_:)`` interrupts.
    private func runPhase(_ body: @escaping @Sendable () async -> Void) async {
        // Known before the body looks at the state, so that a change of it either is seen there or cancels the task.
        let (task, isClosed) = state.withLock { state in
            let task = Task { await body() }
            state.phase = task
            return (task, state.isClosed)
        }
        if isClosed { task.cancel() }
        await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        state.withLock { $0.phase = nil }
    }

    private func sleep(for pause: Duration) async {
        if pause <= .zero { return }
        let wanted = state.withLock(\.wantsStream)
        await runPhase { [weak self] in
            // Changed between the decision for this pause and its beginning.
            guard self?.state.withLock({ $0.wantsStream == wanted }) == true else { return }
            try? await Task.sleep(for: pause)
        }
    }

    /// Reads the stream until it ends, or asks for the document once.
    ///
    /// - Returns: The pause before the next time; `nil` if there is none.
    private func followOnce(_ retry: inout RetryDelay) async -> Duration? {
        if state.withLock(\.wantsStream) {
            let contact = state.withLock(\.confirmed)
            await runPhase { [weak self] in await self?.readStream() }
            let now = state.withLock { $0 }
            if now.isClosed { return nil }
            if !now.wantsStream { return options.isAutomatic ? .zero : .seconds(86_400) }
            if now.confirmed != contact {
                retry.reset()
            } else if options.isAutomatic, now.lastRequest.map({ .now - $0 >= options.interval }) ?? true {
                // A proxy may hold streams up and pass documents on.
                _ = await request().value
            }
            return pauseAfterFailure(&retry)
        }
        guard options.isAutomatic else { return .seconds(86_400) }
        switch await request().value {
        case .success:
            retry.reset()
            let pause = max(options.interval, state.withLock(\.maximumAge) ?? .zero)
            return max(pause * Double.random(in: 0.9...1.1), parameters.minimumInterval)
        case .failure:
            if state.withLock(\.isClosed) { return nil }
            return pauseAfterFailure(&retry)
        }
    }

    /// The growing pause, or a longer one that the server has asked for.
    private func pauseAfterFailure(_ retry: inout RetryDelay) -> Duration {
        let requested = state.withLock { state in
            defer { state.retryAfter = nil }
            return state.retryAfter
        }
        return max(retry.next(), requested ?? .zero)
    }
}

// MARK: - The document

extension RemoteEngine {
    /// Asks for the document, or joins the request that is under way.
    func request() -> Task<Result<Bool, RemoteStoreError>, Never> {
        state.withLock { state in
            if let request = state.request { return request }
            let request = Task { [weak self] () -> Result<Bool, RemoteStoreError> in
                guard let self else { return .success(false) }
                let result = await fetchDocument()
                self.state.withLock { $0.request = nil }
                if case .failure(let error) = result { note(error) }
                return result
            }
            (state.request, state.lastRequest) = (request, .now)
            return request
        }
    }

    /// Asks for the document.
    ///
    /// - Returns: Whether there are other values than before.
    private func fetchDocument() async -> Result<Bool, RemoteStoreError> {
        do throws(RemoteStoreError) {
            guard let (body, entityTag) = try await load() else {
                noteContact(at: parameters.now())
                writeCacheSoon()
                noteContents()
                return .success(false)
            }
            if case .new = try await take(body, entityTag: entityTag) { return .success(true) }
            return .success(false)
        } catch {
            return .failure(error)
        }
    }

    /// The body of the document and its entity tag; `nil` if it is the one that the client has.
    private func load() async throws(RemoteStoreError) -> (body: [UInt8], entityTag: String?)? {
        let known = state.withLock { state -> String? in
            // An expired document needs a new signature, so it is not asked for by its tag.
            guard let fetched = state.fetched, fetched.expires > parameters.now() else { return nil }
            return state.entityTag
        }
        do {
            return try await IdleWatch.run(limit: options.connectTimeout) { [self] watch in
                var headers = [(name: "Accept", value: "text/plain")]
                if let known { headers.append((name: "If-None-Match", value: known)) }
                let response = try await send(to: endpoint.document, headers)
                watch.noteActivity(limit: options.idleTimeout)
                noteTimes(of: response)
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
                return (body, response.header("etag"))
            }
        } catch {
            throw typed(error)
        }
    }

    private func noteTimes(of response: RemoteTransportResponse) {
        let isSuccess = response.status == 200 || response.status == 304
        state.withLock { state in
            if isSuccess {
                state.maximumAge = RetryHeaders.maximumAge(response.header("cache-control"))
            } else {
                state.retryAfter = RetryHeaders.retryAfter(response.header("retry-after"))
            }
        }
    }

    /// Sends a request, and follows redirects on the same host.
    private func send(
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

    private func typed(_ error: any Error) -> RemoteStoreError {
        switch error {
        case let error as RemoteStoreError: error
        case let error as IdleWatch.Expired: .timedOut(after: error.limit, store: name)
        case let error as EventReader.TooLarge: RemoteStoreError(.tooLarge(limit: error.limit), store: name)
        default: .unreachable(error, store: name)
        }
    }
}

// MARK: - The stream

extension RemoteEngine {
    /// Reads the stream until it ends, fails or is no longer wanted.
    private func readStream() async {
        guard state.withLock(\.wantsStream) else { return }
        do {
            try await IdleWatch.run(limit: options.connectTimeout) { [self] watch in
                var headers = [
                    (name: "Accept", value: "text/event-stream"), (name: "Cache-Control", value: "no-store"),
                ]
                if let position = state.withLock({ $0.needsDocument ? nil : $0.fetched?.position }) {
                    headers.append((name: "Last-Event-ID", value: position.text))
                }
                let response = try await send(to: endpoint.changes, headers)
                watch.noteActivity(limit: options.idleTimeout)
                guard response.status == 200 else {
                    noteTimes(of: response)
                    throw RemoteStoreError.refused(response.status, store: name)
                }
                try await read(response.body, watch)
            }
            // Servers and proxies end streams now and then; the next one goes on where this one was.
        } catch is DocumentNeeded {
            noteContact(at: parameters.now())
        } catch {
            if !Task.isCancelled { note(typed(error)) }
        }
        state.withLock { $0.isStreaming = false }
    }

    private func read(_ body: RemoteTransportBody, _ watch: IdleWatch) async throws {
        // The first line of a message and the names of fields are not part of the limit for a message.
        var reader = EventReader(limit: options.maximumSize + 1_024)
        for try await chunk in body {
            watch.noteActivity()
            try Task.checkCancellation()
            state.withLock { $0.isStreaming = true }
            let comments = reader.commentCount
            let events = try reader.read(chunk)
            // A server that has nothing newer sends comments.
            if events.isEmpty, reader.commentCount > comments, state.withLock({ $0.fetched != nil }) {
                noteContact(at: parameters.now())
                noteContents()
            }
            for event in events { try await take(event) }
        }
    }

    private func take(_ event: ServerEvent) async throws {
        guard event.type == "document" || event.type == "change" else { return }
        guard case .needsDocument = try await take(event.data) else { return }
        // Not asked for by a request, which a cache could answer with an older one.
        state.withLock { $0.needsDocument = true }
        throw DocumentNeeded()
    }

    /// A change cannot be applied, so that the stream has to begin anew with the document.
    private struct DocumentNeeded: Error {}
}
#endif

#if Remote || canImport(CryptoKit)
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
@_spi(StoreAuthors) internal import KeyspanCore

// MARK: - The stream

extension RemoteEngine {
    /// The result of a stream after its end.
    struct StreamEnd: Sendable {
        /// Whether something has confirmed or changed the values since the stream began.
        let hasContact: Bool
        /// Whether the server has sent a comment for the values that the client has.
        let hasComment: Bool
        /// Whether it has brought so many changes that the client needs the document.
        let hasOverflowed: Bool
        let duration: Duration
    }

    /// The stream that is being read.
    private struct OpenStream {
        let start: ContinuousClock.Instant
        /// The state up to which the server has sent changes; `nil` before the document.
        var state: SettingsState?
        /// Whether the server has sent a comment for the values that the client has.
        var hasComment = false
        /// The number of messages so far.
        var messageCount = 0
        /// When the document was last asked for, because the server has confirmed nothing by a message.
        var lastQuestion: ContinuousClock.Instant?
        /// The pauses between these questions.
        var questions: RetryDelay
        var pause = Duration.zero

        init(start: ContinuousClock.Instant, state: SettingsState?, questions: RetryDelay) {
            (self.start, self.state, self.questions) = (start, state, questions)
        }
    }

    /// Something in a stream makes it necessary that it begins anew with the document.
    private struct DocumentNeeded: Error {
        /// The number of messages that the stream has brought.
        let messageCount: Int
    }

    /// Reads the stream until it ends, fails or is no longer wanted.
    func readStream() async -> StreamEnd {
        let start = ContinuousClock.now
        var (hasComment, hasOverflowed) = (false, false)
        do {
            let clock = parameters.connectionClock
            hasComment = try await IdleWatch.run(limit: options.connectTimeout, clock: clock) { [self] watch in
                let position = state.withLock { $0.needsDocument ? nil : $0.fetched?.position }
                let body = try await openStream(after: position, watch)
                let questions = RetryDelay(first: parameters.minimumInterval, longest: parameters.longestRetry)
                return try await read(
                    body,
                    OpenStream(start: start, state: position?.state, questions: questions),
                    watch
                )
            }
            // Servers and proxies end streams now and then; the next one goes on where this one was.
            if !hasComment, !hasContact(since: start) { throw RemoteStoreError.unreachable(nil, store: name) }
        } catch let error as DocumentNeeded {
            hasOverflowed = error.messageCount >= parameters.maximumChain.lowerBound / 2
            state.withLock { $0.needsDocument = true }
        } catch {
            if !Task.isCancelled { note(typed(error)) }
        }
        state.withLock { $0.isStreaming = false }
        return StreamEnd(
            hasContact: hasContact(since: start),
            hasComment: hasComment,
            hasOverflowed: hasOverflowed,
            duration: .now - start
        )
    }

    private func hasContact(since start: ContinuousClock.Instant) -> Bool {
        state.withLock { $0.lastContact.map { $0 > start } ?? false }
    }

    private var isConfirmationDue: Bool {
        state.withLock { state in
            if state.lastError != nil { return true }
            return state.lastContact.map { .now - $0 >= options.interval } ?? true
        }
    }

    private func openStream(after position: SettingsPosition?, _ watch: IdleWatch) async throws -> RemoteTransportBody {
        var headers = [
            (name: "Accept", value: "text/event-stream"), (name: "Cache-Control", value: "no-store"),
        ]
        if let position { headers.append((name: "Last-Event-ID", value: position.text)) }
        let response = try await send(to: endpoint.changes, headers)
        watch.noteActivity(limit: options.idleTimeout)
        guard response.status == 200 else {
            noteTimes(of: response)
            throw RemoteStoreError.refused(response.status, store: name)
        }
        // A network that asks its users to log in answers everything with a page.
        let type = response.header("content-type")?.utf8.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: " ") }
        guard type.map({ String(Substring($0)).lowercased() }) == "text/event-stream" else {
            throw RemoteStoreError.notStream(store: name)
        }
        return response.body
    }

    /// Reads a stream to its end.
    ///
    /// - Returns: Whether there was a comment for the values that the client has.
    private func read(_ body: RemoteTransportBody, _ open: OpenStream, _ watch: IdleWatch) async throws -> Bool {
        var open = open
        // The first line of a message and the names of fields are not part of the limit for a message.
        var reader = EventReader(limit: options.maximumSize + 1_024)
        for try await chunk in body {
            watch.noteActivity()
            try Task.checkCancellation()
            state.withLock { $0.isStreaming = true }
            let comments = reader.commentCount
            let events = try reader.read(chunk)
            if events.isEmpty, reader.commentCount > comments { try takeComment(&open) }
            // The server is not to blame for the time that the client takes.
            watch.rest()
            for event in events { try await take(event, &open) }
            watch.noteActivity()
        }
        return open.hasComment
    }

    private func take(_ event: ServerEvent, _ open: inout OpenStream) async throws {
        guard event.type == "document" || event.type == "change" else { return }
        let message = try verifier.message(event.data, at: parameters.now())
        // Not asked for by a request, which a cache could answer with an older one.
        if case .needsDocument = try await take(message, event.data) {
            throw DocumentNeeded(messageCount: open.messageCount)
        }
        open.messageCount += 1
        open.state = message.state
    }

    /// Takes a comment, by which a server says that it has nothing newer.
    ///
    /// Comments have no signature. They count only after a message or the document has confirmed the values while this
    /// stream was open, and until the last message expires; otherwise someone on the way could keep a client at its
    /// values for ever. A stream that goes on where the last one was has no such message at first, so the store asks for
    /// the document when it would do so without a stream.
    private func takeComment(_ open: inout OpenStream) throws {
        let now = parameters.now()
        guard let fetched = state.withLock(\.fetched), fetched.position.state == open.state else { return }
        if now > fetched.expires.addingTimeInterval(options.clockTolerance.seconds) {
            throw DocumentNeeded(messageCount: open.messageCount)
        }
        open.hasComment = true
        if hasContact(since: open.start) {
            noteContact(at: now)
            noteContents()
        } else if isConfirmationDue, isQuestionDue(after: open) {
            open.lastQuestion = .now
            open.pause = max(open.questions.next(), parameters.minimumInterval)
            _ = request()
        }
    }

    private func isQuestionDue(after open: OpenStream) -> Bool {
        guard let last = open.lastQuestion else { return true }
        return .now - last >= max(open.pause, state.withLock(\.retryAfter) ?? .zero)
    }
}
#endif

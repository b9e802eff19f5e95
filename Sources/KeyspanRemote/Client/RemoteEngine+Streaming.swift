#if Remote
internal import HTTPTypes
@_spi(StoreAuthors) internal import KeyspanCore

// MARK: - The stream

extension RemoteEngine {
    /// The stream that a store keeps open.
    struct OpenStream: Sendable {
        let group: String
        let task: Task<Void, Never>
    }

    /// The most bytes of a line: one of data has a tag and a number.
    private static let maximumLineLength = 1_024

    /// Opens or closes the stream, if the program or the server wants another one than there is.
    func updateStream() {
        let old = state.withLock { state -> OpenStream? in
            let wanted = state.wantsStream && !state.isClosed ? group(in: state) : nil
            let present = state.stream
            if wanted.map({ present?.group.hasSameUTF8(as: $0) ?? false }) ?? (present == nil) { return nil }
            state.streamCount += 1
            (state.isStreaming, state.stream) = (false, wanted.map { open($0, state.streamCount) })
            return present
        }
        old?.task.cancel()
    }

    private func open(_ group: String, _ number: Int) -> OpenStream {
        OpenStream(group: group, task: Task { await self.follow(group, number) })
    }

    /// Keeps a stream open until the task is canceled.
    private func follow(_ group: String, _ number: Int) async {
        var retry = RetryDelay(first: parameters.firstRetry, longest: parameters.longestRetry)
        while !Task.isCancelled {
            let start = clock.now()
            let hasEvent = await readStream(of: group, number)
            if Task.isCancelled { return }
            // All clients may have lost their streams together, and an opening costs several times as much as a document.
            let (spread, requested) = state.withLock { state in
                defer { (state.isStreaming, state.streamRetryAfter) = (false, nil) }
                return (state.lastSpread, state.streamRetryAfter ?? .zero)
            }
            retry.first = max(parameters.firstRetry, spread * 5)
            // One that is accepted and lost at once, or silent, again and again, does not begin the pauses anew.
            if hasEvent, retry.isOutlasted(by: clock.now() - start) { retry.reset() }
            await clock.sleep(clock.now() + max(retry.next(), requested * Double.random(in: 1...1.5)))
        }
    }

    /// Reads a stream until it ends, fails or is no longer wanted.
    ///
    /// - Returns: Whether it has brought an event.
    private func readStream(of group: String, _ number: Int) async -> Bool {
        let hasEvent = Locked(false)
        do {
            try await IdleWatch.run(limit: options.timeout, clock: clock) { [self] watch in
                let body = try await openStream(of: group)
                watch.noteActivity()
                var reader = EventReader(limit: Self.maximumLineLength)
                for try await chunk in body {
                    for data in try reader.read(chunk) where take(data, number) { hasEvent.withLock { $0 = true } }
                    // Bytes that never become a line say nothing about the server.
                    if reader.hasLine { watch.noteActivity() }
                }
            }
            // Servers and proxies end streams now and then.
            if !hasEvent.withLock(\.self) {
                let reason = "the stream has ended without an event"
                throw RemoteStoreError(.unreachable, reason, RemoteStoreError.lookBetween)
            }
        } catch {
            if !Task.isCancelled { report(RemoteStoreError(error, store: name), once: \.isStreamReported) }
        }
        return hasEvent.withLock(\.self)
    }

    private func openStream(of group: String) async throws -> RemoteTransport.Body {
        guard let url = endpoint.url(group, "changes") else { throw RemoteStoreError.redirected }
        let (head, body, _) = try await send(to: url, [.accept: "text/event-stream", .cacheControl: "no-store"])
        guard head.status == .ok else {
            state.withLock { $0.streamRetryAfter = RetryFields.retryAfter(head.headerFields[.retryAfter]) }
            throw RemoteStoreError.refused(head.status.code)
        }
        // A network that asks its users to log in answers everything with a page.
        let type = head.headerFields[.contentType]?.utf8.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: " ") }
        guard type.map({ String(Substring($0)).lowercased() }) == "text/event-stream" else {
            let reason = "the response to a request for changes is not a stream of events"
            throw RemoteStoreError(.malformed, reason, RemoteStoreError.lookBetween)
        }
        return body
    }

    /// Takes the data of an event: the tag of the present document, and the seconds over which clients spread.
    ///
    /// - Returns: Whether it is that.
    private func take(_ data: Substring, _ number: Int) -> Bool {
        let words = data.utf8.split(separator: UInt8(ascii: " "))
        guard words.count == 2, let seconds = Double(Substring(words[1])), (0...86_400).contains(seconds) else {
            return false
        }
        let tag = DocumentTag(Substring(words[0]))
        guard tag != nil || words[0].elementsEqual(DocumentTag.any.utf8) else { return false }
        let sleep = state.withLock { state -> Task<Void, Never>? in
            // Another stream may have taken the place of this one.
            guard state.streamCount == number else { return nil }
            (state.isStreaming, state.isStreamReported) = (true, false)
            hasten(&state, for: tag, within: .seconds(seconds))
            return state.sleep
        }
        sleep?.cancel()
        return true
    }
}
#endif

#if Remote
@_spi(StoreAuthors) internal import KeyspanCore

// Streams of events. Each has room for one event, which the next one replaces, so that a client that does not read takes
// no memory, and misses nothing: an event only says which document is the present one.
extension PublisherCore {
    /// The number of clients for each second over which their requests after a change are spread.
    private static let clientsPerSecond = 5_000

    /// Opens a stream for a client of a group, which begins with an event.
    ///
    /// - Parameters:
    ///   - place: The place of the group.
    ///   - peer: The client's address, as far as streams of one peer are limited.
    func openStream(_ place: Int, of peer: String?) -> Result<AsyncStream<[UInt8]>, StreamRefusal> {
        if present(place) == nil { return .failure(.noValues) }
        let (body, events) = AsyncStream.makeStream(of: [UInt8].self, bufferingPolicy: .bufferingNewest(1))
        let stream = PublisherState.Stream(group: place, peer: peer, events: events)
        switch state.withLock({ $0.add(stream, options) }) {
        case .success(let number):
            events.onTermination = { [weak self] _ in self?.endStream(number) }
            sendEvents(to: stream)
            beginHeartbeat()
            return .success(body)
        case .failure(let refusal):
            if refusal == .tooMany || refusal == .tooManyOfPeer {
                let place = refusal == .tooMany ? "there are" : "the peer \((peer ?? "").quoted) has"
                let count = state.withLock(\.refusedStreamCount)
                let reason =
                    "\(place) as many streams as the options permit, and \(count) requests for one were refused so far"
                reportSeldom(
                    .streamsRefused,
                    reason,
                    "raise the limit if these are clients, which also ask at intervals"
                )
            }
            return .failure(refusal)
        }
    }

    private func endStream(_ number: UInt64) {
        let heartbeat = state.withLock { state -> Task<Void, Never>? in
            state.removeStream(number)
            guard state.streams.isEmpty else { return nil }
            defer { state.heartbeat = nil }
            return state.heartbeat
        }
        heartbeat?.cancel()
    }

    /// Sends the tags of the present documents to all streams, or to one.
    func sendEvents(to stream: PublisherState.Stream? = nil) {
        var sent: Int?
        while true {
            let (count, all) = state.withLock { ($0.changeCount, $0.streams) }
            // Another thread may have sent an earlier event after a later one of this thread.
            if sent == count { return }
            var events: [Int: [UInt8]] = [:]
            for stream in stream.map({ [$0] }) ?? Array(all.values) {
                let event = events[stream.group] ?? event(of: stream.group)
                events[stream.group] = event
                send(event, to: stream)
            }
            sent = count
        }
    }

    /// Lets all clients on a stream ask, because they may be in other groups now.
    func sendGroupsChanged() {
        let streams = state.withLock { $0.streams }
        // Each client makes two requests: for its group, and for the document.
        let event = self.event(DocumentTag.any, clientCount: 2 * streams.count)
        for stream in streams.values { send(event, to: stream) }
    }

    private func send(_ event: [UInt8], to stream: PublisherState.Stream) {
        guard case .dropped(let old) = stream.events.yield(event), Self.isForGroups(old) else { return }
        // The client has not read yet that it may be in another group, and asks for all with that.
        stream.events.yield(old)
    }

    private func event(of place: Int) -> [UInt8] {
        let tag = present(place).map { self.tag(of: $0).text } ?? DocumentTag.any
        return event(tag, clientCount: state.withLock { $0.streams.count })
    }

    /// An event in the form of the WHATWG's HTML standard, section 9.2, with the seconds over which clients spread.
    private func event(_ tag: String, clientCount: Int) -> [UInt8] {
        let spread = Double(clientCount * 1_000 / Self.clientsPerSecond) / 1_000
        return Self.beginning + Array("\(tag) \(spread)\n\n".utf8)
    }

    private static let beginning = Array("event: changed\ndata: ".utf8)

    private static func isForGroups(_ event: [UInt8]) -> Bool {
        event.dropFirst(beginning.count).starts(with: DocumentTag.any.utf8)
    }

    /// Starts the one task that repeats the last event now and then, by which both sides notice a lost connection.
    private func beginHeartbeat() {
        let pause = options.heartbeat
        state.withLock { state in
            if state.isClosed || state.streams.isEmpty || state.heartbeat != nil { return }
            state.heartbeat = Task { [weak self] in
                while !Task.isCancelled {
                    try? await Task.sleep(for: pause)
                    guard !Task.isCancelled, let self else { return }
                    sendEvents()
                }
            }
        }
    }
}
#endif

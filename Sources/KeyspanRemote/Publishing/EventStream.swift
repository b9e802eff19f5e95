#if Remote || canImport(CryptoKit)
@_spi(StoreAuthors) internal import KeyspanCore

/// The body of a stream of events: chunks of bytes that go to one client, as fast as it reads them.
///
/// A client that does not read takes no memory here. When it reads on, it receives the changes that it has missed one
/// by one, or the whole document if some of them are no longer kept. The stream ends when the publisher is closed. It
/// is read once; the end of the iteration, the cancellation of its task or the release of the stream gives the client's
/// place free.
public struct RemoteEventStream: AsyncSequence, Sendable {
    public typealias Element = [UInt8]
    public typealias Failure = Never

    fileprivate let subscription: EventSubscription

    init(_ subscription: EventSubscription) {
        self.subscription = subscription
    }

    /// The iterator of a stream.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let subscription: EventSubscription

        /// The next event, or a comment after a pause without events; `nil` once the stream is over.
        public mutating func next() async -> [UInt8]? { await subscription.next() }

        /// The next event, or a comment after a pause without events; `nil` once the stream is over.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> [UInt8]? {
            await subscription.next()
        }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(subscription: subscription) }
}

/// The place of one client among the streams of a publisher; it is free once this is released.
final class EventSubscription: Sendable {
    private let core: PublisherCore
    private let number: UInt64

    init(of core: PublisherCore, number: UInt64) {
        self.core = core
        self.number = number
    }

    deinit {
        core.endStream(number)
    }

    func next() async -> [UInt8]? {
        await withTaskCancellationHandler {
            await core.nextChunk(ofStream: number)
        } onCancel: {
            core.endStream(number)
        }
    }
}

extension PublisherCore {
    /// The next step of a stream.
    private enum Step {
        case document(VariantContents)
        case change(PublishedChange)
        case heartbeat
        case wait
        case end
    }

    /// Opens a stream for a client.
    ///
    /// - Parameters:
    ///   - client: The client.
    ///   - position: Where the client is, if it says so.
    /// - Returns: `nil` if there are too many streams, the client's values are too large, or the publisher is closed.
    func openStream(for client: RemoteClient, after position: SettingsPosition?) -> RemoteEventStream? {
        let added = withVariant(of: layers(client)) {
            state,
            identity -> (UInt64, [CheckedContinuation<Void, Never>])? in
            guard state.streams.count < options.maximumStreams, state.variants[identity]?.contents != nil else {
                return nil
            }
            let isMove = state.groups[client].map { $0.variant != identity } ?? false
            // The other streams of the client move with this one.
            if state.isChange(client, to: identity) { raiseRevision(of: &state, to: state.revision, after: .change) }
            let number = state.addStream(for: client, in: identity, after: position)
            return (number, isMove ? state.takeWaiting(of: [client]) : [])
        }
        guard let (number, waiting) = added else { return nil }
        for continuation in waiting { continuation.resume() }
        beginHeartbeat()
        return RemoteEventStream(EventSubscription(of: self, number: number))
    }

    /// Ends a stream, whose next chunk is `nil` then.
    func endStream(_ number: UInt64) {
        let (stream, heartbeat, released) = state.withLock { state in
            let variant = state.streams[number].flatMap { state.groups[$0.client]?.variant }
            let stream = state.removeStream(number)
            let mayEvict = variant.map { state.variants[$0]?.isIdle == true } ?? false
            let released = mayEvict ? state.evict(keeping: options.maximumVariants) : nil
            if !state.streams.isEmpty { return (stream, nil as Task<Void, Never>?, released) }
            defer { state.heartbeat = nil }
            return (stream, state.heartbeat, released)
        }
        withExtendedLifetime(released) {}
        stream?.waiting?.resume()
        heartbeat?.cancel()
    }

    fileprivate func nextChunk(ofStream number: UInt64) async -> [UInt8]? {
        while true {
            let step = state.withLock { state -> Step in
                guard let stream = state.streams[number] else { return .end }
                let (step, after) = nextStep(of: stream, state)
                state.streams[number] = after
                return step
            }
            switch step {
            case .document(let contents):
                return document(of: contents).event
            case .change(let change):
                return change.event(signedBy: signer)
            case .heartbeat:
                return Array(":\n\n".utf8)
            case .end:
                return nil
            case .wait:
                guard await waitForStep(ofStream: number) else { return nil }
            }
        }
    }

    /// Returns when the stream may have something to send, or is over.
    ///
    /// - Returns: `false` at once if another task waits for the same stream, whose chunks it takes.
    private func waitForStep(ofStream number: UInt64) async -> Bool {
        let isSecond = Locked(false)
        await withCheckedContinuation { continuation in
            let mustWait = state.withLock { state in
                guard let stream = state.streams[number], case .wait = nextStep(of: stream, state).step else {
                    return false
                }
                if stream.waiting != nil {
                    isSecond.withLock { $0 = true }
                    return false
                }
                state.streams[number]?.waiting = continuation
                return true
            }
            if !mustWait { continuation.resume() }
        }
        return !isSecond.withLock(\.self)
    }

    /// The next step of a stream, and the stream after that.
    private func nextStep(
        of stream: EventStreamState,
        _ state: borrowing PublisherState
    ) -> (step: Step, after: EventStreamState) {
        var stream = stream
        guard let group = state.groups[stream.client], let variant = state.variants[group.variant] else {
            return (.end, stream)
        }
        // A client that has moved to values that are too large keeps those that it has.
        guard let contents = state.contents(of: group.variant), stream.next != variant.nextNumber else {
            return (stream.isHeartbeatDue ? .heartbeat : .wait, stream.withoutHeartbeat)
        }
        if let next = stream.next, let change = variant.change(next), !change.isLargerThanDocument,
            signer.isFresh(change.time)
        {
            stream.next = next + 1
            return (.change(change), stream.withoutHeartbeat)
        }
        stream.next = variant.nextNumber
        return (.document(contents), stream.withoutHeartbeat)
    }
}

extension EventStreamState {
    fileprivate var withoutHeartbeat: EventStreamState {
        var stream = self
        stream.isHeartbeatDue = false
        return stream
    }
}

// MARK: - Heartbeats

extension PublisherCore {
    /// Starts the one task that lets all waiting streams send a comment, unless it runs.
    private func beginHeartbeat() {
        let pause = options.heartbeat
        state.withLock { state in
            if state.isClosed || state.streams.isEmpty || state.heartbeat != nil { return }
            state.heartbeat = Task { [weak self] in
                while !Task.isCancelled {
                    try? await Task.sleep(for: pause)
                    guard !Task.isCancelled, let self else { return }
                    beat()
                }
            }
        }
    }

    /// Lets the streams that wait send a comment, and asks the host for the overlays of all clients.
    private func beat() {
        for continuation in state.withLock({ $0.takeWaitingForHeartbeat() }) { continuation.resume() }
        // The host may take its time: comments do not depend on it.
        Task { readStores(ReadingRequest()) }
    }
}
#endif

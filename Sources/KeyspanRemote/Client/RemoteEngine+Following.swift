#if Remote
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
@_spi(StoreAuthors) internal import KeyspanCore

/// The reason for a request.
struct RemoteHint: Sendable {
    /// The document that the server has announced.
    var tag: DocumentTag?
    /// Whether the request is made before its time, because of an event.
    var isEvent = false
}

// MARK: - Following the server

// One clock decides when the store asks: the interval after the last answer, or the pause after a failure. Events of a
// stream only hasten that, so that nothing which arrives there can keep the store from asking.
extension RemoteEngine {
    /// The shortest time between two requests because of events; it doubles as long as these bring nothing.
    private static let shortestGap = Duration.seconds(1)
    /// The interval of a live store that otherwise asks only when the program does.
    static let intervalWhileLive = Duration.seconds(900)

    /// Begins to follow the server, in tasks that end with ``close()``.
    func start() {
        let task = Task { await self.follow() }
        state.withLock { $0.loop = task }
        updateStream()
    }

    /// Ends all work with the server, and leaves the values as they are.
    func close() {
        let (tasks, requests) = state.withLock { state in
            state.isClosed = true
            defer { (state.loop, state.stream) = (nil, nil) }
            return ([state.loop, state.sleep, state.stream?.task], state.requests)
        }
        for task in tasks { task?.cancel() }
        for request in requests.values { request.task.cancel() }
    }

    /// Opens or closes the stream.
    func setLive(_ isLive: Bool) {
        let sleep = state.withLock { state in
            state.wantsStream = isLive
            // A store that is live asks at intervals in any case.
            if case .manually = options.polling { state.due = isLive ? state.due ?? clock.now() : nil }
            return state.sleep
        }
        sleep?.cancel()
        updateStream()
    }

    private func follow() async {
        var retry = RetryDelay(first: parameters.firstRetry, longest: parameters.longestRetry)
        while !Task.isCancelled {
            guard let hint = await waitUntilDue() else { return }
            let result = await request(for: hint.tag).value
            schedule(after: result, isHinted: hint.isEvent, &retry)
        }
    }

    /// Returns when the next request is due; `nil` if the store is closed.
    private func waitUntilDue() async -> RemoteHint? {
        while !Task.isCancelled {
            let (hint, sleep) = state.withLock { state -> (RemoteHint?, Task<Void, Never>?) in
                if let due = state.due, due <= clock.now() {
                    defer { (state.due, state.hint) = (nil, RemoteHint()) }
                    return (state.hint, nil)
                }
                let end = state.due ?? clock.now() + .seconds(86_400)
                let sleep = Task { [clock] in await clock.sleep(end) }
                state.sleep = sleep
                return (nil, sleep)
            }
            if let hint { return hint }
            await withTaskCancellationHandler {
                await sleep?.value
            } onCancel: {
                sleep?.cancel()
            }
        }
        return nil
    }

    private func schedule(after result: Result<Bool, RemoteStoreError>, isHinted: Bool, _ retry: inout RetryDelay) {
        let pause: Duration?
        switch result {
        case .success(let isNew):
            retry.reset()
            state.withLock { state in
                state.vainHints = isHinted && !isNew ? state.vainHints + 1 : 0
                state.notBefore = nil
            }
            pause = interval.map { max($0, state.withLock(\.maximumAge) ?? .zero) * Double.random(in: 0.9...1.1) }
        case .failure:
            // All clients of a server may have received the same number.
            let requested = state.withLock(\.retryAfter).map { $0 * Double.random(in: 1...1.5) }
            state.withLock { state in
                if isHinted { state.vainHints += 1 }
                state.notBefore = requested.map { clock.now() + $0 }
            }
            pause = interval == nil ? nil : max(retry.next(), requested ?? .zero)
        }
        state.withLock { state in
            // An event may have come meanwhile.
            let due = pause.map { clock.now() + $0 }
            state.due = [state.due, due].compactMap(\.self).min()
        }
    }

    /// The time between two requests; `nil` if there are none by themselves.
    var interval: Duration? {
        switch options.polling {
        case .every(let interval): interval
        case .manually: state.withLock(\.wantsStream) ? Self.intervalWhileLive : nil
        }
    }

    /// Hastens the next request, because the server says that it has another document.
    ///
    /// - Parameters:
    ///   - tag: The tag of the document; `nil` if the client may be in another group.
    ///   - spread: The time over which all clients spread their requests.
    func hasten(for tag: DocumentTag?, within spread: Duration) {
        let interval = interval ?? Self.intervalWhileLive
        let wait = min(spread, interval) * Double.random(in: 0...1)
        let sleep = state.withLock { state -> Task<Void, Never>? in
            state.lastSpread = min(spread, interval)
            if let tag, state.fetched.map({ $0.tag.hasSameValues(as: tag) }) ?? false { return nil }
            let gap = min(Self.shortestGap * (1 << min(state.vainHints, 20)), interval)
            let now = clock.now()
            let earliest = [state.lastRequest.map { $0 + gap }, state.notBefore].compactMap(\.self).max() ?? now
            let due = max(now + wait, earliest)
            if state.hint.isEvent || state.due.map({ due < $0 }) ?? true {
                state.hint = RemoteHint(tag: tag, isEvent: true)
            }
            if let present = state.due, present <= due { return nil }
            state.due = due
            return state.sleep
        }
        sleep?.cancel()
    }
}

#endif

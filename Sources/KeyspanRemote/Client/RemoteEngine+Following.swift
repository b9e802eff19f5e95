#if Remote
@_spi(StoreAuthors) internal import KeyspanCore

/// The word of the server that it has another document.
struct RemoteHint: Sendable {
    /// The tag of the document; `nil` if the client may be in another group.
    let tag: DocumentTag?
    /// When the client asks for it.
    var due: ContinuousClock.Instant
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
            if options.polling == .manually { state.nextRequest = isLive ? state.nextRequest ?? clock.now() : nil }
            return state.sleep
        }
        sleep?.cancel()
        updateStream()
    }

    private func follow() async {
        var retry = RetryDelay(first: parameters.firstRetry, longest: parameters.longestRetry)
        while !Task.isCancelled {
            let (isDue, hint) = await waitUntilDue()
            guard isDue else { return }
            let result = await request(for: hint).value
            schedule(after: result, isHinted: hint != nil, &retry)
        }
    }

    /// Returns when the next request is due, with its reason if that is an event, or the task is canceled.
    private func waitUntilDue() async -> (isDue: Bool, hint: RemoteHint?) {
        while !Task.isCancelled {
            let (isDue, hint, sleep) = state.withLock { state -> (Bool, RemoteHint?, Task<Void, Never>?) in
                let now = clock.now()
                if let tag = state.hint?.tag, state.has(tag) { state.hint = nil }
                // The clock goes first, so that no event keeps the store from asking for its group's document.
                if let next = state.nextRequest, next <= now {
                    state.nextRequest = nil
                    return (true, nil, nil)
                }
                if let hint = state.hint, hint.due <= now {
                    state.hint = nil
                    return (true, hint, nil)
                }
                let end = [state.hint?.due, state.nextRequest, now + .seconds(86_400)].compactMap(\.self).min() ?? now
                let sleep = Task { [clock] in await clock.sleep(end) }
                state.sleep = sleep
                return (false, nil, sleep)
            }
            if isDue { return (true, hint) }
            await withTaskCancellationHandler {
                await sleep?.value
            } onCancel: {
                sleep?.cancel()
            }
        }
        return (false, nil)
    }

    private func schedule(after result: Result<Bool, RemoteStoreError>, isHinted: Bool, _ retry: inout RetryDelay) {
        state.withLock { state in
            let interval = interval(in: state)
            var pause = max(interval ?? .zero, state.maximumAge ?? .zero) * Double.random(in: 0.9...1.1)
            switch result {
            case .success(let isNew):
                retry.reset()
                state.vainHints = isNew ? 0 : state.vainHints + (isHinted ? 1 : 0)
                state.notBefore = nil
                // All clients of a stream ask in the same seconds, and not again after the same interval; nor at once, while
                // caches have the document of before.
                if isHinted, let next = state.nextRequest {
                    state.nextRequest = max(next, clock.now() + pause / 6)
                    return
                }
            case .failure:
                // All clients of a server may have received the same number.
                let requested = (state.retryAfter ?? .zero) * Double.random(in: 1...1.5)
                state.vainHints += isHinted ? 1 : 0
                state.notBefore = clock.now() + requested
                pause = max(retry.next(), requested)
            }
            let next = clock.now() + pause
            state.nextRequest = interval.map { _ in isHinted ? min(state.nextRequest ?? next, next) : next }
        }
    }

    /// The time between two requests; `nil` if there are none by themselves.
    func interval(in state: borrowing State) -> Duration? {
        switch options.polling {
        case .every(let interval): interval
        case .manually: state.wantsStream ? Self.intervalWhileLive : nil
        }
    }

    /// Hastens the next request, because the server says that it has another document.
    ///
    /// - Parameters:
    ///   - tag: The tag of the document; `nil` if the client may be in another group.
    ///   - spread: The time over which all clients spread their requests.
    func hasten(_ state: inout State, for tag: DocumentTag?, within spread: Duration) {
        let interval = interval(in: state) ?? Self.intervalWhileLive
        state.lastSpread = min(spread, interval)
        if let tag, state.has(tag) { return }
        // Asked for until the server has assigned one.
        if tag == nil { state.assigned = nil }
        let gap = min(Self.shortestGap * (1 << min(state.vainHints, 20)), interval)
        let earliest = [state.lastRequest.map { $0 + gap }, state.notBefore].compactMap(\.self).max()
        let due = max(clock.now() + state.lastSpread * Double.random(in: 0...1), earliest ?? clock.now())
        // The latest document counts, at the time of the first event.
        state.hint = RemoteHint(tag: tag, due: min(state.hint?.due ?? due, due))
    }
}

extension RemoteEngine.State {
    /// Whether the client has the values of a document, or later ones: the server of the stream may be behind.
    func has(_ tag: DocumentTag) -> Bool {
        fetched.map { $0.tag.hasSameValues(as: tag) || tag.isReplaced(by: $0.tag) } ?? false
    }
}
#endif

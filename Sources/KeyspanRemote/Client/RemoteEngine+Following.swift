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
            let parameters = parameters
            state.loop = Task { [weak self] in
                var retry = RetryDelay(first: parameters.firstRetry, longest: parameters.longestRetry)
                while !Task.isCancelled {
                    guard let pause = await self?.followOnce(&retry) else { return }
                    await self?.sleep(for: pause)
                }
            }
        }
    }

    /// Ends all work with the server, and leaves the values as they are.
    func close() {
        let (loop, cancelPhase, requests) = state.withLock { state in
            state.isClosed = true
            defer { (state.loop, state.cancelPhase) = (nil, nil) }
            return (state.loop, state.cancelPhase, state.requests)
        }
        loop?.cancel()
        cancelPhase?()
        for request in requests.values { request.task.cancel() }
    }

    /// Opens or closes the stream.
    func setLive(_ isLive: Bool) {
        let cancelPhase = state.withLock { state -> (@Sendable () -> Void)? in
            guard state.wantsStream != isLive else { return nil }
            state.wantsStream = isLive
            return state.cancelPhase
        }
        cancelPhase?()
        if isLive { startLoop() }
    }

    /// Runs a part of the work that a change of ``setLive(_:)`` interrupts.
    ///
    /// - Parameters:
    ///   - isLive: The mode that the work belongs to.
    ///   - body: The work.
    /// - Returns: The result of the work; `nil` if the mode is another one already.
    private func runPhase<Result: Sendable>(
        isLive: Bool,
        _ body: @escaping @Sendable () async -> Result?
    ) async -> Result? {
        let task = state.withLock { state -> Task<Result?, Never>? in
            guard state.wantsStream == isLive, !state.isClosed else { return nil }
            let task = Task { await body() }
            state.cancelPhase = { task.cancel() }
            return task
        }
        guard let task else { return nil }
        let result = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        state.withLock { $0.cancelPhase = nil }
        return result
    }

    /// A time until the next work, and the mode in which it was decided: in another one, there is work at once.
    struct Pause {
        /// Long enough, because a change of the mode ends it.
        static let idle = Duration.seconds(86_400)

        let duration: Duration
        let isLive: Bool
    }

    private func sleep(for pause: Pause) async {
        if pause.duration <= .zero { return }
        await runPhase(isLive: pause.isLive) { try? await Task.sleep(for: pause.duration) }
    }

    /// Reads the stream until it ends, or asks for the document once.
    ///
    /// - Returns: The pause before the next time; `nil` if there is none.
    func followOnce(_ retry: inout RetryDelay) async -> Pause? {
        let isLive = state.withLock(\.wantsStream)
        let pause = isLive ? await followStream(&retry) : await poll(&retry)
        return state.withLock(\.isClosed) ? nil : pause
    }

    private func followStream(_ retry: inout RetryDelay) async -> Pause {
        let end = await runPhase(isLive: true) { [weak self] in await self?.readStream() }
        let now = state.withLock { $0 }
        if !now.wantsStream {
            guard options.isAutomatic else { return Pause(duration: Pause.idle, isLive: false) }
            // The stream has brought the latest version, so that the next request has time.
            let rest = now.lastContact.map { pauseAfterSuccess() - (.now - $0) } ?? .zero
            return Pause(duration: rest, isLive: false)
        }
        // A busy stream needs the document now and then.
        if let end, end.hasContact, end.hasOverflowed { return Pause(duration: .zero, isLive: true) }
        // A stream that is accepted and lost at once, again and again, does not begin the pauses anew.
        if let end, end.hasContact || end.hasComment, retry.isOutlasted(by: end.duration) { retry.reset() }
        let isConfirmed = end?.hasContact == true
        if !isConfirmed, options.isAutomatic, now.lastRequest.map({ .now - $0 >= options.interval }) ?? true {
            // A proxy may hold streams up and pass documents on.
            _ = await answer(isLive: true)
        }
        return Pause(duration: pauseAfterFailure(&retry), isLive: true)
    }

    private func poll(_ retry: inout RetryDelay) async -> Pause {
        guard options.isAutomatic else { return Pause(duration: Pause.idle, isLive: false) }
        switch await answer(isLive: false) {
        case .success:
            retry.reset()
            return Pause(duration: max(pauseAfterSuccess(), parameters.minimumInterval), isLive: false)
        case .failure:
            return Pause(duration: pauseAfterFailure(&retry), isLive: false)
        case nil:
            return Pause(duration: .zero, isLive: false)
        }
    }

    /// Asks for the document.
    ///
    /// - Returns: The result; `nil` if the mode changes first, which does not end the request.
    private func answer(isLive: Bool) async -> Result<Bool, RemoteStoreError>? {
        await runPhase(isLive: isLive) { [weak self] in
            guard let request = self?.request() else { return nil }
            // Waiting for the value of a task cannot be interrupted.
            let (results, continuation) = AsyncStream.makeStream(of: Result<Bool, RemoteStoreError>.self)
            Task {
                continuation.yield(await request.value)
                continuation.finish()
            }
            return await results.first { _ in true }
        }
    }

    private func pauseAfterSuccess() -> Duration {
        let pause = max(options.interval, state.withLock(\.maximumAge) ?? .zero)
        return pause * Double.random(in: 0.9...1.1)
    }

    /// The growing pause, or a longer one that the server has asked for.
    func pauseAfterFailure(_ retry: inout RetryDelay) -> Duration {
        let requested = state.withLock { state in
            defer { state.retryAfter = nil }
            return state.retryAfter ?? .zero
        }
        // All clients of a server may have received the same number.
        return max(retry.next(), requested * Double.random(in: 1...1.5))
    }
}
#endif

#if Service
internal import KeyspanCore

extension Duration {
    /// A time that outlasts every program and that a task can sleep.
    static var longestSleep: Duration { .seconds(365 * 86_400) }
}

/// Synchronizes stores, all at once, and waits for them no longer than a deadline.
struct StoreSaving: Sendable {
    private let stores: [any PropertyListStore]
    private let timeout: Duration
    private let sleep: @Sendable (Duration) async throws -> Void
    /// Has a thread for each store, which other work of the process cannot take.
    private let threads: BlockingWork

    /// Makes a saving that has not begun.
    ///
    /// - Parameters:
    ///   - stores: The stores, none of which has layers.
    ///   - timeout: How long they may take.
    ///   - sleep: Suspends a task for a time.
    init(
        of stores: [any PropertyListStore],
        within timeout: Duration,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.stores = stores
        self.timeout = timeout
        self.sleep = sleep
        threads = BlockingWork(limit: stores.count)
    }

    private enum Event: Sendable {
        case answer(Int, Result<Void, StoreError>)
        case deadline
    }

    /// The stores that failed or did not answer in time.
    ///
    /// A canceled task waits as well, because the process ends when this returns.
    func failures() async -> [UnsavedStoresError.Failure] {
        // A task of its own is not canceled with the caller's.
        await Task { await outcomes() }.value.enumerated().compactMap { index, outcome in
            let store = stores[index]
            let cause: UnsavedStoresError.Failure.Cause
            switch outcome {
            case .success: return nil
            case .failure(let error): cause = .failed(error)
            case nil:
                cause = .timeout(timeout)
                // Otherwise the exit of the process would wait for the same disk.
                (store.writtenStore as? any ExitSavingStore)?.giveUpSavingAtExit()
            }
            return UnsavedStoresError.Failure(
                store: store.name,
                cause: cause,
                unsavedKeys: store.activityReporting?.unsavedKeys.sorted() ?? []
            )
        }
    }

    /// The answer of each store; `nil` if there was none in time.
    private func outcomes() async -> [Result<Void, StoreError>?] {
        var outcomes = [Result<Void, StoreError>?](repeating: nil, count: stores.count)
        if stores.isEmpty { return outcomes }
        let (events, continuation) = AsyncStream.makeStream(of: Event.self)
        // No child tasks, whose end would have to be awaited: a store may wait for its disk forever.
        for (index, store) in stores.enumerated() {
            Task {
                do throws(StoreError) {
                    try await threads.run { () throws(StoreError) in try store.synchronize() }
                    continuation.yield(.answer(index, .success(())))
                } catch {
                    continuation.yield(.answer(index, .failure(error)))
                }
            }
        }
        let timer = Task {
            try await sleep(min(timeout, .longestSleep))
            continuation.yield(.deadline)
        }
        defer { timer.cancel() }
        var waiting = stores.count
        for await event in events {
            guard case .answer(let index, let outcome) = event else { break }
            outcomes[index] = outcome
            waiting -= 1
            if waiting == 0 { break }
        }
        return outcomes
    }
}
#endif

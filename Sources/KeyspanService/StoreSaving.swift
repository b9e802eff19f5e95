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
    }

    /// The stores that failed or did not answer in time.
    ///
    /// A canceled task waits as well, because the process ends when this returns.
    func failures() async -> [UnsavedStoresError.Failure] {
        // Has a thread for each store, which other work of the process cannot take.
        let threads = BlockingWork(limit: stores.count)
        let outcomes = await answers(
            of: stores.map { store in { Result { () throws(StoreError) in try store.synchronize() } } },
            on: threads,
            within: timeout,
            sleep: sleep
        )
        return zip(stores, outcomes).compactMap { store, outcome in
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
}

/// Runs work that may block for ever, all at once, and waits for it no longer than a deadline.
///
/// - Parameters:
///   - work: The work.
///   - threads: Where it runs.
///   - timeout: How long it may take. A canceled task waits as well.
///   - sleep: Suspends a task for a time.
/// - Returns: The answer of each; `nil` if there was none in time.
func answers<Answer: Sendable>(
    of work: [@Sendable () -> Answer],
    on threads: BlockingWork,
    within timeout: Duration,
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
) async -> [Answer?] {
    let count = work.count
    if count == 0 { return [] }
    let (events, continuation) = AsyncStream.makeStream(of: Optional<(index: Int, answer: Answer)>.self)
    // No child tasks, whose end would have to be awaited, and which would be canceled with the caller's.
    for (index, work) in work.enumerated() {
        Task { continuation.yield((index, await threads.run(work))) }
    }
    let timer = Task {
        try await sleep(min(timeout, .longestSleep))
        continuation.yield(nil)
    }
    defer { timer.cancel() }
    return await Task {
        var (answers, waiting) = ([Answer?](repeating: nil, count: count), count)
        for await event in events {
            guard let event else { break }
            answers[event.index] = event.answer
            waiting -= 1
            if waiting == 0 { break }
        }
        return answers
    }.value
}
#endif

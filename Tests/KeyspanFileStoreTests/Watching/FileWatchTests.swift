import KeyspanCore
import KeyspanFileStore
import KeyspanTestSupport
import Testing

@Suite(.timeLimit(.minutes(20)))
struct FileWatchTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.overwrite("file", "old")
    }

    private final class Counter: Sendable {
        private let count = Locked(0)
        var value: Int { count.withLock { $0 } }
        func add(_ number: Int) -> Int {
            count.withLock {
                $0 += number
                return $0
            }
        }
    }

    private func watch(
        with kind: WatcherKind,
        onChange: @escaping @Sendable () -> Void
    ) -> FileWatch {
        kind.watcher.watch(
            .file(AbsolutePath(folder.path("file"), relativeTo: "/"), companion: WatchingReader.companionName),
            onPolling: { _ in },
            onChange: onChange
        )
    }

    @Test(arguments: WatcherKind.allCases)
    func `a watch makes no calls after it is canceled`(kind: WatcherKind) async throws {
        let cancelled = WatchingReader(folder.path("file"), with: kind.watcher)
        let other = WatchingReader(folder.path("file"), with: kind.watcher)
        try folder.overwrite("file", "told")
        await cancelled.reads("told")
        cancelled.cancel()
        for number in 1...10 {
            try folder.replace("file", "new \(number)")
            await other.reads("new \(number)")
        }
        #expect(!cancelled.readings.contains { $0.file?.hasPrefix("new") == true })
    }

    /// Ends the stream when it is released.
    private final class Held: Sendable {
        private let continuation: AsyncStream<Void>.Continuation
        init(_ continuation: AsyncStream<Void>.Continuation) { self.continuation = continuation }
        deinit { continuation.finish() }
        func keep() {}
    }

    @Test(arguments: WatcherKind.allCases)
    func `a watch ends when it is released, with all that its closures hold`(kind: WatcherKind) async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        do {
            let held = Held(continuation)
            let watch = watch(with: kind) { held.keep() }
            withExtendedLifetime(watch) {}
        }
        for await _ in stream {}
    }

    private final class Slot: Sendable {
        private let watch = Locked<FileWatch?>(nil)
        func put(_ watch: FileWatch) { self.watch.withLock { $0 = watch } }
        func take() -> FileWatch? { watch.withLock { $0.take() } }
    }

    @Test(arguments: WatcherKind.allCases)
    func `a watch may be canceled by its own call`(kind: WatcherKind) async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        let slot = Slot()
        slot.put(
            watch(with: kind) {
                guard let watch = slot.take() else { return }
                watch.cancel()
                continuation.finish()
            }
        )
        try folder.replace("file", "new")
        for await _ in stream {}
    }

    @Test(arguments: WatcherKind.allCases)
    func `a watch makes one call at a time`(kind: WatcherKind) async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        let running = Counter()
        let watch = watch(with: kind) {
            continuation.yield(running.add(1))
            sched_yield()
            _ = running.add(-1)
        }
        var calls = 0
        try folder.overwrite("file", "new")
        for await count in stream {
            #expect(count == 1)
            calls += 1
            if calls == 200 { break }
            try folder.replace("file", "new \(calls)")
        }
        watch.cancel()
    }
}

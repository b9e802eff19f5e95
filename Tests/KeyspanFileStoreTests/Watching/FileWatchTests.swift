import KeyspanCore
import KeyspanFileStore
import KeyspanTestSupport
import Testing

@Suite
struct FileWatchTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.overwrite("file", "old")
    }

    private func watch(with kind: WatcherKind, onChange: @escaping @Sendable () -> Void) -> FileWatch {
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
        try await cancelled.reads("told")
        cancelled.cancel()
        for number in 1...10 {
            try folder.replace("file", "new \(number)")
            try await other.reads("new \(number)")
        }
        #expect(!cancelled.readings.contains { $0.file?.hasPrefix("new") == true })
    }

    @Test(arguments: WatcherKind.allCases)
    func `a watch ends when it is released, with all that its closures hold`(kind: WatcherKind) async throws {
        final class Held: Sendable {}
        weak var held: Held?
        do {
            let new = Held()
            held = new
            let watch = watch(with: kind) { withExtendedLifetime(new) {} }
            withExtendedLifetime(watch) {}
        }
        try await eventually("the closures of the watch are released") { held == nil }
    }

    @Test(arguments: WatcherKind.allCases)
    func `a watch may be canceled by its own call`(kind: WatcherKind) async throws {
        let slot = Locked<FileWatch?>(nil)
        let isCanceled = Locked(false)
        let new = watch(with: kind) {
            guard let watch = slot.withLock({ $0.take() }) else { return }
            watch.cancel()
            isCanceled.withLock { $0 = true }
        }
        slot.withLock { $0 = new }
        try folder.replace("file", "new")
        try await eventually("the watch cancels itself") { isCanceled.withLock(\.self) }
    }

    @Test(arguments: WatcherKind.allCases)
    func `a watch makes one call at a time`(kind: WatcherKind) async throws {
        let running = Locked(0)
        let counts = Recorder<Int>()
        let watch = watch(with: kind) {
            counts.record(
                running.withLock {
                    $0 += 1; return $0
                }
            )
            sched_yield()
            running.withLock { $0 -= 1 }
        }
        for number in 1...200 {
            try folder.replace("file", "new \(number)")
            try await eventually("the watch makes call \(number)", counts.count) { $0 >= number }
        }
        watch.cancel()
        #expect(Set(counts.values) == [1])
    }
}

import KeyspanCore
import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// Watches that begin after the caller has gone on.
@Suite
struct BackgroundFileWatcherTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test func `a change is reported whether it comes before or after the watch has begun`() async throws {
        for round in 0..<20 {
            let reader = WatchingReader(folder.path("file"), with: BackgroundFileWatcher(SystemFileWatcher()))
            try folder.replace("file", "first \(round)")
            await reader.reads("first \(round)")
            try folder.replace("file", "second \(round)")
            await reader.reads("second \(round)")
        }
    }

    @Test func `a watch that ends before it has begun never begins`() async throws {
        let base = ListingWatcher()
        let watcher = BackgroundFileWatcher(base)
        let begin = { (name: String, onChange: @escaping @Sendable () -> Void) in
            watcher.watch(
                .file(AbsolutePath("/\(name)", relativeTo: "/"), companion: { $0 }),
                onPolling: { _ in },
                onChange: onChange
            )
        }
        let first = begin("first") {}
        begin("second") { Issue.record("a watch that has ended reported a change") }.cancel()
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        let third = begin("third") { continuation.finish() }
        for await _ in stream {}
        #expect(!base.paths.withLock { $0.contains("/second") })
        withExtendedLifetime((first, third)) {}
    }
}

/// A watcher that lists the paths that it is asked to watch.
private final class ListingWatcher: FileWatcher {
    let paths = Locked<[String]>([])

    func watch(
        _ target: WatchTarget,
        onAppend: @escaping @Sendable () -> EventResponse,
        onPolling: @escaping @Sendable (FileWatchError) -> Void,
        onChange: @escaping @Sendable () -> Void
    ) -> FileWatch {
        paths.withLock { $0.append(target.path.text) }
        return FileWatch {}
    }
}

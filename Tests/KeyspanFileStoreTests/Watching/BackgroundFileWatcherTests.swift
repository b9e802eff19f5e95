import KeyspanFileStore
import KeyspanTestSupport
import Testing

/// Watches that begin after the caller has gone on.
@Suite
struct BackgroundFileWatcherTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func `a change is reported whether it comes before or after the watch has begun`() async throws {
        for round in 0..<20 {
            let reader = WatchingReader(folder.path("file"), with: BackgroundFileWatcher(SystemFileWatcher()))
            try folder.replace("file", "first \(round)")
            try await reader.reads("first \(round)")
            try folder.replace("file", "second \(round)")
            try await reader.reads("second \(round)")
        }
    }

    @Test func `a watch that ends before it has begun never begins`() async throws {
        let base = ManualFileWatcher()
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
        let third = begin("third") {}
        try await eventually("the third watch begins", base.paths) { $0.contains("/third") }
        #expect(!base.paths.contains("/second"))
        withExtendedLifetime((first, third)) {}
    }
}

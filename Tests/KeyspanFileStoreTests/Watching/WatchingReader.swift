import KeyspanCore
import KeyspanFileStore

/// Reads a file and its companion whenever a watcher calls, as a store does.
final class WatchingReader: Sendable {
    /// The contents; `nil` stands for a missing file.
    struct Contents: Equatable {
        let file: String?
        let companion: String?
    }

    /// The readings so far.
    private final class Log: Sendable {
        let readings = Locked<[Contents]>([])
        let errors = Locked<[FileWatchError]>([])
    }

    private let log: Log
    private let stream: AsyncStream<Contents>
    private let watch: FileWatch

    /// Everything that was read, one reading for each call.
    var readings: [Contents] { log.readings.withLock { $0 } }
    /// Why it was not the system that told.
    var errors: [FileWatchError] { log.errors.withLock { $0 } }

    /// - Parameters:
    ///   - path: The file that is watched and read.
    ///   - companionPath: The companion that is read; beside the file unless given.
    ///   - watcher: Tells when to read.
    init(_ path: String, companion companionPath: String? = nil, with watcher: any FileWatcher) {
        let path = AbsolutePath(path, relativeTo: "/")
        let companionPath = companionPath ?? path.sibling(Self.companionName(of: path.name)).text
        let (stream, continuation) = AsyncStream.makeStream(of: Contents.self)
        let log = Log()
        watch = watcher.watch(
            .file(path, companion: Self.companionName),
            onPolling: { error in log.errors.withLock { $0.append(error) } },
            onChange: {
                let contents = Contents(file: Self.read(path.text), companion: Self.read(companionPath))
                log.readings.withLock { $0.append(contents) }
                continuation.yield(contents)
            }
        )
        self.log = log
        self.stream = stream
    }

    /// Returns when that was read; a test that waits in vain runs into its time limit.
    func reads(_ file: String?, companion: String? = nil) async {
        let expected = Contents(file: file, companion: companion)
        for await contents in stream where contents == expected { return }
    }

    /// Ends the watch.
    func cancel() {
        watch.cancel()
    }

    /// The name of the companion: that of a journal.
    @Sendable static func companionName(of name: String) -> String { ".\(name).journal" }

    private static func read(_ path: String) -> String? {
        let fileSystem = InterruptRetryingFileSystem(POSIXFileSystem())
        guard let file = try? fileSystem.openFile(path, for: .reading) else { return nil }
        defer { try? fileSystem.closeFile(file) }
        return (try? fileSystem.readBytes(from: file, atMost: 4096)).map { String(decoding: $0, as: UTF8.self) }
    }
}

/// The ways to notice changes, which notice the same.
enum WatcherKind: CaseIterable {
    case system
    case polling

    var watcher: any FileWatcher {
        switch self {
        case .system: SystemFileWatcher.ofProcess
        case .polling: PollingFileWatcher()
        }
    }
}

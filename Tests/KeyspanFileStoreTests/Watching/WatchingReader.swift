import KeyspanCore
import KeyspanFileStore
import KeyspanTestSupport
import Testing

/// Reads a file and its companion whenever a watcher calls, as a store does.
final class WatchingReader: Sendable {
    /// The contents; `nil` stands for a missing file.
    struct Contents: Equatable, CustomStringConvertible {
        let file: String?
        let companion: String?

        var description: String { "\(file ?? "-") + \(companion ?? "-")" }
    }

    private let log = Recorder<Contents>()
    private let failures = Recorder<FileWatchError>()
    /// The number of readings that a test has waited for.
    private let seen = Locked(0)
    private let watch: FileWatch

    /// Everything that was read, one reading for each call.
    var readings: [Contents] { log.values }
    /// Why it was not the system that reported changes.
    var errors: [FileWatchError] { failures.values }

    /// - Parameters:
    ///   - path: The file that is watched and read.
    ///   - companionPath: The companion that is read; beside the file unless given.
    ///   - watcher: Reports when to read.
    init(_ path: String, companion companionPath: String? = nil, with watcher: any FileWatcher) {
        let path = AbsolutePath(path, relativeTo: "/")
        let companionPath = companionPath ?? path.sibling(Self.companionName(of: path.name)).text
        watch = watcher.watch(
            .file(path, companion: Self.companionName),
            onPolling: { [failures] in failures.record($0) },
            onChange: { [log] in
                log.record(Contents(file: Self.read(path.text), companion: Self.read(companionPath)))
            }
        )
    }

    /// Waits until contents are read, behind the readings that a test has waited for before.
    func reads(
        _ file: String?,
        companion: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let expected = Contents(file: file, companion: companion)
        try await eventually("the watcher reports \(expected)", readings, sourceLocation: sourceLocation) { readings in
            seen.withLock { seen in
                guard let place = readings[seen...].firstIndex(of: expected) else { return false }
                seen = place + 1
                return true
            }
        }
    }

    /// Runs a script whose step `watch` names the file and perhaps its companion.
    ///
    /// Behind `=` stands the text of the file, or `-` without one, and perhaps `+` and the text of the companion.
    static func run(_ script: String, in folder: TemporaryFolder, with watcher: any FileWatcher) async throws {
        var reader: WatchingReader?
        try await folder.run(script) { words in
            reader = WatchingReader(
                folder.path(words[0]),
                companion: words.count > 1 ? folder.path(words[1]) : nil,
                with: watcher
            )
        } expect: { text in
            let parts = text.split(separator: " + ").map(String.init)
            try await reader?.reads(parts[0] == "-" ? nil : parts[0], companion: parts.count > 1 ? parts[1] : nil)
        }
        #expect(reader?.errors.isEmpty == true)
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

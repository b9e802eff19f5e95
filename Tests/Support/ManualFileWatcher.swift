import KeyspanCore
package import KeyspanFileStore

/// A watcher that tells of changes when a test says so.
package final class ManualFileWatcher: FileWatcher {
    private let receivers = Locked<[@Sendable () -> Void]>([])
    private let appenders = Locked<[@Sendable () -> EventResponse]>([])
    private let watched = Recorder<String>()
    private let ended = Recorder<String>()

    package init() {}

    /// The paths that were watched, in the order in which their watches began.
    package var paths: [String] { watched.values }

    /// The paths of the watches that have ended.
    package var endedPaths: [String] { ended.values }

    package func watch(
        _ target: WatchTarget,
        onAppend: @escaping @Sendable () -> EventResponse,
        onPolling: @escaping @Sendable (FileWatchError) -> Void,
        onChange: @escaping @Sendable () -> Void
    ) -> FileWatch {
        receivers.withLock { $0.append(onChange) }
        appenders.withLock { $0.append(onAppend) }
        watched.record(target.path.text)
        return FileWatch { [ended] in ended.record(target.path.text) }
    }

    /// Tells that the file may have changed.
    package func tell() {
        for receive in receivers.withLock({ $0 }) { receive() }
    }

    /// Tells that the companion was written to, and returns what the last client does about it.
    package func tellOfAppend() -> EventResponse {
        appenders.withLock({ $0 }).last?() ?? EventResponse()
    }
}

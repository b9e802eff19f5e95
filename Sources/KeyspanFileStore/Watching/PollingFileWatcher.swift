/// Looks at files at regular intervals, and needs nothing of the system that every file system does not have.
package struct PollingFileWatcher: FileWatcher {
    private let interval: Duration
    private let fileSystem: any FileSystem

    /// The time between two looks where the system cannot tell of changes.
    package static let defaultInterval = Duration.milliseconds(500)

    /// Makes a watcher.
    ///
    /// - Parameters:
    ///   - interval: The time between two looks.
    ///   - fileSystem: Where the files are.
    package init(
        interval: Duration = defaultInterval,
        fileSystem: any FileSystem = InterruptRetryingFileSystem(POSIXFileSystem())
    ) {
        self.interval = interval
        self.fileSystem = fileSystem
    }

    /// Begins to look at a file; `onPolling` is not called, because nothing has failed.
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
            pollingInterval: interval,
            onChange: onChange
        )
        watched.poll()
        return FileWatch(watched.cancel)
    }
}

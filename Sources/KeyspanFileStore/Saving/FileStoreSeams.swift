/// What a file store is made of that tests replace.
package struct FileStoreSeams: Sendable {
    /// Makes the system calls; interrupted ones are repeated.
    package var fileSystem: any FileSystem
    /// Runs the work in the background.
    package var timer: any SaveTimer
    /// Tells of changes by others.
    package var watcher: (any FileWatcher)?
    /// Where the store is listed while it lives, for the exit of the process and for other stores.
    package var openTables: OpenTables
    /// Called without a lock with what no caller is told.
    package var report: @Sendable (FileBackedTable.Report) -> Void

    /// Makes seams; those that are left out are the process's own, without a watcher.
    package init(
        fileSystem: any FileSystem,
        timer: any SaveTimer = DispatchSaveTimer(),
        watcher: (any FileWatcher)? = nil,
        openTables: OpenTables = .ofProcess,
        report: (@Sendable (FileBackedTable.Report) -> Void)? = nil
    ) {
        self.fileSystem = fileSystem
        self.timer = timer
        self.watcher = watcher
        self.openTables = openTables
        self.report = report ?? { $0.report() }
    }

    /// What the stores of a program use.
    package static func ofProcess() -> FileStoreSeams {
        StandardErrorReport.begin()
        return FileStoreSeams(fileSystem: POSIXFileSystem(), watcher: SystemFileWatcher.ofProcess)
    }
}

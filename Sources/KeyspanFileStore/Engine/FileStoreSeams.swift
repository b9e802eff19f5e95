internal import KeyspanCore

/// The parts of a file store that tests replace.
package struct FileStoreSeams: Sendable {
    /// Makes the system calls; interrupted calls are repeated.
    package var fileSystem: any FileSystem
    /// Runs the work in the background.
    package var queue: any WorkQueue
    /// Reports changes by other processes.
    package var watcher: (any FileWatcher)?
    /// The list of the engines in use, for the exit of the process and for other stores.
    package var openEngines: OpenEngines
    /// Called without a lock with problems that no caller receives.
    package var report: @Sendable (FileReport) -> Void

    /// Makes seams; those that are left out are the process's own, without a watcher.
    package init(
        fileSystem: any FileSystem,
        queue: any WorkQueue = BlockingQueue(),
        watcher: (any FileWatcher)? = nil,
        openEngines: OpenEngines = .ofProcess,
        report: (@Sendable (FileReport) -> Void)? = nil
    ) {
        self.fileSystem = fileSystem
        self.queue = queue
        self.watcher = watcher
        self.openEngines = openEngines
        self.report = report ?? { $0.report() }
    }

    /// The seams of a program's stores.
    package static func ofProcess() -> FileStoreSeams {
        FileStoreSeams(fileSystem: POSIXFileSystem(), watcher: BackgroundFileWatcher.ofProcess)
    }
}

/// A failure or a notice that no caller receives.
package enum FileReport: Sendable {
    /// Work in the background failed in another way than the last time.
    case failure(FileStoreError)
    /// A notice to a person.
    case notice(FileStoreNotice)

    /// Passes the report to `Defaults.onProblem(_:)`.
    func report() {
        switch self {
        case .failure(let error): Defaults.Problem.storeUnavailable(name: error.path, cause: error).report()
        case .notice(let notice): Defaults.Problem.storeNotice(name: notice.path, notice: notice).report()
        }
    }
}

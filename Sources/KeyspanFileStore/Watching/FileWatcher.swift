import KeyspanCore

/// A file or a folder that a watcher watches; neither it nor the folders above it need to exist.
package enum WatchTarget: Sendable {
    /// A file, or a link that leads to it, and a companion: a second file, in the folder of the file that the links lead to,
    /// whose name is derived from that of the file.
    case file(AbsolutePath, companion: @Sendable (String) -> String)
    /// A folder of settings, or a link that leads to it: the names in it, and the files that these lead to.
    case folder(AbsolutePath)

    /// The path of the file or folder.
    package var path: AbsolutePath {
        switch self {
        case .file(let path, _), .folder(let path): path
        }
    }
}

/// Reports that a file or a folder may have changed, including changes by other processes.
package protocol FileWatcher: Sendable {
    /// Begins to watch a target, and never fails: where the system reports no changes, the watcher polls the target.
    ///
    /// Every change after this method returns is reported. A client that reads the target after this method returns, and after
    /// each call of `onChange`, has seen the last version. A call may come without a change, for example after the process's own
    /// write.
    ///
    /// - Parameters:
    ///   - target: The file or folder.
    ///   - onAppend: Called in place of `onChange` after the companion was written to and nothing else happened. The thread
    ///     serves the watches of other files as well, so it must return at once, without a system call that may block.
    ///   - onPolling: Called at most once, on any thread and without a lock, when the watcher begins to poll; possibly before
    ///     this method returns.
    ///   - onChange: Called, on the watcher's own threads and without a lock, after something may have changed.
    /// - Returns: The watch, which ends when it is released.
    func watch(
        _ target: WatchTarget,
        onAppend: @escaping @Sendable () -> EventResponse,
        onPolling: @escaping @Sendable (FileWatchError) -> Void,
        onChange: @escaping @Sendable () -> Void
    ) -> FileWatch
}

extension FileWatcher {
    /// Begins to watch a target for a client to which all changes are the same.
    package func watch(
        _ target: WatchTarget,
        onPolling: @escaping @Sendable (FileWatchError) -> Void,
        onChange: @escaping @Sendable () -> Void
    ) -> FileWatch {
        let onAppend = { @Sendable in
            onChange()
            return EventResponse()
        }
        return watch(target, onAppend: onAppend, onPolling: onPolling, onChange: onChange)
    }
}

/// A subscription to the changes of a file, which ends when it is cancelled or released.
package final class FileWatch: Sendable {
    private let end: Locked<(@Sendable () -> Void)?>

    /// Makes a watch.
    ///
    /// - Parameter end: Called once, when the watch ends.
    package init(_ end: @escaping @Sendable () -> Void) {
        self.end = Locked(end)
    }

    deinit {
        cancel()
    }

    /// Ends the watch.
    ///
    /// No call begins after this; one that has begun may still be running.
    package func cancel() {
        let end = self.end.withLock { end in
            defer { end = nil }
            return end
        }
        end?()
    }
}

/// The reason why the system cannot report changes to a store's file, so that the store polls the file instead.
///
/// No change is lost, but changes by other processes arrive later, and the process wakes up regularly.
package struct FileWatchError: Error, Sendable {
    /// The absolute path of the store's file.
    package let path: String
    /// The problem, as a clause without a full stop.
    package let reason: String
    /// The remedy, as a clause without a full stop.
    package let remedy: String
    /// The time between two polls.
    package let interval: Duration
    /// The error that caused this one, if a system call failed: a ``SystemCallError``.
    package let underlying: (any Error)?
}

extension FileWatchError: CustomStringConvertible {
    /// The error in one sentence.
    package var description: String {
        "\(path): cannot wait for changes, looks for them every \(interval): \(reason); \(remedy)."
    }
}

extension FileWatchError {
    /// Makes the error for an item on the way to the file that the system cannot watch.
    init(path: String, interval: Duration, _ error: ItemWatchError) {
        self.init(
            path: path,
            reason: error.reason,
            remedy: error.remedy,
            interval: interval,
            underlying: error.underlying
        )
    }
}

/// Subscribes to changes at the system: inotify(7) on Linux, kqueue(2) on Apple systems.
///
/// The watcher polls a file whose changes the system cannot report, because a limit is reached or because other machines can
/// change the file. It does not notice a file system that is mounted over a folder on the way.
package struct SystemFileWatcher: FileWatcher {
    /// The watcher that all stores of the process share.
    package static let ofProcess = SystemFileWatcher()

    /// The time between two polls where the system reports no changes.
    package static let defaultPollingInterval = Duration.milliseconds(500)

    private let items: any ItemWatcher
    private let mountTable: @Sendable () -> MountTable
    private let fileSystem: any FileSystem
    private let pollingInterval: Duration

    /// Makes a watcher that requests no resources of the system before it watches the first file.
    init(
        items: any ItemWatcher,
        mountTable: @escaping @Sendable () -> MountTable = MountTable.current,
        fileSystem: any FileSystem = InterruptRetryingFileSystem(POSIXFileSystem()),
        pollingInterval: Duration = defaultPollingInterval
    ) {
        self.items = items
        self.mountTable = mountTable
        self.fileSystem = fileSystem
        self.pollingInterval = pollingInterval
    }

    package func watch(
        _ target: WatchTarget,
        onAppend: @escaping @Sendable () -> EventResponse,
        onPolling: @escaping @Sendable (FileWatchError) -> Void,
        onChange: @escaping @Sendable () -> Void
    ) -> FileWatch {
        let watched = WatchedPath(
            target,
            fileSystem: fileSystem,
            pollingInterval: pollingInterval,
            onAppend: onAppend,
            onChange: onChange
        )
        watched.wait(for: .init(items: items, mountTable: mountTable, onPolling: onPolling))
        return FileWatch(watched.cancel)
    }
}

#if canImport(Darwin)
extension SystemFileWatcher {
    /// Makes a watcher with kernel event queues of its own.
    ///
    /// - Parameters:
    ///   - mountTable: Returns the remote file systems that are mounted now.
    ///   - pollingInterval: The time between two polls where the system reports no changes.
    package init(
        mountTable: @escaping @Sendable () -> MountTable = MountTable.current,
        pollingInterval: Duration = defaultPollingInterval
    ) {
        self.init(items: KernelQueueItemWatcher(), mountTable: mountTable, pollingInterval: pollingInterval)
    }
}
#else
extension SystemFileWatcher {
    /// Makes a watcher with an inotify instance of its own.
    ///
    /// - Parameters:
    ///   - calls: The system calls, which a test can make fail.
    ///   - mountTable: Returns the remote file systems that are mounted now.
    ///   - pollingInterval: The time between two polls where the system reports no changes.
    package init(
        calls: any InotifyCalls = SystemInotifyCalls(),
        mountTable: @escaping @Sendable () -> MountTable = MountTable.current,
        pollingInterval: Duration = defaultPollingInterval
    ) {
        self.init(items: InotifyItemWatcher(calls: calls), mountTable: mountTable, pollingInterval: pollingInterval)
    }
}
#endif

/// When a table does its work in the background: one schedule for each kind.
package struct FileSchedules: Sendable {
    private var saves: SaveSchedule
    private var folds: SaveSchedule
    private var refreshes: SaveSchedule
    private var foldRequests: UInt64 = 0
    private var refreshRequests: UInt64 = 0
    /// Whether this process has read the file in order to write since the last refresh.
    private var isWriting = false

    /// How long the first refresh after a write waits.
    ///
    /// The write itself lets the watcher call, and the next write reads what others wrote as well. Without the pause, each
    /// batch of one process makes all others queue for the lock in order to read.
    private static let pauseAfterWrite = Duration.milliseconds(20)

    /// How often a file that cannot be parsed is looked at before that is news.
    ///
    /// It may be half written. With growing intervals that is about three seconds.
    private static let patience = 4

    /// Makes schedules for a file that has just been read.
    package init(_ options: FileStoreOptions) {
        saves = SaveSchedule(savedGeneration: 0, delay: options.saveDelay)
        folds = SaveSchedule(savedGeneration: 0, delay: options.foldDelay, patience: Self.patience)
        refreshes = SaveSchedule(savedGeneration: 0, delay: .zero, patience: Self.patience)
    }

    /// The schedule of one kind of work.
    package subscript(work: BackgroundWork) -> SaveSchedule {
        get {
            switch work {
            case .save: saves
            case .fold: folds
            case .refresh: refreshes
            }
        }
        set {
            switch work {
            case .save: saves = newValue
            case .fold: folds = newValue
            case .refresh: refreshes = newValue
            }
        }
    }

    /// What the next fold does away with.
    package var foldGeneration: UInt64 { foldRequests }

    /// What the next refresh answers.
    package var refreshGeneration: UInt64 { refreshRequests }

    /// The journal has something that the file has not.
    ///
    /// - Parameter isUrgent: Whether it has become so large that it must not wait.
    /// - Returns: The timer to set, if none is.
    package mutating func fileHasUnfolded(isUrgent: Bool) -> SaveSchedule.Timer? {
        foldRequests += 1
        return folds.tableDidChange(to: foldRequests, isUrgent: isUrgent)
    }

    /// The file may have been changed by others.
    ///
    /// - Returns: The timer to set, if none is.
    package mutating func fileMayHaveChanged() -> SaveSchedule.Timer? {
        refreshRequests += 1
        return refreshes.tableDidChange(to: refreshRequests, after: isWriting ? Self.pauseAfterWrite : .zero)
    }

    /// The file has been read up to a request: by a refresh, or before a write, which does for a refresh.
    ///
    /// - Returns: The timer to set, if there was another request in the meantime.
    package mutating func fileWasRead(_ request: UInt64, toWrite isWriting: Bool) -> SaveSchedule.Timer? {
        self.isWriting = isWriting
        return refreshes.saveDidSucceed(request)
    }
}

@_spi(StoreAuthors) internal import KeyspanCore

/// A file or folder that is read again when it may have changed, until nobody uses it anymore.
protocol FollowedSource: AnyObject, Sendable {
    /// The path of the source.
    var path: String { get }
    /// The requests to read the source.
    var following: Locked<Following> { get }
    /// Runs the readings in the background.
    var queue: any WorkQueue { get }
    /// Called without a lock with problems that no caller receives.
    var report: @Sendable (FileReport) -> Void { get }
    /// The calls of validators, rules and bridges.
    var examination: Examination { get }
    /// Passes on what is done with the source.
    var activity: ActivityBroadcaster { get }

    /// Reads the source and lets its values take effect.
    @discardableResult
    func readSource() throws(FileStoreError) -> SourceReading
}

/// The outcome of reading a source that is read as a whole.
struct SourceReading {
    /// Whether other values than before have taken effect.
    var isChange = false
    /// The values that are held back, because their keys cannot use them.
    var held: HeldValues?
    /// Whether the reading before has not found these.
    var isNewlyHeld = false
}

/// The requests to read a source that is followed, and the watch that makes them.
struct Following {
    /// How long a change waits for those that belong to it.
    static let delay = Duration.milliseconds(20)

    fileprivate var schedule: WorkSchedule
    /// The number of the latest request to read the source.
    fileprivate var request: UInt64 = 0
    fileprivate var watch: FileWatch?

    /// Begins without requests.
    ///
    /// - Parameter schedule: Says when the source is read, and when a failure is reported.
    init(_ schedule: WorkSchedule) {
        self.schedule = schedule
    }
}

extension FollowedSource {
    /// Follows the changes of what a path leads to, after it was read for the first time.
    func follow(_ watched: WatchTarget, at path: AbsolutePath, with watcher: any FileWatcher) {
        let watch = watcher.watch(
            watched,
            onPolling: { [report] error in report(.notice(.polling(error, path: path.text))) },
            onChange: { [weak self] in self?.sourceMayHaveChanged() }
        )
        following.withLock { $0.watch = watch }
        // The source may have changed between its reading and the start of the watch.
        sourceMayHaveChanged()
    }

    private func sourceMayHaveChanged() {
        let run = following.withLock { following in
            following.request += 1
            return following.schedule.request(following.request, hasNews: true)
        }
        arrange(run)
    }

    /// Arranges a reading that the schedule asks for.
    private func arrange(_ run: WorkSchedule.Run?) {
        guard let run else { return }
        // Weak, so that a pending run does not keep a store alive that nobody uses anymore.
        queue.run(after: run.delay) { [weak self] in
            guard let self, following.withLock({ $0.schedule.begin(run.ticket) }) else { return }
            refresh()
        }
    }

    /// Reads the source because someone asks for it.
    ///
    /// - Parameter store: The store's name, for errors.
    /// - Throws: ``StoreError`` if values from before stay.
    func readSource(for store: String) throws(StoreError) {
        let wait = try examination.beginWait(for: store)
        let request = following.withLock { $0.request }
        let held: HeldValues?
        do throws(FileStoreError) {
            defer { wait?.end() }
            held = try measuredReading().held
        } catch {
            following.withLock { $0.schedule.noteThrown(error) }
            activity.note(.rejected)
            activity.deliver()
            throw .notReloaded(error, store: store)
        }
        arrange(following.withLock { $0.schedule.complete(request) })
        guard let held else { return }
        activity.note(.rejected)
        activity.deliver()
        throw .notReloaded(.refused(path: path, held), store: store)
    }

    private func measuredReading() throws(FileStoreError) -> SourceReading {
        var reading = SourceReading()
        try activity.measureReading { () throws(FileStoreError) in
            reading = try readSource()
            return (isChange: reading.isChange, isComplete: reading.held == nil)
        }
        return reading
    }

    /// Reads the source, and on failure reports it and tries again later.
    private func refresh() {
        let request = following.withLock { $0.request }
        do throws(FileStoreError) {
            let reading = try measuredReading()
            arrange(following.withLock { $0.schedule.complete(request) })
            guard reading.isNewlyHeld, let held = reading.held else { return }
            activity.note(.rejected)
            report(.notice(.rejected(path: path, held)))
            activity.deliver()
        } catch {
            let (retry, mustReport) = following.withLock { $0.schedule.fail(error) }
            arrange(retry)
            guard mustReport else { return }
            activity.note(.rejected)
            report(.notice(.unreadable(error)))
            activity.deliver()
        }
    }
}

extension StoreError {
    /// A source that was to be read again keeps its values from before.
    static func notReloaded(_ error: FileStoreError, store: String) -> StoreError {
        StoreError(
            .notReloaded,
            store: store,
            reason: "cannot \(error.step.rawValue): \(error.reason); the values before stay in force",
            remedy: error.remedy,
            underlying: error
        )
    }
}

extension CommittedTable {
    /// Replaces all values in one change, which background threads report to the observers.
    ///
    /// - Parameters:
    ///   - values: The new values.
    ///   - isText: Whether observers receive them as text that someone typed.
    func replace(by values: PropertyListTable, isText: Bool = false) {
        merge(deliveringInBackground: true) { table in
            var entries: [PropertyListChange.Entry] = []
            table.forEachDifference(to: values) { key, old, new in
                entries.append(
                    .init(
                        key: key,
                        storedOld: old.map { StoredValue($0, isText: isText) },
                        storedNew: new.map { StoredValue($0, isText: isText) }
                    )
                )
                return true
            }
            table = values
            return entries
        }
    }
}

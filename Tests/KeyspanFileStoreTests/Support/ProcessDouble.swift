@_spi(StoreAuthors) import KeyspanCore
import KeyspanFileStore
import KeyspanTestSupport

/// A store as a process of its own would have it: with its own list of open tables, its own clock and its own watcher.
final class ProcessDouble: Sendable {
    let store: any PropertyListStore
    private let timer = ManualWorkQueue()
    private let watcher = ManualFileWatcher()
    private let reports = Recorder<FileReport>()

    init(
        path: String,
        format: StoreFormat = .json,
        keys: [String] = [],
        unknownNames: Defaults.UnknownNames = .areIgnored,
        options: FileStoreOptions = FileStoreOptions(),
        fileSystem: any FileSystem = POSIXFileSystem(),
        validate: (@Sendable (PropertyListTable) throws -> Void)? = nil
    ) throws {
        store = try format.open(
            path: path,
            keys: keys.map { Defaults.Key<PropertyListValue?>($0) },
            unknownNames: unknownNames,
            options: options,
            validate: validate,
            seams: FileStoreSeams(
                fileSystem: fileSystem,
                queue: timer,
                watcher: watcher,
                openEngines: OpenEngines(),
                report: reports.record
            )
        )
    }

    subscript(key: String) -> PropertyListValue? { store.value(forKey: key) }

    /// The recovery of the file when it was opened.
    var recovery: FileRecovery? {
        (store as? JSONFileStore)?.recovery ?? (store as? PropertyListFileStore)?.recovery
    }

    private var allNotices: [FileStoreNotice] {
        reports.values.compactMap { if case .notice(let notice) = $0 { notice } else { nil } }
    }

    /// The kinds of notices so far.
    var notices: [FileStoreNotice.Kind] { allNotices.map(\.kind) }

    /// The reasons of notices so far.
    var reasons: [String] { allNotices.map(\.reason) }

    /// The origin of a value, with its line.
    func provenance(of key: String) -> Provenance? {
        (store as? any ProvenanceReporting)?.provenance(forKeys: [key], findingLines: true)[key]
    }

    /// The steps of the failures so far.
    var failures: [FileStoreError.Step] {
        reports.values.compactMap { if case .failure(let error) = $0 { error.step } else { nil } }
    }

    /// Stores values in one batch and makes them durable.
    func save(_ values: [String: PropertyListValue?]) throws {
        try set(values)
        try store.synchronize()
    }

    /// Stores values in one batch; `nil` removes a key.
    func set(_ values: [String: PropertyListValue?]) throws {
        var batch = PropertyListBatch()
        for (key, value) in values { batch.set(value, forKey: key) }
        try store.apply(batch)
    }

    /// Notices what others did.
    func look() {
        looking()
    }

    /// ``look()`` for another thread.
    var looking: @Sendable () -> Void {
        { [watcher, timer] in
            watcher.tell()
            timer.fire()
        }
    }

    /// Whether the engine would pass over an event at the journal now.
    var knowsEndOfJournal: Bool { (store as? JSONFileStore)?.engine.knowsEndOfJournal ?? false }

    /// Reports a write to the journal, and returns what the engine does about it.
    func noticeAppend() -> EventResponse { watcher.tellOfAppend() }

    /// Lets the work run that does not wait.
    func passMoment() {
        timer.fire(within: .zero)
    }

    /// Lets the work run that waits no longer than a duration.
    func pass(_ duration: Duration) {
        timer.fire(within: duration)
    }

    /// Lets the time of all timers pass: saves, folds and looks.
    func passTime() {
        for _ in 1...3 { timer.fire() }
    }
}

/// A watcher that tells of changes when a test says so.
final class ManualFileWatcher: FileWatcher {
    private let receivers = Locked<[@Sendable () -> Void]>([])
    private let appenders = Locked<[@Sendable () -> EventResponse]>([])
    private let watched = Recorder<String>()
    private let ended = Recorder<String>()

    /// The paths that were watched, in the order in which their watches began.
    var paths: [String] { watched.values }

    /// The paths of the watches that have ended.
    var endedPaths: [String] { ended.values }

    func watch(
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
    func tell() {
        for receive in receivers.withLock({ $0 }) { receive() }
    }

    /// Tells that the companion was written to, and returns what the last client does about it.
    func tellOfAppend() -> EventResponse {
        appenders.withLock({ $0 }).last?() ?? EventResponse()
    }
}

/// A timer whose time passes when a test says so.
final class ManualWorkQueue: WorkQueue {
    private struct State {
        var pending: [(delay: Duration, work: @Sendable () -> Void)] = []
        var delays: [Duration] = []
    }

    private let state = Locked(State())

    /// All delays that were asked for.
    var delays: [Duration] { state.withLock { $0.delays } }

    func run(after delay: Duration, _ work: @escaping @Sendable () -> Void) {
        state.withLock {
            $0.pending.append((delay, work))
            $0.delays.append(delay)
        }
    }

    /// Runs what is pending now, or the part of it that waits no longer than a limit.
    func fire(within limit: Duration? = nil) {
        let works = state.withLock { state in
            let isDue = { (delay: Duration) in limit.map { delay <= $0 } ?? true }
            defer { state.pending.removeAll { isDue($0.delay) } }
            return state.pending.filter { isDue($0.delay) }
        }
        for work in works { work.work() }
    }
}

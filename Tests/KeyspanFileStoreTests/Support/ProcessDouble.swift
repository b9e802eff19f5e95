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

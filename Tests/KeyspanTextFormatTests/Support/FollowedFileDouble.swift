@_spi(StoreAuthors) import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanTestSupport

/// A file in a folder of its own with a store that reads it, whose timer and watcher are the test's.
final class FollowedFileDouble: Sendable {
    let format: LayerFormat
    let folder: TemporaryFolder
    private let timer = ManualWorkQueue()
    private let watcher = ManualFileWatcher()
    private let reports = Recorder<FileReport>()

    init(_ format: LayerFormat, _ text: String? = nil) throws {
        self.format = format
        folder = try TemporaryFolder()
        if let text { try write(text) }
    }

    var path: String { folder.path("settings") }

    /// Replaces the file in one step.
    func write(_ text: String) throws { try folder.replace("settings", text) }

    func remove() throws { try folder.remove("settings") }

    func open(
        keys: [String] = [],
        typed: [Defaults.AnyKey] = [],
        unknownNames: Defaults.UnknownNames = .areReported,
        duplicates: FileStoreOptions.Nesting.Duplicates = .dottedCounts,
        validate: (@Sendable (PropertyListTable) throws -> Void)? = nil
    ) throws(FileStoreError) -> any FollowedFileStore {
        try format.open(
            path,
            keys: keys,
            typed: typed,
            unknownNames: unknownNames,
            duplicates: duplicates,
            validate: validate,
            seams: FileStoreSeams(
                fileSystem: POSIXFileSystem(),
                queue: timer,
                watcher: watcher,
                report: { [reports] report in reports.record(report) }
            )
        )
    }

    /// Notices a change of the file, and lets the time for further attempts pass.
    func look(attempts: Int = 8) {
        watcher.tell()
        for _ in 0..<attempts { timer.fire() }
    }

    /// The notices so far.
    var notices: [FileStoreNotice] {
        reports.values.compactMap { if case .notice(let notice) = $0 { notice } else { nil } }
    }
}

import KeyspanCore
import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// A store that saves three batches, and its release a fourth: what no power loss and no failure may spoil.
///
/// Batch `n` gives two keys the same text, which tells `n`; so a batch that is not whole can be seen.
struct DurabilityScenario: Sendable, CustomTestStringConvertible {
    /// The contents of the disk before.
    enum Start: String, Sendable, CaseIterable {
        case noFolder, noFile, file, link
    }

    let start: Start
    let reordersNames: Bool
    let options: FileStoreOptions
    var format = StoreFormat.json

    /// Each start, on disks of both kinds, without and with a journal; the other options where they differ.
    static let all =
        [false, true].flatMap { reordersNames in
            let starts: [(Start, FileStoreOptions)] =
                Start.allCases.flatMap { [($0, .oneFile), ($0, FileStoreOptions())] }
                + [
                    (.file, FileStoreOptions(durability: .everyBatch)),
                    (.file, FileStoreOptions(recovery: .lastGoodCopy)),
                ]
            return starts.map { DurabilityScenario(start: $0, reordersNames: reordersNames, options: $1) }
        }
        + [StoreFormat.xml, .binary].map { otherFormat in
            DurabilityScenario(start: .file, reordersNames: true, options: FileStoreOptions(), format: otherFormat)
        }

    /// Scenarios for tests that multiply.
    static let typical = TestLevel.current == .exhaustive ? all : onReorderingDisks.filter { $0.start == .file }

    /// Those on disks that reorder names, which leave all that the others may leave, and more.
    static let onReorderingDisks = all.filter(\.reordersNames)

    /// The number of synchronized batches; one more is applied.
    static let batches = 3
    private static let folder = "/data/app"
    /// The file.
    static let path = "\(folder)/settings.json"

    var testDescription: String {
        let disk = reordersNames ? ", names reordered" : ""
        return "\(format.rawValue), \(start.rawValue)\(disk), \(options.testDescription)"
    }

    /// The last batch of a file that is there before the first one; `nil` if there is none.
    private var initialBatch: Int? { start == .file || start == .link ? 0 : nil }

    /// Makes a disk to run on.
    func makeDisk() throws -> SimulatedDisk {
        let disk = SimulatedDisk(.init(reordersNames: reordersNames))
        if start != .noFolder { try disk.makeFolders(Self.folder) }
        if let initialBatch {
            let text = PropertyListValue.string(Self.text(initialBatch))
            let bytes = try format.codec.encode(["first": text, "second": text])
            try disk.write(bytes, to: start == .link ? "/data/target.json" : Self.path, permissions: 0o640)
        }
        if start == .link { try disk.link(Self.path, to: "../target.json") }
        return disk
    }

    /// Opens a store, saves the batches and releases it, going on after failures as long as the store can be opened.
    ///
    /// - Parameter attempts: How often each step is tried.
    /// - Returns: The last batch that was synchronized; `nil` if none was and none was there before.
    func run(on fileSystem: any FileSystem, attempts: Int = 1) -> Int? {
        var synchronized = initialBatch
        guard let store = Self.firstSuccess(of: attempts, { try open(on: fileSystem) }) else { return synchronized }
        for number in 1...Self.batches {
            let success: Void? = Self.firstSuccess(of: attempts) {
                try store.apply(Self.batch(number))
                try store.synchronize()
            }
            if success != nil { synchronized = number }
        }
        try? store.apply(Self.batch(Self.batches + 1))
        return synchronized
    }

    /// Opens the store again and synchronizes the last batch.
    ///
    /// - Returns: That batch.
    func resume(on fileSystem: any FileSystem) throws -> Int {
        let store = try open(on: fileSystem)
        try store.apply(Self.batch(Self.batches + 1))
        try store.synchronize()
        return Self.batches + 1
    }

    /// The fault in a disk that a machine finds when it starts again; `nil` if there is none.
    ///
    /// - Parameter synchronized: The last batch that was synchronized.
    func problem(with disk: SimulatedDisk, after synchronized: Int?) -> String? {
        do {
            let table = try open(on: disk).snapshot()
            guard table["first"] == table["second"] else { return "a batch is not whole" }
            let found = number(ofBatchIn: table)
            if found == nil, table["first"] != nil { return "it holds what nobody stored" }
            if (found ?? -1) < (synchronized ?? -1) {
                return "batch \(synchronized ?? -1) is lost, \(found.map(String.init) ?? "none") is there"
            }
            return nil
        } catch {
            return "\(error)"
        }
    }

    /// The last batch that a table has; `nil` if it has none.
    func number(ofBatchIn table: PropertyListTable) -> Int? {
        (0...Self.batches + 1).first { table["first"] == .string(Self.text($0)) }
    }

    /// Opens the store.
    func open(on fileSystem: any FileSystem) throws(FileStoreError) -> any PropertyListStore {
        try format.open(
            path: Self.path,
            options: options,
            seams: FileStoreSeams(
                fileSystem: fileSystem,
                queue: ManualWorkQueue(),
                openEngines: OpenEngines(),
                report: { _ in }
            )
        )
    }

    /// The batch of a number.
    static func batch(_ number: Int) -> PropertyListBatch {
        var batch = PropertyListBatch()
        batch.set(.string(text(number)), forKey: "first")
        batch.set(.string(text(number)), forKey: "second")
        return batch
    }

    /// A text that tells the number, sometimes longer than a sector and sometimes not.
    private static func text(_ number: Int) -> String {
        String(repeating: "\(number)", count: number.isMultiple(of: 2) ? 30 : 300)
    }

    private static func firstSuccess<Result>(of attempts: Int, _ body: () throws -> Result) -> Result? {
        for _ in 0..<attempts {
            if let result = try? body() { return result }
        }
        return nil
    }
}

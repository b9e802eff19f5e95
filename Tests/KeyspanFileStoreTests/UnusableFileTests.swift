@_spi(StoreAuthors) import KeyspanCore
import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// Tables that begin without a file that cannot be used, for stores that are opened once in the life of a process.
@Suite
struct UnusableFileTests {
    private let folder: TemporaryFolder
    private let timer = ManualWorkQueue()
    private let reports = Recorder<String>()

    init() throws { folder = try TemporaryFolder() }

    private func open(_ unusable: UnusableFile = .isAwaited, in tables: OpenEngines) throws -> JSONFileStore {
        try JSONFileStore(
            path: folder.path("file.json"),
            unusable: unusable,
            seams: FileStoreSeams(
                fileSystem: POSIXFileSystem(),
                queue: timer,
                openEngines: tables,
                report: { [reports] in reports.record("\($0)") }
            )
        )
    }

    /// The contents of the file at first, and afterwards.
    private static let stages: [(bad: String, good: String)] = [
        ("", "{\"theirs\": 1, \"both\": 1}"), ("{\"theirs\": 1,", "{\"theirs\": 1, \"both\": 1}"),
        ("\0\0\0\0", "{\"both\": 1, \"theirs\": 1}"),
    ]

    @Test(arguments: stages)
    func `an unusable file is read as soon as it can be, and keys that were written meanwhile keep what was written`(
        stage: (bad: String, good: String)
    ) async throws {
        try folder.write(Array(stage.bad.utf8), to: "file.json")
        let store = try open(in: OpenEngines())
        let heard = Recorder<PropertyListChange.Entry>()
        var batch = PropertyListBatch(.set(2, key: "ours"))
        batch.set(2, forKey: "both")
        try store.apply(batch)
        let observation = store.observe(.all, initial: false) { change in change.entries.forEach(heard.record) }
        timer.fire()
        timer.fire()
        #expect(throws: StoreError.self) { try store.synchronize() }
        #expect(try folder.bytes(of: "file.json") == Array(stage.bad.utf8))
        #expect(store.snapshot() == ["ours": 2, "both": 2])
        #expect(reports.count == 1)
        try folder.write(Array(stage.good.utf8), to: "file.json")
        timer.fire()
        #expect(store.snapshot() == ["theirs": 1, "ours": 2, "both": 2])
        // Changes of others are delivered in the background.
        let expected = [PropertyListChange.Entry(key: "theirs", old: nil, new: 1)]
        try await eventually("the observer receives the new key", heard.values, is: expected)
        try await store.synchronize()
        observation.cancel()
        #expect(try open(.isRefused, in: OpenEngines()).snapshot() == ["theirs": 1, "ours": 2, "both": 2])
    }

    @Test
    func `an unusable file is read by synchronize() although nothing is unsaved, which throws as long as that fails`()
        throws
    {
        try folder.write(Array("{".utf8), to: "file.json")
        let store = try open(in: OpenEngines())
        let error = #expect(throws: StoreError.self) { try store.synchronize() }
        #expect((error?.underlying as? FileStoreError)?.step == .parse)
        try folder.write(Array("{\"theirs\": 1}".utf8), to: "file.json")
        try store.synchronize()
        #expect(store.snapshot() == ["theirs": 1])
    }

    @Test func `an unusable file is not shared by a store that has to read it`() throws {
        try folder.write(Array("{".utf8), to: "file.json")
        let tables = OpenEngines()
        let store = try open(in: tables)
        let error = #expect(throws: FileStoreError.self) { try open(.isRefused, in: tables) }
        #expect(error?.step == .parse)
        try folder.write(Array("{\"theirs\": 1}".utf8), to: "file.json")
        #expect(try open(.isRefused, in: tables).snapshot() == ["theirs": 1])
        #expect(store.snapshot() == ["theirs": 1])
    }

    @Test func `an unusable file that is removed instead begins anew with what was written`() throws {
        try folder.write(Array("{".utf8), to: "file.json")
        let store = try open(in: OpenEngines())
        try store.apply(PropertyListBatch(.set(2, key: "ours")))
        try folder.remove("file.json")
        try store.synchronize()
        #expect(try open(.isRefused, in: OpenEngines()).snapshot() == ["ours": 2])
    }

    @Test func `an unusable file is looked at again and again while it cannot be parsed`() throws {
        try folder.write(Array("{".utf8), to: "file.json")
        var waits = 0
        let store = try PatientOpening.open(
            unusable: .isRefused,
            sleep: { _ in
                waits += 1
                // A failure shows in the store, which does not open.
                if waits == 3 { try? folder.write(Array("{\"theirs\": 1}".utf8), to: "file.json") }
            },
            { (_) throws(FileStoreError) in try JSONFileStore(path: folder.path("file.json")) }
        )
        #expect(waits == 3)
        #expect(store.snapshot() == ["theirs": 1])
    }

    @Test func `an unusable file is not waited for if it is not a file`() throws {
        var attempts = 0
        #expect(throws: FileStoreError.self) {
            try PatientOpening.open(unusable: .isRefused) { (_) throws(FileStoreError) in
                attempts += 1
                return try JSONFileStore(path: folder.path)
            }
        }
        #expect(attempts == 1)
    }
}

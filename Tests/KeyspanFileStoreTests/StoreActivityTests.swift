@_spi(StoreAuthors) import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// What file stores report of their work with the file.
@Suite struct StoreActivityTests {
    private let folder: TemporaryFolder
    private let log = Recorder<StoreActivity>()
    private let observations = Recorder<StoreObservation>()

    init() throws { folder = try TemporaryFolder() }

    private struct Refusal: Error {}

    /// Observes a store until the test ends.
    private func observe(_ store: any PropertyListStore) throws {
        observations.record(try #require(store as? any ActivityReporting).observeActivity { [log] in log.record($0) })
    }

    /// The names of the activity that was observed, without the first ones.
    private func names(from start: Int = 0) -> [String] { log.values.dropFirst(start).map(\.name) }

    private func status(of store: any PropertyListStore) throws -> ContentsStatus {
        try #require(store as? any ActivityReporting).contentsStatus
    }

    private func write(_ members: PropertyListTable, to name: String = "file") throws {
        try folder.write(StoreFormat.json.bytes(members), to: name)
    }

    @Test(arguments: [FileStoreOptions(), FileStoreOptions(journal: .none), FileStoreOptions(durability: .everyBatch)])
    func `saves report what they write, and synchronize that it is flushed`(_ options: FileStoreOptions) throws {
        let process = try ProcessDouble(path: folder.path("file"), options: options)
        try observe(process.store)
        try process.save(["a": 1])
        #expect(names() == ["saved", "flushed"])
        guard case .saved(let bytes, let duration)? = log.values.first else { return }
        #expect(bytes > 0 && duration > .zero)
        if options.journal == .none { #expect(try bytes == folder.bytes(of: "file").count) }
        try process.store.synchronize()
        #expect(names(from: 2) == ["flushed"])
        observations.last?.cancel()
        try process.save(["a": 2])
        #expect(log.count == 3)
    }

    @Test func `a checkpoint is a save`() throws {
        let process = try ProcessDouble(path: folder.path("file"))
        try process.save(["a": 1])
        try observe(process.store)
        process.passTime()
        #expect(names() == ["saved"])
    }

    @Test func `others' writes are reloads, and own writes and events without news are none`() throws {
        try write(["a": 1])
        let process = try ProcessDouble(path: folder.path("file"))
        let other = try ProcessDouble(path: folder.path("file"))
        try observe(process.store)
        try process.save(["b": 1])
        process.look()
        #expect(!names().contains("reloaded"))
        try other.save(["a": 2])
        process.look()
        process.look()
        #expect(names().count { $0 == "reloaded" } == 1)
    }

    @Test func `a rejected version is reported once, and the contents are stale until one is accepted`() throws {
        try write(["a": 1])
        let process = try ProcessDouble(path: folder.path("file")) { if $0["a"] == 2 { throw Refusal() } }
        try observe(process.store)
        let opened = try status(of: process.store)
        #expect(opened.staleSince == nil)
        try write(["a": 2])
        for _ in 0..<3 { process.look() }
        #expect(names() == ["rejected"])
        let stale = try status(of: process.store)
        #expect(try #require(stale.staleSince) >= #require(opened.lastGood) && stale.lastGood == opened.lastGood)
        process.look()
        #expect(try status(of: process.store) == stale)
        try write(["a": 3])
        process.look()
        #expect(names() == ["rejected", "reloaded"])
        let good = try status(of: process.store)
        #expect(try good.staleSince == nil && #require(good.lastGood) > #require(stale.lastGood))
    }

    @Test func `a damaged file is a rejection when it is reloaded, and the contents are stale`() throws {
        try write(["a": 1])
        let process = try ProcessDouble(path: folder.path("file"))
        try observe(process.store)
        try folder.write(Array("{".utf8), to: "file")
        func reload() throws { try #require(process.store as? any ReloadableStore).reload() }
        #expect(throws: StoreError.self) { try reload() }
        #expect(names() == ["rejected"])
        #expect(try status(of: process.store).staleSince != nil)
        try write(["a": 1])
        try reload()
        #expect(names() == ["rejected"])
        #expect(try status(of: process.store).staleSince == nil)
    }

    @Test func `a save to the journal beside a damaged file leaves the contents stale`() throws {
        try write(["a": 1])
        let process = try ProcessDouble(path: folder.path("file"))
        try folder.write(Array("{".utf8), to: "file")
        process.look()
        let since = try #require(try status(of: process.store).staleSince)
        try process.save(["b": 1])
        #expect(try status(of: process.store).staleSince == since)
    }

    @Test(arguments: [FileStoreOptions(), FileStoreOptions(durability: .everyBatch)])
    func `each save that fails is reported, and the keys stay unsaved`(_ options: FileStoreOptions) throws {
        let fileSystem = FaultyFileSystem()
        let process = try ProcessDouble(path: folder.path("file"), options: options, fileSystem: fileSystem)
        try observe(process.store)
        let store = try #require(process.store as? any ActivityReporting)
        fileSystem.inject(.refusal(.open, errno: 28))
        #expect(throws: StoreError.self) { try process.save(["a": 1, "b": 1]) }
        #expect(names() == ["saveFailed"])
        #expect(store.unsavedKeys.sorted() == (options.durability == .everyBatch ? [] : ["a", "b"]))
        fileSystem.inject(.none)
        try process.save(["b": 2])
        #expect(names(from: 1) == ["saved", "flushed"])
        #expect(store.unsavedKeys.isEmpty)
    }

    @Test func `keys on their way to a disk that does not answer are unsaved`() throws {
        let fileSystem = FaultyFileSystem()
        let process = try ProcessDouble(path: folder.path("file"), fileSystem: fileSystem)
        let store = try #require(process.store as? any ActivityReporting)
        let seen = Locked<[String]>([])
        try process.save(["a": 1])
        try process.set(["a": 2])
        fileSystem.inject(
            .interlude(before: .pwrite) {
                try? process.set(["b": 2])
                seen.withLock { $0 = store.unsavedKeys.sorted() }
            }
        )
        try process.store.synchronize()
        #expect(seen.withLock(\.self) == ["a", "b"])
        #expect(store.unsavedKeys == ["b"])
        try process.store.synchronize()
        #expect(store.unsavedKeys.isEmpty)
    }

    @Test func `a batch whose expectation is not met is a conflict`() throws {
        let process = try ProcessDouble(path: folder.path("file"))
        try observe(process.store)
        try process.save(["a": 1])
        var batch = PropertyListBatch()
        batch.set(3, forKey: "a")
        batch.expect(2, forKey: "a")
        #expect(throws: StoreError.self) { try process.store.apply(batch) }
        #expect(names(from: 2) == ["conflict"])
    }

    @Test func `an observer may use the store and cancel itself`() throws {
        let process = try ProcessDouble(path: folder.path("file"))
        let own = Locked<StoreObservation?>(nil)
        let store = try #require(process.store as? any ActivityReporting)
        let calls = Locked(0)
        let observation = store.observeActivity { _ in
            calls.withLock { $0 += 1 }
            try? process.set(["b": 1])
            try? process.store.synchronize()
            own.withLock { $0 }?.cancel()
        }
        own.withLock { $0 = observation }
        try process.save(["a": 1])
        let before = calls.withLock(\.self)
        #expect(before > 0 && process["b"] == 1)
        try process.save(["a": 2])
        #expect(calls.withLock(\.self) == before)
        own.withLock { $0 = nil }
    }

    @Test func `a folder of secrets and a file of variables report reloads and rejections`() throws {
        try folder.makeFolder("secrets")
        try folder.write(Array("one".utf8), to: "secrets/token")
        let double = try SecretFolderDouble(path: folder.path("secrets"))
        try observe(double.store)
        double.look()
        #expect(log.count == 0)
        try folder.write(Array("two".utf8), to: "secrets/token")
        double.look()
        #expect(names() == ["reloaded"])
        try folder.remove("secrets/token")
        try folder.remove("secrets")
        double.look()
        #expect(names() == ["reloaded", "rejected"])
        #expect(double.store.contentsStatus.staleSince != nil && double.store.unsavedKeys.isEmpty)

        try folder.overwrite(".env", "A=1")
        let variables = try DotEnvStore(path: folder.path(".env"))
        try observe(variables)
        try variables.reload()
        try folder.overwrite(".env", "A=2")
        try variables.reload()
        try folder.overwrite(".env", "A='2")
        #expect(throws: StoreError.self) { try { () throws(StoreError) in try variables.reload() }() }
        #expect(names(from: 2) == ["reloaded", "rejected"])
        #expect(variables.contentsStatus.staleSince != nil)
    }

    @Test func `an observer receives nothing that happened before it was registered`() throws {
        let broadcaster = ActivityBroadcaster()
        let first = broadcaster.observe { _ in }
        broadcaster.note(.conflict)
        first.cancel()
        let second = broadcaster.observe { [log] in log.record($0) }
        broadcaster.note(.saveFailed)
        let third = broadcaster.observe { [log] in log.record($0) }
        broadcaster.deliver()
        #expect(names() == ["saveFailed"])
        second.cancel()
        third.cancel()
    }

    @Test func `the time of readings that were rejected is not that of a later one`() throws {
        let broadcaster = ActivityBroadcaster()
        let observation = broadcaster.observe { [log] in log.record($0) }
        defer { observation.cancel() }
        broadcaster.noteReading(since: .now - .seconds(1000))
        broadcaster.noteStaleness()
        broadcaster.noteReading(since: .now)
        broadcaster.noteReload(since: .now)
        broadcaster.noteAcceptance()
        broadcaster.deliver()
        guard case .reloaded(let duration)? = log.values.first else {
            Issue.record("\(log.values)")
            return
        }
        #expect(duration < .seconds(500))
    }

    @Test func `a store that waits for its file has read nothing, and is stale`() throws {
        try folder.write(Array("{".utf8), to: "file")
        let seams = FileStoreSeams(
            fileSystem: POSIXFileSystem(),
            queue: ManualWorkQueue(),
            watcher: nil,
            openEngines: OpenEngines(),
            report: { _ in }
        )
        let store = try JSONFileStore(path: folder.path("file"), unusable: .isAwaited, seams: seams)
        #expect(store.contentsStatus.lastGood == nil && store.contentsStatus.staleSince != nil)
        try write(["a": 1])
        try store.reload()
        #expect(store.contentsStatus.lastGood != nil && store.contentsStatus.staleSince == nil)
    }

    @Test func `a synchronization that finds an unreadable file makes the contents stale`() throws {
        let process = try ProcessDouble(path: folder.path("file"), options: FileStoreOptions(journal: .none))
        try process.save(["a": 1])
        try folder.write(Array("{".utf8), to: "file")
        #expect(throws: StoreError.self) { try process.save(["a": 2]) }
        #expect(try status(of: process.store).staleSince != nil)
    }
}

extension StoreActivity {
    /// The kind of the activity, without its times.
    fileprivate var name: String {
        switch self {
        case .reloaded: "reloaded"
        case .rejected: "rejected"
        case .saved: "saved"
        case .saveFailed: "saveFailed"
        case .flushed: "flushed"
        case .conflict: "conflict"
        }
    }
}

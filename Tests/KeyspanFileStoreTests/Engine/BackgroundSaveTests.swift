import KeyspanCore
import KeyspanFileStore
import KeyspanTestSupport
import Testing

@Suite struct BackgroundSaveTests {
    private let folder = TemporaryFolder.forTest
    private let fileSystem = FaultyFileSystem()
    private let timer = ManualWorkQueue()
    private let reports = Recorder<FileStoreError.Step>()

    @Test func `one save follows a thousand writes, and none follows what is saved`() throws {
        let store = try open()
        for number in 1...1000 { try store.set("\(number)") }
        #expect(saves == 0)
        timer.fire()
        #expect(saves == 1)
        #expect(timer.delays == [.milliseconds(100)])
        #expect(try folder.bytes(of: "file.json") == fileBytes("1000"))
        timer.fire()
        #expect(saves == 1)
        try store.set("later")
        timer.fire()
        #expect(saves == 2)
        #expect(try folder.bytes(of: "file.json") == fileBytes("later"))
        try store.set("new")
        try store.synchronize()
        try store.synchronize()
        timer.fire()
        #expect(saves == 3)
    }

    @Test func `the real timer runs`() async throws {
        let options = FileStoreOptions(saveDelay: .zero, journal: .none)
        let store = try open(options: options, queue: BlockingQueue())
        fileSystem.inject(.refusal(.rename, errno: EACCES))
        try store.set("new")
        try await eventually("the save that the timer begins fails", reports.values.first, is: .replace)
    }

    @Test func `a failure is reported once, and retried at growing intervals`() throws {
        let store = try open()
        fileSystem.inject(.refusal(.fsync, errno: ENOSPC))
        try store.set("new")
        for _ in 1...12 { timer.fire() }
        #expect(reports.values == [.flushFolder])
        #expect(
            timer.delays.prefix(4) == [.milliseconds(100), .milliseconds(200), .milliseconds(400), .milliseconds(800)]
        )
        #expect(timer.delays.last == .seconds(30))
        #expect(store.value(forKey: "key") == "new")

        fileSystem.inject(.refusal(.rename, errno: EACCES))
        timer.fire()
        #expect(reports.values == [.flushFolder, .replace])

        fileSystem.inject(.none)
        timer.fire()
        #expect(try folder.bytes(of: "file.json") == fileBytes("new"))

        fileSystem.inject(.refusal(.rename, errno: EACCES))
        try store.set("newer")
        #expect(timer.delays.last == .milliseconds(100))
        timer.fire()
        #expect(reports.values == [.flushFolder, .replace, .replace])
    }

    @Test func `the report of a failure names the keys that are in memory only`() throws {
        let failures = Recorder<FileStoreError>()
        let seams = FileStoreSeams.manual(fileSystem, queue: timer) { report in
            if case .failure(let error) = report { failures.record(error) }
        }
        let store = try JSONFileStore(path: folder.path("file.json"), options: .oneFile, seams: seams)
        fileSystem.inject(.refusal(.rename, errno: EACCES))
        for key in ["keyspan.own"] + (1...7).map({ "key \($0)" }) {
            try store.apply(PropertyListBatch(.set(1, key: key)))
        }
        timer.fire()
        let error = try #require(failures.values.first)
        let names = #""key 1", "key 2", "key 3", "key 4", "key 5" and 2 more"#
        #expect(error.description.contains(" (unsaved: \(names)); "))
        #expect(Defaults.Problem.storeUnavailable(name: error.path, cause: error).fields["unsavedKeys"] == names)
    }

    @Test func `a failure that synchronize threw is not reported again`() throws {
        var store: JSONFileStore? = try open()
        fileSystem.inject(.refusal(.write, errno: ENOSPC))
        try store?.set("new")
        #expect(throws: StoreError.self) { try store?.synchronize() }
        timer.fire()
        #expect(reports.values.isEmpty)
        fileSystem.inject(.refusal(.write, errno: EIO))
        timer.fire()
        #expect(reports.values == [.write])
        store = nil
        #expect(reports.values == [.write])
    }

    @Test func `saves in the background synchronize ends the retries`() throws {
        let store = try open()
        fileSystem.inject(.refusal(.open, errno: EMFILE))
        try store.set("new")
        for _ in 1...12 { timer.fire() }
        fileSystem.inject(.none)
        try store.synchronize()
        try store.set("newer")
        #expect(timer.delays.last == .milliseconds(100))
        timer.fire()
        #expect(saves == 2)
        #expect(try folder.bytes(of: "file.json") == fileBytes("newer"))
    }

    @Test func `a store that is released saves what is unsaved`() throws {
        var store: JSONFileStore? = try open()
        try store?.set("new")
        weak var released: JSONFileStore?
        released = store
        store = nil
        #expect(released == nil)
        #expect(try folder.bytes(of: "file.json") == fileBytes("new"))
        // The timer is still pending; its store is gone.
        timer.fire()
        #expect(saves == 1)
    }

    @Test func `a store that is released while saves fail reports that and is gone`() throws {
        var store: JSONFileStore? = try open()
        try store?.set("new")
        fileSystem.inject(.refusal(.fsync, errno: EIO))
        store = nil
        #expect(reports.values == [.flushFolder])
        fileSystem.inject(.none)
        timer.fire()
        #expect(fileSystem.calls.isEmpty)
        #expect(try folder.names.isEmpty)
    }

    @Test func `all open stores are saved together at the end`() throws {
        let tables = OpenEngines()
        let stores = try ["a.json", "b.json", "c.json"].map { try open($0, in: tables) }
        try stores[0].set("new")
        try stores[2].set("new")
        tables.settleAll()
        #expect(try folder.names == ["a.json", "c.json"])
        #expect(saves == 2)
    }

    @Test func `an observer may synchronize the store`() throws {
        let store = try open()
        let observation = store.observe(.all, initial: false) { [weak store] _ in
            #expect(throws: Never.self) { try store?.synchronize() }
        }
        try store.set("new")
        #expect(try folder.bytes(of: "file.json") == fileBytes("new"))
        observation.cancel()
    }

    @Test func `the report of a failure may synchronize the store`() throws {
        let opened = Locked<JSONFileStore?>(nil)
        let report: @Sendable (FileReport) -> Void = { [fileSystem] _ in
            fileSystem.inject(.none)
            #expect(throws: Never.self) { try opened.withLock { $0 }?.synchronize() }
        }
        let seams = FileStoreSeams.manual(fileSystem, queue: timer, report: report)
        let store = try JSONFileStore(path: folder.path("file.json"), options: .oneFile, seams: seams)
        opened.withLock { $0 = store }
        fileSystem.inject(.refusal(.rename, errno: EACCES))
        try store.set("new")
        timer.fire()
        #expect(try folder.bytes(of: "file.json") == fileBytes("new"))
        opened.withLock { $0 = nil }
    }

    private var saves: Int { fileSystem.calls.count { $0.call == .rename } }

    private func open(
        _ name: String = "file.json",
        options: FileStoreOptions = .oneFile,
        queue: (any WorkQueue)? = nil,
        in tables: OpenEngines = OpenEngines()
    ) throws -> JSONFileStore {
        let seams = FileStoreSeams.manual(fileSystem, queue: queue ?? timer, engines: tables) { [reports] report in
            if case .failure(let error) = report { reports.record(error.step) }
        }
        return try JSONFileStore(path: folder.path(name), options: options, seams: seams)
    }
}

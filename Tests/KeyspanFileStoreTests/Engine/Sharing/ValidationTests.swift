@_spi(StoreAuthors) import KeyspanCore
import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@Suite struct ValidationTests {
    private struct Refusal: Error {}
    private let folder = TemporaryFolder.forTest

    init() throws {
        try folder.write(["port": 80])
    }

    private func write(_ table: PropertyListTable) throws { try folder.write(table) }

    private func open() throws -> ProcessDouble {
        try ProcessDouble(path: folder.path("file.json")) { table in if table["port"] == 0 { throw Refusal() } }
    }

    @Test func `a validating store keeps the old version in force, and takes the next one as a whole`() async throws {
        let process = try open()
        let changes = Recorder<[String]>()
        let observation = process.store.observe(.all, initial: false) { changes($0.entries.map(\.key).sorted()) }
        try write(["port": 0, "host": "a"])
        process.look()
        process.look()
        #expect(process.store.snapshot() == ["port": 80])
        #expect(process.notices == [.rejected])
        try write(["port": 81, "host": "a"])
        process.look()
        #expect(process.store.snapshot() == ["port": 81, "host": "a"])
        #expect(process.notices == [.rejected])
        try await eventually("the change is delivered", changes.values, is: [["host", "port"]])
        observation.cancel()
    }

    @Test func `a validating store saves its own writes without destroying what it refuses`() throws {
        let process = try open()
        try write(["port": 0, "host": "a"])
        process.look()
        try process.save(["own": 1])
        process.passTime()
        #expect(process.store.snapshot() == ["port": 80, "own": 1])
        #expect(try folder.table() == ["port": 0, "host": "a", "own": 1])
    }

    /// The batch expects nothing of the value, but the state that the key has noted.
    @Test func `a validating store refuses an update of a key that has a refused value`() throws {
        let process = try open()
        let defaults = Defaults(process.store)
        let (port, count) = (Defaults.Key<Int>("port", default: 0), Defaults.Key<Int>("count", default: 0))
        defaults[port] = 81
        try process.store.synchronize()
        try write(["port": 0])
        process.look()
        #expect(throws: Defaults.WriteError.self) {
            try defaults.commit {
                $0[count] += 1
                $0[port] = 82
            }
        }
        #expect(process.store.snapshot() == ["port": 81])
        try process.store.synchronize()
        #expect(try folder.table() == ["port": 0])
    }

    /// Each look has a thread of the watcher, which must not gather there.
    @Test func `a slow validation does not examine each write on a thread of its own`() throws {
        let validations = Locked((isSlow: false, running: 0, most: 0))
        let gate = Gate()
        let process = try ProcessDouble(path: folder.path("file.json")) { _ in
            let isSlow = validations.withLock { validations in
                validations.running += 1
                validations.most = max(validations.most, validations.running)
                return validations.isSlow
            }
            if isSlow { gate.pass() }
            validations.withLock { $0.running -= 1 }
        }
        let other = try ProcessDouble(path: folder.path("file.json"))
        process.passMoment()
        validations.withLock { $0.isSlow = true }
        let returned = Locked(0)
        var threads: [TestThread] = []
        for number in 1...4 {
            try other.save(["n": .init(number)])
            guard let look = process.noticeAppend().look else { continue }
            let begun = validations.withLock(\.running) + returned.withLock(\.self)
            threads.append(
                TestThread {
                    look()
                    returned.withLock { $0 += 1 }
                }
            )
            eventually("the look returns, or examines the write") {
                validations.withLock(\.running) + returned.withLock(\.self) > begun
            }
        }
        #expect(validations.withLock { ($0.running, $0.most) } == (1, 1))
        validations.withLock { $0.isSlow = false }
        for _ in 1...4 { gate.open() }
        for thread in threads { thread.join() }
        process.passTime()
        #expect(process["n"] == 4)
    }

    @Test(arguments: [FileStoreOptions(), FileStoreOptions(durability: .everyBatch)])
    func `a validating store looks again after a correction by its own process`(options: FileStoreOptions) throws {
        let process = try ProcessDouble(path: folder.path("file.json"), options: options) { table in
            if table["port"] == 0 { throw Refusal() }
        }
        try write(["port": 0, "host": "a"])
        process.look()
        #expect(process.store.snapshot() == ["port": 80])
        try process.save(["port": 82])
        #expect(process.store.snapshot() == ["port": 82, "host": "a"])
    }

    @Test(arguments: FileStoreOptions.modes)
    func `a validating store cannot write or synchronize its own store`(options: FileStoreOptions) throws {
        struct Weak {
            weak var store: (any PropertyListStore)?
        }
        let known = Locked(Weak())
        let codes = Recorder<StoreError.Code?>()
        let process = try ProcessDouble(path: folder.path("file.json"), options: options) { table in
            guard let store = known.withLock({ $0.store }), table["port"] != 80 else { return }
            let batch = PropertyListBatch(.set(1, key: "own"))
            codes(storeError { () throws(StoreError) in try store.apply(batch) }?.code)
            codes(storeError { () throws(StoreError) in try store.synchronize() }?.code)
        }
        known.withLock { $0.store = process.store }
        try write(["port": 81])
        process.look()
        #expect(codes.values == [.validating, .validating])
        #expect(process.store.snapshot() == ["port": 81])
        // The same under the file's lock, where a batch asks the validation.
        try write(["port": 82])
        try process.store.apply(.replacing(82, by: 83, key: "port"))
        #expect(codes.count == 4)
        #expect(process.store.snapshot() == ["port": 83])
        try process.save(["own": 2])
        #expect(process.store.snapshot() == ["port": 83, "own": 2])
    }

    @Test func `a validating store refuses to open a file that it would refuse later`() throws {
        try write(["port": 0])
        let error = #expect(throws: FileStoreError.self) { try open() }
        #expect(error?.step == .validate)
        #expect(error?.underlying is Refusal)
    }

    @Test func `a validating store is asked by all stores of one table, until they are gone`() throws {
        let tables = OpenEngines()
        let (timer, watcher) = (ManualWorkQueue(), ManualFileWatcher())
        func open(refusing port: PropertyListValue) throws -> JSONFileStore {
            let seams = FileStoreSeams.manual(queue: timer, watcher: watcher, engines: tables)
            return try JSONFileStore(
                path: folder.path("file.json"),
                validate: { if $0["port"] == port { throw Refusal() } },
                seams: seams
            )
        }
        let store = try open(refusing: 1)
        var other: JSONFileStore? = try open(refusing: 2)
        func look(at port: PropertyListValue) throws {
            try write(["port": port])
            watcher.tell()
            timer.fire()
        }
        try look(at: 2)
        #expect(store.value(forKey: "port") == 80)
        try look(at: 1)
        #expect(other?.value(forKey: "port") == 80)
        try look(at: 2)
        other = nil
        // The end of a validation is an event.
        timer.fire()
        #expect(store.value(forKey: "port") == 2)
    }

    @Test func `a validator that is released may hold the last reference to another store of the same file`() throws {
        struct Weak {
            weak var store: JSONFileStore?
        }
        let tables = OpenEngines()
        func open(_ validate: @escaping @Sendable (PropertyListTable) throws -> Void) throws -> JSONFileStore {
            try JSONFileStore(path: folder.path("file.json"), validate: validate, seams: .manual(engines: tables))
        }
        /// A store whose validator holds the last reference to another one.
        func openChain() throws -> (store: JSONFileStore, last: Weak) {
            let holder = try open { _ in }
            return (try open { _ in withExtendedLifetime(holder) {} }, Weak(store: holder))
        }
        var chain: (store: JSONFileStore, last: Weak)? = try openChain()
        let last = try #require(chain?.last)
        try chain?.store.set("new")
        #expect(last.store != nil)
        chain = nil
        #expect(last.store == nil)
        #expect(try folder.table()["key"] == "new")
    }

    /// The examination of the first version ends after that of the second one.
    @Test func `a version is rejected once, although an earlier one is examined until later`() throws {
        let (examined, gate) = (Recorder<PropertyListValue?>(), Gate())
        let process = try ProcessDouble(path: folder.path("file.json")) { table in
            guard table["port"] != 80 else { return }
            examined(table["port"])
            if table["port"] == 1 { gate.pass() }
            throw Refusal()
        }
        try folder.edit(["port": 1])
        let thread = TestThread(process.looking)
        eventually("the first version is examined") { examined.count == 1 }
        try folder.edit(["port": 2])
        process.look()
        gate.open()
        thread.join()
        process.look()
        #expect(examined.values == [1, 2] && process.notices == [.rejected])
    }
}

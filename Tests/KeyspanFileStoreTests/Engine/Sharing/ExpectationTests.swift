@_spi(StoreAuthors) import KeyspanCore
import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@Suite struct ExpectationTests {
    private struct Refusal: Error {}
    private let folder = TemporaryFolder.forTest
    private var path: String { folder.path("file.json") }

    /// The modes, each without a validation and with one that accepts everything.
    static let modes: [(FileStoreOptions, validates: Bool)] = FileStoreOptions.modes.flatMap {
        [($0, false), ($0, true)]
    }

    private static let (n, m) = (Defaults.Key<Int>("n", default: 0), Defaults.Key<Int>("m", default: 0))

    private func open(_ options: FileStoreOptions = FileStoreOptions(), validates: Bool = false) throws -> ProcessDouble
    {
        try ProcessDouble(path: path, options: options, validate: validates ? { @Sendable _ in } : nil)
    }

    private func increment(_ process: ProcessDouble) throws {
        try Defaults(process.store).commit { batch in batch[Self.n] += 1 }
    }

    @Test(arguments: modes)
    func `expectations are decided by what all have written`(options: FileStoreOptions, validates: Bool) throws {
        let processes = try [open(options, validates: validates), open(options, validates: validates)]
        for number in 0..<10 {
            let process = processes[number % 2]
            try increment(process)
            let result = try Defaults(process.store).commit(Self.n) { number in
                number += 1
                return number
            }
            #expect(result == 2 * number + 2)
        }
        try processes[1].store.synchronize()
        processes[0].look()
        for process in [processes[0], processes[1], try open(options)] { #expect(process["n"] == 20) }
    }

    @Test(arguments: modes)
    func `expectations refuse a batch that rests on an older value`(options: FileStoreOptions, validates: Bool) throws {
        let (first, second) = (try open(options, validates: validates), try open(options, validates: validates))
        try first.save(["n": 1])
        let error = #expect(throws: StoreError.self) { try second.store.apply(.replacing(nil, by: 2)) }
        #expect(error?.code == .conflict)
        #expect(error?.key == "n")
        #expect(second["n"] == 1)
        #expect(try open(options)["n"] == 1)
    }

    @Test(arguments: FileStoreOptions.modes)
    func `expectations name the refusal of what they rest on`(options: FileStoreOptions) throws {
        try folder.write(["n": 1, "m": 1])
        let process = try ProcessDouble(path: path, options: options) { table in
            if table["n"] == 0 { throw Refusal() }
        }
        try folder.write(["n": 0, "m": 1])
        let error = #expect(throws: Defaults.WriteError.self) { try increment(process) }
        let cause = try #require(error?.storeError)
        #expect(cause.code == .conflict)
        #expect(cause.key == "n")
        #expect(cause.underlying is Refusal)
        #expect(process["n"] == 1)
        #expect(process.notices == [.rejected])
        // A batch that does not rest on it goes through.
        try Defaults(process.store).commit { batch in batch[Self.m] += 1 }
        try process.store.synchronize()
        #expect(process["m"] == 2)
        process.passTime()
        #expect(try folder.table() == ["n": 0, "m": 2])
    }

    @Test(arguments: [FileStoreOptions(), FileStoreOptions(durability: .everyBatch)])
    func `expectations leave an own newer write in force over a refused one`(options: FileStoreOptions) throws {
        let isOpen = Locked(false)
        try folder.write(["n": 1])
        let process = try ProcessDouble(path: path, options: options) { table in
            if table["n"] == 0, !isOpen.withLock({ $0 }) { throw Refusal() }
        }
        try folder.write(["n": 0, "m": 1])
        process.look()
        #expect(process["n"] == 1)
        try process.save(["n": 5])
        isOpen.withLock { $0 = true }
        try folder.write(["n": 5, "m": 2])
        process.look()
        #expect(process["n"] == 5)
        #expect(try open(options)["n"] == 5)
    }

    @Test(arguments: FileStoreOptions.modes)
    func `expectations leave memory alone if the disk rejects the batch`(options: FileStoreOptions) throws {
        let fileSystem = FaultyFileSystem()
        let process = try ProcessDouble(path: path, options: options, fileSystem: fileSystem)
        try increment(process)
        let call: SystemCall = options.journal == .none ? .write : .pwrite
        fileSystem.inject(.refusal(call, errno: ENOSPC))
        let error = #expect(throws: Defaults.WriteError.self) { try increment(process) }
        let cause = try #require(error?.storeError)
        #expect(cause.code == .notApplied)
        #expect(process["n"] == 1)
        fileSystem.inject(.none)
        let other = try open(options)
        for _ in 1...3 { try increment(other) }
        try increment(process)
        #expect(process["n"] == 5)
        try process.store.synchronize()
        #expect(try open(options)["n"] == 5)
    }

    /// If a batch throws, its values must not be on the disk, whatever other threads wrote to memory in the meantime.
    @Test func `expectations throw for nothing that is on the disk`() async throws {
        try folder.write(["n": 0])
        let isEntered = Locked(false)
        let mayGoOn = Gate()
        let fileSystem = FaultyFileSystem()
        let options = FileStoreOptions(durability: .everyBatch)
        let process = try ProcessDouble(path: path, options: options, fileSystem: fileSystem) { table in
            guard table["n"] == 7, !isEntered.withLock({ $0 }) else { return }
            isEntered.withLock { $0 = true }
            mayGoOn.pass()
        }
        let (store, look) = (process.store, process.looking)
        // Another process writes; this one is about to let it in, on a thread of its own.
        try open(options).save(["n": 7])
        let looker = TestThread { look() }
        try await eventually("the other thread examines the write") { isEntered.withLock(\.self) }
        fileSystem.inject(
            .interlude(before: .pwrite) {
                mayGoOn.open()
                // The pace of looks until the other thread has let it in, if it can.
                for _ in 0..<400 where store.value(forKey: "n") == 0 { usleep(500) }
            }
        )
        let error = storeError { () throws(StoreError) in try store.apply(.replacing(0, by: 1)) }
        mayGoOn.open()
        looker.join()
        #expect(error?.code == .conflict)
        #expect(try open(options)["n"] == 7)
        #expect(store.value(forKey: "n") == 7)
    }

    @Test func `a change in place is compared with memory, and waits for no disk`() throws {
        let (first, second) = (try open(), try open())
        Defaults(first.store)[Self.n] += 1
        #expect(try open()["n"] == nil)
        Defaults(second.store).modify(Self.n) { $0 += 5 }
        #expect(try open()["n"] == 5)
    }

    @Test(arguments: FileStoreOptions.modes)
    func `a change in place over a value that was refused is written`(options: FileStoreOptions) throws {
        try folder.write(["n": 1])
        let process = try ProcessDouble(path: path, options: options) { table in
            if table["n"] == 0 { throw Refusal() }
        }
        try folder.write(["n": 0])
        Defaults(process.store)[Self.n] += 1
        try process.store.synchronize()
        #expect(process["n"] == 2)
        process.passTime()
        #expect(try folder.table() == ["n": 2])
    }
}

extension Defaults.WriteError {
    /// The error of the store that is its cause.
    fileprivate var storeError: StoreError? { if case .store(let error) = cause { error } else { nil } }
}

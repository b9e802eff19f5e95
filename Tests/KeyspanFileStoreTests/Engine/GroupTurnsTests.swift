@_spi(StoreAuthors) import KeyspanCore
import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// Threads whose batches wait for the disk together.
@Suite(.heavy) struct GroupTurnsTests {
    private static let path = "/data/settings.json"
    private static let threads = 8
    private static let everyBatch = FileStoreOptions(durability: .everyBatch)
    private static let onSynchronize = FileStoreOptions(durability: .onSynchronize)

    private let disk = SimulatedDisk()
    private let fileSystem: FaultyFileSystem

    init() throws {
        try disk.makeFolders("/data")
        fileSystem = FaultyFileSystem(disk)
    }

    private func open(_ options: FileStoreOptions = everyBatch, saving values: [String: PropertyListValue?] = [:])
        throws
        -> ProcessDouble
    {
        let process = try ProcessDouble(path: Self.path, options: options, fileSystem: fileSystem)
        if !values.isEmpty { try process.save(values) }
        return process
    }

    /// The tables that a machine may find after a power failure now.
    private func tablesAfterCrash() throws -> [PropertyListTable] {
        try disk.crashes().map { try ProcessDouble(path: Self.path, fileSystem: $0).store.snapshot() }
    }

    /// Lets threads apply a batch each while another thread has the file, so that nearly all of them wait for the next flush.
    ///
    /// - Returns: The errors by the number of the thread, and at the end that of the other thread; `nil` for a batch that was
    ///   applied.
    private func applyTogether(
        to process: ProcessDouble,
        failing fault: FaultyFileSystem.Fault = .none,
        synchronizing isSynchronizing: Bool = false,
        _ batch: @escaping @Sendable (Int) -> PropertyListBatch
    ) -> [StoreError?] {
        let errors = Locked([StoreError?](repeating: nil, count: Self.threads + 1))
        let apply: @Sendable (Int, PropertyListBatch) -> Void = { number, batch in
            let error = storeError { () throws(StoreError) in
                try process.store.apply(batch)
                if isSynchronizing { try process.store.synchronize() }
            }
            errors.withLock { $0[number] = error }
        }
        let threads = Recorder<TestThread>()
        let (begun, fileSystem) = (Gate(), fileSystem)
        fileSystem.inject(
            .interlude(before: .pread) {
                for number in 0..<Self.threads {
                    let thread = TestThread {
                        begun.open()
                        apply(number, batch(number))
                    }
                    threads.record(thread)
                }
                for _ in 0..<Self.threads { begun.pass() }
                fileSystem.inject(fault)
            }
        )
        apply(Self.threads, PropertyListBatch(.set(1, key: "leader")))
        for thread in threads.values { thread.join() }
        return errors.withLock(\.self)
    }

    @Test(arguments: [everyBatch, onSynchronize])
    func `grouped batches are in one record after one flush`(options: FileStoreOptions) throws {
        let process = try open(options, saving: ["first": 1])
        var round = 0
        // In each round those that wait while the first thread has the file share a flush, which may be few on a busy machine.
        eventually("threads share a flush") {
            round += 1
            let value = PropertyListValue(round)
            let isSynchronizing = options.durability == .onSynchronize
            let errors = applyTogether(to: process, synchronizing: isSynchronizing) {
                PropertyListBatch(.set(value, key: "\($0)"))
            }
            #expect(errors.allSatisfy { $0 == nil })
            return fileSystem.calls.count { $0.call == .fdatasync } < Self.threads
        }
        for table in try tablesAfterCrash() {
            #expect((0..<Self.threads).allSatisfy { table["\($0)"] == .init(round) } && table["leader"] == 1)
        }
    }

    @Test(arguments: [everyBatch, onSynchronize], [SystemCall.fdatasync, .pwrite])
    func `grouped batches fail together`(options: FileStoreOptions, call: SystemCall) throws {
        let process = try open(options, saving: ["first": 1])
        let isSynchronizing = options.durability == .onSynchronize
        let errors = applyTogether(to: process, failing: .refusal(call, errno: EIO), synchronizing: isSynchronizing) {
            PropertyListBatch(.set(true, key: "\($0)"))
        }
        #expect(errors.allSatisfy { $0?.code == (isSynchronizing ? .notDurable : .notApplied) })
        fileSystem.inject(.none)
        var expected: PropertyListTable = ["first": 2]
        if isSynchronizing {
            // The writes stay in memory, and the next save has them.
            for number in 0..<Self.threads { expected["\(number)"] = true }
            expected["leader"] = 1
        } else {
            #expect(process.store.snapshot() == ["first": 1])
            #expect(try open().store.snapshot() == ["first": 1])
        }
        try process.save(["first": 2])
        for table in try tablesAfterCrash() { #expect(table == expected) }
    }

    /// The second thread gives up when it has waited for as long as the options say, and the third one has not.
    @Test func `a save is not given up together with that of a thread that has waited for longer`() async throws {
        let limit = Duration.seconds(1)
        let options = FileStoreOptions(durability: .onSynchronize, lockTimeout: limit)
        let process = try open(options, saving: ["first": 1])
        let other = disk.startProcess()
        let journal = try other.openFile("/data/.settings.json.journal", for: .updating)
        #expect(try other.lock(journal, exclusively: true))
        try process.set(["first": 2])
        let codes = Locked<[Int: StoreError.Code?]>([:])
        let synchronize: @Sendable (Int) -> TestThread = { number in
            TestThread {
                let begin = SuspendingClock.now
                var code = storeError { () throws(StoreError) in try process.store.synchronize() }?.code
                // On a machine that is busy for so long, the third one may give up as well.
                if number == 2, begin.duration(to: .now) >= limit { code = nil }
                if number == 1 { #expect(throws: Never.self) { try other.unlock(journal) } }
                codes.withLock { [code] in $0[number] = .some(code) }
            }
        }
        fileSystem.inject(.none)
        let first = synchronize(0)
        try await eventually("the first thread waits for the lock", fileSystem.calls) { !$0.isEmpty }
        // Paces the threads: the second one gives up this much later than the first, and the third begins in between.
        try await Task.sleep(for: .milliseconds(200))
        let second = synchronize(1)
        try await eventually("the first thread gives up", codes.withLock(\.self)) { $0[0] != nil }
        for thread in [first, second, synchronize(2)] { thread.join() }
        #expect(codes.withLock(\.self) == [0: .notDurable, 1: .notDurable, 2: nil])
    }

    /// The thread that led the group reports, and the others of the group must not wait for it then.
    @Test func `a report waits for another thread that synchronizes`() throws {
        let calls = Locked(0)
        let waiting = Locked<JSONFileStore?>(nil)
        let report: @Sendable (FileReport) -> Void = { _ in
            guard let store = waiting.withLock(\.self) else { return }
            TestThread { #expect(throws: Never.self) { try store.synchronize() } }.join()
            #expect(throws: Never.self) { try store.synchronize() }
            calls.withLock { $0 += 1 }
        }
        let store = try JSONFileStore(
            path: Self.path,
            options: Self.onSynchronize,
            seams: .manual(fileSystem, report: report)
        )
        waiting.withLock { $0 = store }
        store.set(1, forKey: "key")
        fileSystem.inject(.refusal(.flock, errno: ENOLCK))
        try store.synchronize()
        #expect(calls.withLock(\.self) == 1)
        waiting.withLock { $0 = nil }
    }

    /// Each is decided after those before it.
    @Test func `grouped batches are refused one by one`() throws {
        let process = try open(saving: ["count": 0])
        let errors = applyTogether(to: process) { .replacing(nil, by: .init($0), key: "winner") }
        let winners = errors.indices.dropLast().filter { errors[$0] == nil }
        try #require(winners.count == 1)
        #expect(errors.count { $0?.code == .conflict } == Self.threads - 1)
        #expect(try open()["winner"] == .init(winners[0]))
    }

    @Test func `grouped batches fail one by one if there is no room for all`() throws {
        var options = Self.everyBatch
        options.limits.fileSize = 4000
        let process = try open(options, saving: ["first": 1])
        let errors = applyTogether(to: process) { number in
            PropertyListBatch(.set(.string(String(repeating: "x", count: 1000)), key: "\(number)"))
        }
        let applied = errors.indices.dropLast().filter { errors[$0] == nil }
        #expect((1...3).contains(applied.count))
        let table = try open(options).store.snapshot()
        #expect(errors.indices.dropLast().allSatisfy { (table["\($0)"] != nil) == applied.contains($0) })
        #expect(table == process.store.snapshot())
    }

    @Test func `grouped batches are in several records if they are large`() throws {
        let process = try open(saving: ["first": 1])
        // Two records have room for all, one has not; more would take a minute beside sanitizers.
        let size = 600_000
        let errors = applyTogether(to: process) { number in
            PropertyListBatch(.set(.string(String(repeating: "x", count: size)), key: "\(number)"))
        }
        #expect(errors.allSatisfy { $0 == nil })
        let journal = try #require(disk.bytes(of: "/data/.settings.json.journal"))
        let header = try JournalHeader(journal[...])
        let records = JournalReading(journal[JournalHeader.length...], from: header.start).records
        #expect(records.reduce(0) { $0 + $1.writes.count } == Self.threads + 2)
        #expect(records.allSatisfy { $0.writes.count < Self.threads })
    }

    @Test func `grouped batches call each observer on the thread of its batch`() throws {
        let process = try open(saving: ["first": 1])
        let threads = Locked<[Int: ThreadIdentity]>([:])
        let callers = Locked<[Int: ThreadIdentity]>([:])
        let observations = (0..<Self.threads).map { number in
            process.store.observe(.named(["\(number)"]), initial: false) { _ in
                callers.withLock { $0[number] = .current }
            }
        }
        let errors = applyTogether(to: process) { number in
            threads.withLock { $0[number] = .current }
            return PropertyListBatch(.set(true, key: "\(number)"))
        }
        #expect(errors.allSatisfy { $0 == nil })
        #expect(callers.withLock(\.self) == threads.withLock(\.self))
        withExtendedLifetime(observations) {}
    }

    /// Whoever leads the group.
    @Test func `grouped batches are whole and in order for each thread`() throws {
        let process = try open()
        let count = TestLevel.current.pick(40, thorough: 400)
        let threads = (0..<Self.threads).map { thread in
            TestThread {
                for number in 1...count {
                    var batch = PropertyListBatch()
                    for key in ["a\(thread)", "b\(thread)"] { batch.set(.init(number), forKey: key) }
                    #expect(throws: Never.self) { try process.store.apply(batch) }
                    #expect(process["a\(thread)"] == .init(number))
                }
            }
        }
        for thread in threads { thread.join() }
        let table = try ProcessDouble(path: Self.path, fileSystem: disk.afterProcessesWereKilled()).store.snapshot()
        let last = PropertyListValue(count)
        #expect((0..<Self.threads).allSatisfy { table["a\($0)"] == last && table["b\($0)"] == last })
    }
}

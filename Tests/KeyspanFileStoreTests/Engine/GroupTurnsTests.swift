import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// Threads whose batches wait for the disk together.
@Suite(.timeLimit(.minutes(20))) struct GroupTurnsTests {
    private static let path = "/data/settings.json"
    private static let threads = 8
    private static let options = FileStoreOptions(durability: .everyBatch)

    private let disk = SimulatedDisk()
    private let fileSystem: FaultyFileSystem

    init() throws {
        try disk.makeFolders("/data")
        fileSystem = FaultyFileSystem(disk)
    }

    private func open(_ options: FileStoreOptions = options) throws -> ProcessDouble {
        try ProcessDouble(path: Self.path, options: options, fileSystem: fileSystem)
    }

    /// Lets threads apply a batch each while another thread has the file, so that they wait for the next flush.
    ///
    /// - Returns: The errors by the number of the thread, and at the end that of the other thread; `nil` for a batch that was
    ///   applied.
    private func applyTogether(
        to process: ProcessDouble,
        failing fault: FaultyFileSystem.Fault = .none,
        synchronizing isSynchronizing: Bool = false,
        _ batch: @escaping @Sendable (Int) -> PropertyListBatch
    ) -> [StoreError?] {
        let apply: @Sendable (PropertyListBatch) throws(StoreError) -> Void = { (batch) throws(StoreError) in
            try process.store.apply(batch)
            if isSynchronizing { try process.store.synchronize() }
        }
        let errors = Locked([StoreError?](repeating: nil, count: Self.threads + 1))
        let group = DispatchGroup()
        let (begun, fileSystem) = (DispatchSemaphore(value: 0), fileSystem)
        fileSystem.inject(
            .interlude(before: .pread) {
                for number in 0..<Self.threads {
                    group.enter()
                    Thread.detachNewThread {
                        begun.signal()
                        do throws(StoreError) {
                            try apply(batch(number))
                        } catch {
                            errors.withLock { $0[number] = error }
                        }
                        group.leave()
                    }
                }
                for _ in 0..<Self.threads { begun.wait() }
                // Until nearly all of them wait; the test holds however many do.
                Thread.sleep(forTimeInterval: 0.05)
                fileSystem.inject(fault)
            }
        )
        do throws(StoreError) {
            try apply(PropertyListBatch(.set(1, key: "leader")))
        } catch {
            errors.withLock { $0[Self.threads] = error }
        }
        group.wait()
        return errors.withLock(\.self)
    }

    @Test func `batches of threads that wait together are in one record after one flush`() throws {
        let process = try open()
        try process.set(["first": 1])
        let errors = applyTogether(to: process) { PropertyListBatch(.set(true, key: "\($0)")) }
        #expect(errors.allSatisfy { $0 == nil })
        #expect(fileSystem.calls.count { $0.call == .fdatasync } < Self.threads)
        for found in disk.crashes() {
            let table = try ProcessDouble(path: Self.path, fileSystem: found).store.snapshot()
            #expect((0..<Self.threads).allSatisfy { table["\($0)"] == true } && table["leader"] == 1)
        }
    }

    @Test(arguments: [SystemCall.fdatasync, .pwrite])
    func `batches of threads that wait together have not happened if the flush fails`(call: SystemCall) throws {
        let process = try open()
        try process.set(["first": 1])
        let errors = applyTogether(to: process, failing: .refusal(call, errno: EIO)) {
            PropertyListBatch(.set(true, key: "\($0)"))
        }
        #expect(errors.allSatisfy { $0?.code == .notDurable })
        fileSystem.inject(.none)
        let rest: PropertyListTable = ["first": 1]
        #expect(process.store.snapshot() == rest)
        #expect(try open().store.snapshot() == rest)
        try process.set(["first": 2])
        for found in disk.crashes() {
            #expect(try ProcessDouble(path: Self.path, fileSystem: found).store.snapshot() == ["first": 2])
        }
    }

    @Test func `saves of threads that wait together are in one record after one flush`() throws {
        let process = try open(.init(durability: .onSynchronize))
        try process.set(["first": 1])
        try process.store.synchronize()
        let flushes = fileSystem.calls.count { $0.call == .fdatasync }
        let errors = applyTogether(to: process, synchronizing: true) { PropertyListBatch(.set(true, key: "\($0)")) }
        #expect(errors.allSatisfy { $0 == nil })
        #expect(fileSystem.calls.count { $0.call == .fdatasync } - flushes < Self.threads)
        for found in disk.crashes() {
            let table = try ProcessDouble(path: Self.path, fileSystem: found).store.snapshot()
            #expect((0..<Self.threads).allSatisfy { table["\($0)"] == true } && table["leader"] == 1)
        }
    }

    @Test(arguments: [SystemCall.fdatasync, .pwrite])
    func `saves of threads that wait together fail together, and the writes stay in memory`(call: SystemCall) throws {
        let process = try open(.init(durability: .onSynchronize))
        try process.set(["first": 1])
        try process.store.synchronize()
        let errors = applyTogether(to: process, failing: .refusal(call, errno: EIO), synchronizing: true) {
            PropertyListBatch(.set(true, key: "\($0)"))
        }
        #expect(errors.allSatisfy { $0?.code == .notDurable })
        fileSystem.inject(.none)
        try process.store.synchronize()
        for found in disk.crashes() {
            let table = try ProcessDouble(path: Self.path, fileSystem: found).store.snapshot()
            #expect((0..<Self.threads).allSatisfy { table["\($0)"] == true } && table["leader"] == 1)
        }
    }

    /// The second thread gives up when it has waited for as long as the options say, and the third one has not.
    @Test func `a save is not given up together with that of a thread that has waited for longer`() throws {
        let process = try open(.init(durability: .onSynchronize, lockTimeout: .seconds(3)))
        try process.save(["first": 1])
        let other = disk.startProcess()
        let journal = try other.openFile("/data/.settings.json.journal", for: .updating)
        #expect(try other.lock(journal, exclusively: true))
        try process.set(["first": 2])
        let errors = Locked([StoreError?](repeating: nil, count: 3))
        let group = DispatchGroup()
        for (number, pause) in [0.2, 1.8, 0].enumerated() {
            group.enter()
            Thread.detachNewThread {
                do throws(StoreError) {
                    try process.store.synchronize()
                } catch {
                    errors.withLock { $0[number] = error }
                }
                if number == 1 { #expect(throws: Never.self) { try other.unlock(journal) } }
                group.leave()
            }
            // Until the thread waits; the test holds if it does not yet.
            Thread.sleep(forTimeInterval: pause)
        }
        group.wait()
        #expect(errors.withLock { $0.map { $0?.code } } == [.notDurable, .notDurable, nil])
    }

    /// The thread that led the group reports, and the others of the group must not wait for it then.
    @Test func `a report waits for another thread that synchronizes`() throws {
        let calls = Locked(0)
        let waiting = Locked<JSONFileStore?>(nil)
        let store = try JSONFileStore(
            path: Self.path,
            options: FileStoreOptions(durability: .onSynchronize),
            seams: FileStoreSeams(
                fileSystem: fileSystem,
                queue: ManualWorkQueue(),
                openEngines: OpenEngines(),
                report: { _ in
                    guard let store = waiting.withLock(\.self) else { return }
                    let done = DispatchSemaphore(value: 0)
                    Thread.detachNewThread {
                        #expect(throws: Never.self) { try store.synchronize() }
                        done.signal()
                    }
                    done.wait()
                    #expect(throws: Never.self) { try store.synchronize() }
                    calls.withLock { $0 += 1 }
                }
            )
        )
        waiting.withLock { $0 = store }
        store.set(1, forKey: "key")
        fileSystem.inject(.refusal(.flock, errno: ENOLCK))
        try store.synchronize()
        #expect(calls.withLock(\.self) == 1)
        waiting.withLock { $0 = nil }
    }

    /// Each is decided after those before it.
    @Test func `batches of threads that wait together are refused one by one`() throws {
        let process = try open()
        try process.set(["count": 0])
        let errors = applyTogether(to: process) { number in
            var batch = PropertyListBatch(.set(.integer(PropertyListInteger(number)), key: "winner"))
            batch.expect(nil, forKey: "winner")
            return batch
        }
        let winners = errors.indices.dropLast().filter { errors[$0] == nil }
        try #require(winners.count == 1)
        #expect(errors.count { $0?.code == .conflict } == Self.threads - 1)
        #expect(try open()["winner"] == .integer(PropertyListInteger(winners[0])))
    }

    @Test func `batches of threads that wait together fail one by one if there is no room for all`() throws {
        var options = Self.options
        options.limits.fileSize = 4000
        let process = try open(options)
        try process.set(["first": 1])
        let errors = applyTogether(to: process) { number in
            PropertyListBatch(.set(.string(String(repeating: "x", count: 1000)), key: "\(number)"))
        }
        let applied = errors.indices.dropLast().filter { errors[$0] == nil }
        #expect((1...3).contains(applied.count))
        let table = try open(options).store.snapshot()
        #expect(errors.indices.dropLast().allSatisfy { (table["\($0)"] != nil) == applied.contains($0) })
        #expect(table == process.store.snapshot())
    }

    @Test func `batches of threads that wait together are in several records if they are large`() throws {
        let process = try open()
        try process.set(["first": 1])
        let size = 1 << 20
        let errors = applyTogether(to: process) { number in
            PropertyListBatch(.set(.string(String(repeating: "x", count: size)), key: "\(number)"))
        }
        #expect(errors.allSatisfy { $0 == nil })
        let journal = try #require(disk.bytes(of: "/data/.settings.json.journal"))
        let header = try JournalHeader(journal[...])
        let records = JournalReading(journal[JournalHeader.length...], from: header.start).records
        #expect(records.reduce(0) { $0 + $1.writes.count } == Self.threads + 2)
        #expect(records.allSatisfy { $0.writes.count <= 5 })
    }

    @Test func `batches of threads that wait together call each observer on the thread of its batch`() throws {
        let process = try open()
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
    @Test func `batches of threads that wait together are whole and in order for each thread`() throws {
        let process = try open()
        let group = DispatchGroup()
        let count = TestLevel.current.pick(40, thorough: 400)
        for thread in 0..<Self.threads {
            group.enter()
            Thread.detachNewThread {
                for number in 1...count {
                    var batch = PropertyListBatch()
                    batch.set(.integer(PropertyListInteger(number)), forKey: "a\(thread)")
                    batch.set(.integer(PropertyListInteger(number)), forKey: "b\(thread)")
                    #expect(throws: Never.self) { try process.store.apply(batch) }
                    let value = process["a\(thread)"]
                    #expect(value == .integer(PropertyListInteger(number)))
                }
                group.leave()
            }
        }
        group.wait()
        let table = try ProcessDouble(path: Self.path, fileSystem: disk.afterProcessesWereKilled()).store.snapshot()
        let last = PropertyListValue.integer(PropertyListInteger(count))
        #expect((0..<Self.threads).allSatisfy { table["a\($0)"] == last && table["b\($0)"] == last })
    }
}

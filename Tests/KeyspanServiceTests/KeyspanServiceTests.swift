import Foundation
@_spi(StoreAuthors) import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanService
import KeyspanTestSupport
import KeyspanTesting
import Logging
import MetricsTestKit
import ServiceLifecycle
import ServiceLifecycleTestKit
import Testing

/// The service that saves settings before a server ends, and reloads them while it runs.
@Suite struct KeyspanServiceTests {
    private let log = RecordingLog()
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func service(
        _ stores: [any PropertyListStore],
        flushTimeout: Duration = .seconds(600)
    ) -> KeyspanService {
        KeyspanService(
            stores,
            logger: log.logger(),
            configuration: .init(flushTimeout: flushTimeout, reloadsOnHangup: false, meterInterval: nil)
        )
    }

    /// Runs a service and shuts it down.
    private func run(_ service: KeyspanService) async throws(UnsavedStoresError) {
        let result = await testGracefulShutdown { trigger -> Result<Void, UnsavedStoresError> in
            trigger.triggerGracefulShutdown()
            do throws(UnsavedStoresError) {
                return .success(try await service.run())
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }

    @Test func `graceful shutdown saves each layer of a store`() async throws {
        let file = try folder.open()
        let scripted = ScriptedStore()
        let layered = LayeredStore([.init("file", file, isWritable: true), .init("scripted", scripted)])
        try layered.apply(PropertyListBatch(.set(1, key: "port")))
        try await run(service([layered]))
        #expect(try folder.text().contains("\"port\""))
        #expect(scripted.count(of: .synchronize) == 1)
        #expect(log.entries.allSatisfy { $0.level < .info })
    }

    @Test func `what other services of a group write at their end is saved`() async throws {
        struct Writer: Service {
            let store: any PropertyListStore
            func run() async throws {
                try await gracefulShutdown()
                try store.apply(PropertyListBatch(.set("last", key: "word")))
            }
        }
        struct Trigger: Service {
            func run() async throws {}
        }
        let store = try folder.open()
        var configuration = ServiceGroupConfiguration(
            services: [.init(service: service([store])), .init(service: Writer(store: store))],
            logger: log.logger()
        )
        configuration.services.append(
            .init(service: Trigger(), successTerminationBehavior: .gracefullyShutdownGroup)
        )
        try await ServiceGroup(configuration: configuration).run()
        #expect(try folder.text().contains("last"))
    }

    @Test func `a canceled service saves as well`() async throws {
        let store = try folder.open()
        try store.apply(PropertyListBatch(.set(1, key: "port")))
        let service = service([store])
        let task = Task { try await service.run() }
        task.cancel()
        try await task.value
        #expect(try folder.text().contains("port"))
    }

    @Test func `a store that cannot be saved is logged with its keys and thrown, and the others are saved`()
        async throws
    {
        let fileSystem = FaultyFileSystem()
        let full = try folder.open(fileSystem: fileSystem)
        try full.apply(PropertyListBatch(.set("sesame", key: "b")))
        try full.apply(PropertyListBatch(.set(1, key: "a")))
        fileSystem.inject(.refusal(.write, errno: ENOSPC))
        let scripted = ScriptedStore()
        let error = await #expect(throws: UnsavedStoresError.self) { try await run(service([full, scripted])) }
        let failure = try #require(error?.failures.first)
        #expect(error?.failures.count == 1 && failure.store == full.name && failure.unsavedKeys == ["a", "b"])
        guard case .failed(let cause) = failure.cause else {
            Issue.record("\(failure)")
            return
        }
        #expect(cause.code == .notDurable)
        #expect(scripted.count(of: .synchronize) == 1)
        let entry = try #require(log.entries.last)
        #expect(entry.level == .error && entry["keyspan.store"] == full.name && entry["keyspan.code"] == "notDurable")
        #expect(entry.event.metadata?["keyspan.unsavedKeys"] == ["a", "b"])
        #expect(entry["keyspan.errno"] == "28" && entry.message.contains(#"(unsaved: "a", "b")"#))
        #expect(!"\(entry.message) \(entry.event.metadata ?? [:])".contains("sesame"))
    }

    @Test func `the end does not wait for a store that hangs`() async throws {
        let store = ScriptedStore()
        store.hold(.synchronize)
        let service = service([store], flushTimeout: .milliseconds(10))
        let error = await #expect(throws: UnsavedStoresError.self) { try await run(service) }
        guard case .timeout(.milliseconds(10))? = error?.failures.first?.cause else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(log.entries.map(\.level) == [.error])
        store.release(.synchronize)
        try await eventually("the store is saved in the end", store.count(of: .synchronize), is: 1)
    }

    @Test func `the end does not wait for a disk that hangs, and names what is only in memory`() async throws {
        let (fileSystem, disk) = (FaultyFileSystem(), Gate())
        let store = try folder.open(fileSystem: fileSystem)
        try store.apply(PropertyListBatch(.set(1, key: "port")))
        fileSystem.inject(.interlude(before: .write) { disk.pass() })
        let service = service([store], flushTimeout: .milliseconds(200))
        let error = await #expect(throws: UnsavedStoresError.self) { try await run(service) }
        #expect(error?.failures.map(\.unsavedKeys) == [["port"]])
        #expect(error?.description.contains(folder.file) == true)
        disk.open()
        try await eventually("the store is saved in the end", store.unsavedKeys, is: [])
    }

    @Test func `the exit of the process does not wait for a disk that hung, until a save succeeds`() async throws {
        let (fileSystem, engines, disk) = (FaultyFileSystem(), OpenEngines(), Gate())
        let store = try folder.open(fileSystem: fileSystem, in: engines)
        try store.apply(PropertyListBatch(.set(1, key: "port")))
        fileSystem.inject(.interlude(before: .write) { disk.pass() })
        let service = service([LayeredStore([.init("file", store)])], flushTimeout: .milliseconds(100))
        await #expect(throws: UnsavedStoresError.self) { try await run(service) }
        try await eventually("the save waits for the disk", disk.waitingCount, is: 1)
        // As at the exit of the process.
        try await TestThread.run { engines.settleAll() }
        #expect(disk.waitingCount == 1 && store.unsavedKeys == ["port"])
        disk.open()
        try await store.synchronize()
        try store.apply(PropertyListBatch(.set(2, key: "port")))
        engines.settleAll()
        #expect(try folder.text().contains("2"))
    }

    /// The program had given the disk up before it answered, or a save in the background succeeded since.
    @Test(arguments: [true, false])
    func `the exit of the process saves to a disk that answers again`(savesInBetween: Bool) async throws {
        let (fileSystem, engines, disk) = (FaultyFileSystem(), OpenEngines(), Gate())
        let store = try folder.open(fileSystem: fileSystem, in: engines)
        try store.apply(PropertyListBatch(.set(1, key: "port")))
        fileSystem.inject(.interlude(before: .write) { disk.pass() })
        let service = service([store], flushTimeout: .milliseconds(100))
        await #expect(throws: UnsavedStoresError.self) { try await run(service) }
        try await eventually("the save waits for the disk", disk.waitingCount, is: 1)
        disk.open()
        // Waits for the thread that was held up.
        try await store.synchronize()
        store.giveUpSavingAtExit()
        if savesInBetween {
            try store.apply(PropertyListBatch(.set(3, key: "port")))
            store.engine.run(.save)
        }
        try store.apply(PropertyListBatch(.set(2, key: "port")))
        try await TestThread.run { engines.settleAll() }
        #expect(try folder.text().contains("2"))
    }

    @Test func `a log names a hundred of the unsaved keys, and their number`() async throws {
        let fileSystem = FaultyFileSystem()
        let store = try folder.open(fileSystem: fileSystem)
        for number in 0..<300 { try store.apply(PropertyListBatch(.set(1, key: "key \(number)"))) }
        fileSystem.inject(.refusal(.write, errno: ENOSPC))
        await #expect(throws: UnsavedStoresError.self) { try await run(service([store])) }
        let entry = try #require(log.entries.last)
        #expect(entry["keyspan.unsavedCount"] == "300")
        guard case .array(let keys)? = entry.event.metadata?["keyspan.unsavedKeys"] else {
            Issue.record("\(entry.event)")
            return
        }
        #expect(keys.count == 100)
    }

    @Test func `meters are recorded while the service runs, and once more at its end`() async throws {
        let metrics = TestMetrics()
        let store = InMemoryStore(["a": 1], name: "memory store")
        let service = KeyspanService(
            Defaults(store),
            logger: log.logger(),
            configuration: .init(reloadsOnHangup: false, meterInterval: .milliseconds(1)),
            metricsFactory: metrics
        )
        let entries = try metrics.expectMeter("keyspan.entries", [("store", "memory store")])
        let task = Task { try await service.run() }
        try await eventually("the meter is recorded", entries.values.count) { $0 >= 3 }
        try store.apply(PropertyListBatch(.set(2, key: "b")))
        task.cancel()
        try await task.value
        #expect(entries.values.last == 2)
    }

    @Test(arguments: [true, false])
    func `a snapshot or a meter that hangs does not hold up the end`(hangsWhileItRuns: Bool) async throws {
        let store = ScriptedStore(["a": 1], name: "s")
        if hangsWhileItRuns { store.hold(.snapshot) }
        store.before(.synchronize) { store.hold(.snapshot) }
        let service = KeyspanService(
            [store],
            logger: log.logger(),
            configuration: .init(reloadsOnHangup: false, meterInterval: .milliseconds(1)),
            metricsFactory: TestMetrics()
        )
        let task = Task { try await service.run() }
        if hangsWhileItRuns { try await eventually("the meters wait", store.heldCount, is: 1) }
        task.cancel()
        try await task.value
        #expect(store.count(of: .synchronize) == 1)
        store.release(.snapshot)
    }

    /// A service that writes a setting when it ends.
    private struct Writer: Service {
        let store: any PropertyListStore
        func run() async throws {
            try? await gracefulShutdown()
            try store.apply(PropertyListBatch(.set("last", key: "word")))
        }
    }

    /// A service that returns or fails at once.
    private struct Job: Service {
        struct Failure: Error {}
        let fails: Bool
        func run() async throws { if fails { throw Failure() } }
    }

    @Test(arguments: [true, false])
    func `a group of its configuration saves what others write after a service has ended`(fails: Bool) async throws {
        let store = try folder.open()
        var configuration = service([store]).groupConfiguration(with: [Writer(store: store), Job(fails: fails)])
        // The process of the tests keeps its own.
        configuration.gracefulShutdownSignals = []
        do {
            try await ServiceGroup(configuration: configuration).run()
            #expect(!fails)
        } catch {
            #expect(fails && error is Job.Failure)
        }
        #expect(try folder.text().contains("last"))
    }
}

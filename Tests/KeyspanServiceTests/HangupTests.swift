import Foundation
@_spi(StoreAuthors) import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanService
import KeyspanTestSupport
import KeyspanTesting
import Logging
import ServiceLifecycle
import Testing
import UnixSignals

#if os(macOS) || os(Linux) || os(FreeBSD)
extension Defaults.Keys {
    fileprivate static let documentedLevel = Key<Logger.Level>("log.level", default: .info)
}

/// `SIGHUP`, in processes of their own: a signal is for a whole process.
@Suite struct HangupTests {
    @Test func `a hangup reloads the stores, and a rejected version is logged while the values before stay`() async {
        await #expect(processExitsWith: .success) {
            let (log, folder) = (RecordingLog(), try TemporaryFolder())
            try folder.replaceFile("{\"port\": 1}")
            let store = try folder.open()
            let service = KeyspanService([store], logger: log.logger())
            let task = Task { try await service.run() }
            try await log.awaitHangupHandler()
            try folder.replaceFile("{\"port\": 2}")
            kill(getpid(), SIGHUP)
            try await eventually("the store is reloaded", store.value(forKey: "port"), is: 2)
            try await eventually("the reload is logged") {
                log.entries.contains { $0.level == .info && $0["keyspan.store"] == folder.file }
            }
            try folder.replaceFile("{\"port\": ")
            kill(getpid(), SIGHUP)
            try await eventually("the rejection is logged") { log.entries.contains { $0.level == .warning } }
            let warning = try #require(log.entries.first { $0.level == .warning })
            #expect(warning["keyspan.code"] == "notReloaded" && warning["keyspan.line"] == "1")
            #expect(store.value(forKey: "port") == 2)
            task.cancel()
            try await task.value
        }
    }

    /// A service that waits for the end, as a server does.
    private struct Server: Service {
        func run() async throws { try await gracefulShutdown() }
    }

    @Test func `a program with the documented group reloads on a hangup, and saves on termination`() async {
        await #expect(processExitsWith: .success) {
            let (log, folder) = (RecordingLog(), try TemporaryFolder())
            try folder.replaceFile("{\"log.level\": \"debug\"}")
            let options = FileStoreOptions(saveDelay: .seconds(3600), journal: .none)
            let file = try JSONFileStore(path: folder.file, keys: [Defaults.Keys.documentedLevel], options: options)
            LoggingSystem.bootstrap { label in
                LiveLogHandler(log.handler(label), level: .documentedLevel, in: Defaults(file))
            }
            let logger = Logger(label: "greeter")
            Defaults.log(problemsTo: logger)

            let settings = KeyspanService([file], logger: logger)
            let group = ServiceGroup(
                services: [settings, Server()],
                gracefulShutdownSignals: [.sigterm, .sigint],
                logger: logger
            )
            let program = Task { try await group.run() }

            try await log.awaitHangupHandler()
            kill(getpid(), SIGHUP)
            try await eventually("the reload is logged", log.reloadCount, is: 1)
            // The file is watched, so that a level is in effect without a signal as well.
            try folder.replaceFile("{\"log.level\": \"error\"}")
            try await eventually("the level is in effect", logger.logLevel, is: .error)
            try Defaults(file).set(.warning, for: .documentedLevel)
            kill(getpid(), SIGTERM)
            try await program.value
            #expect(try folder.text().contains("warning"))
        }
    }

    /// A store whose source does not answer.
    private final class HangingStore: ReloadableStore {
        private let memory = InMemoryStore()
        let reloads = Locked(0)
        var name: String { "hanging store" }

        func reload() throws(StoreError) {
            reloads.withLock { $0 += 1 }
            // Never: the process ends first.
            DispatchSemaphore(value: 0).wait()
        }

        func storedValue(forKey key: String) -> StoredValue? { memory.storedValue(forKey: key) }

        func snapshot() -> PropertyListTable { memory.snapshot() }

        func apply(_ batch: PropertyListBatch) throws(StoreError) { try memory.apply(batch) }

        func observe(
            _ keys: ObservedKeys,
            initial: Bool,
            _ receive: @escaping @Sendable (PropertyListChange) -> Void
        ) -> StoreObservation { memory.observe(keys, initial: initial, receive) }

        func synchronize() throws(StoreError) {}
    }

    @Test func `neither the other stores nor the end wait for a reload that hangs`() async {
        await #expect(processExitsWith: .success) {
            let (log, folder) = (RecordingLog(), try TemporaryFolder())
            let (hanging, file) = (HangingStore(), try folder.open())
            let service = KeyspanService([hanging, file], logger: log.logger())
            let task = Task { try await service.run() }
            try await log.awaitHangupHandler()
            try folder.replaceFile("{\"port\": 2}")
            kill(getpid(), SIGHUP)
            try await eventually("one reload hangs", hanging.reloads.withLock(\.self), is: 1)
            try await eventually("the other store is reloaded", log.reloadCount, is: 1)
            #expect(file.value(forKey: "port") == 2)
            kill(getpid(), SIGHUP)
            try await eventually("the other store is reloaded again", log.reloadCount, is: 2)
            #expect(hanging.reloads.withLock(\.self) == 1)
            try file.apply(PropertyListBatch(.set(3, key: "port")))
            task.cancel()
            try await task.value
            #expect(try folder.text().contains("3"))
        }
    }
}

extension RecordingLog {
    /// Waits until the service handles hangups; before, the signal would end the process.
    fileprivate func awaitHangupHandler() async throws {
        try await eventually("the service handles SIGHUP") { entries.contains { $0.message.contains("SIGHUP") } }
    }

    fileprivate var reloadCount: Int { entries.count { $0.message == "Settings were reloaded" } }
}
#endif

import Foundation
@_spi(StoreAuthors) import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanService
import KeyspanTestSupport
import Metrics
import MetricsTestKit
import Testing

/// The metrics of stores.
@Suite struct StoreMetricsTests {
    private let metrics = TestMetrics()
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func count(_ label: String, _ store: any PropertyListStore) throws -> Int64 {
        try metrics.expectCounter("keyspan.\(label)", [("store", store.name)]).totalValue
    }

    private func durations(_ label: String, _ store: any PropertyListStore) throws -> [Int64] {
        try metrics.expectTimer("keyspan.\(label).duration", [("store", store.name)]).values
    }

    private func meter(_ label: String, _ store: any PropertyListStore) throws -> Double? {
        try metrics.expectMeter("keyspan.\(label)", [("store", store.name)]).values.last
    }

    @Test func `a save has its bytes, its duration and that of its flush, and a rejected reload is counted`() throws {
        let store = try folder.open { if $0["port"] == 0 { throw Refusal() } }
        let recorded = StoreMetrics(of: [store], factory: metrics)
        defer { withExtendedLifetime(recorded) {} }
        try store.apply(PropertyListBatch(.set(1, key: "port")))
        try store.synchronize()
        #expect(try durations("save", store).count == 1)
        #expect(try durations("flush", store).count == 1)
        #expect(try durations("flush", store)[0] >= durations("save", store)[0])
        #expect(try count("saved.bytes", store) > 0)

        try folder.replaceFile("{\"port\": 2, \"motto\": \"a\"}")
        try store.reload()
        #expect(try count("reloads", store) == 1 && durations("reload", store).count == 1)
        try folder.replaceFile("{\"port\": 0}")
        func reload() throws { try store.reload() }
        #expect(throws: StoreError.self) { try reload() }
        #expect(try count("rejections", store) == 1)
        recorded.recordMeters()
        #expect(try meter("entries", store) == 2)
        #expect(try meter("unsaved.entries", store) == 0)
        #expect(try #require(try meter("contents.stale.seconds", store)) > 0)
        #expect(try #require(try meter("contents.age.seconds", store)) > 0)

        try folder.replaceFile("{\"port\": 3}")
        try store.reload()
        recorded.recordMeters()
        #expect(try meter("contents.stale.seconds", store) == 0)
        #expect(try meter("entries", store) == 1)
    }

    private struct Refusal: Error {}

    @Test func `a failed save and a conflict are counted, and unsaved entries are measured`() throws {
        let fileSystem = FaultyFileSystem()
        let store = try folder.open(fileSystem: fileSystem)
        let recorded = StoreMetrics(of: [store], factory: metrics)
        defer { withExtendedLifetime(recorded) {} }
        try store.apply(PropertyListBatch(.set(1, key: "a")))
        fileSystem.inject(.refusal(.write, errno: ENOSPC))
        func synchronize() throws { try store.synchronize() }
        #expect(throws: StoreError.self) { try synchronize() }
        recorded.recordMeters()
        #expect(try count("save.failures", store) == 1)
        #expect(try meter("unsaved.entries", store) == 1)
        fileSystem.inject(.none)
        try store.synchronize()
        var batch = PropertyListBatch(.set(3, key: "a"))
        batch.expect(2, forKey: "a")
        let expecting = batch
        #expect(throws: StoreError.self) { try store.apply(expecting) }
        #expect(try count("conflicts", store) == 1)
    }

    @Test func `each layer has metrics of its own, once, and one in memory only that of its entries`() throws {
        let file = try folder.open()
        let memory = InMemoryStore(["a": 1], name: "memory store")
        let layered = LayeredStore([.init("file", file, isWritable: true), .init("memory", memory)])
        let recorded = StoreMetrics(of: [layered, file, memory], factory: metrics)
        defer { withExtendedLifetime(recorded) {} }
        recorded.recordMeters()
        #expect(metrics.meters(label: "keyspan.entries").count == 2)
        #expect(try meter("entries", memory) == 1 && meter("entries", file) == 0)
        #expect(metrics.meters(label: "keyspan.contents.age.seconds").count == 1)
        #expect(metrics.counters(label: "keyspan.reloads").count == 1)
    }

    @Test func `metrics that are released are exported no more`() throws {
        let store = try folder.open()
        var recorded: [StoreMetrics] = [
            StoreMetrics(of: [store], factory: metrics), StoreMetrics(of: [store], factory: metrics),
        ]
        recorded.removeLast()
        try store.synchronize()
        #expect(try durations("flush", store).count == 1)
        recorded.removeLast()
        try store.synchronize()
        #expect(metrics.counters.isEmpty && metrics.timers.isEmpty && metrics.meters.isEmpty)
        // The store is opened again.
        recorded.append(StoreMetrics(of: [store], factory: metrics))
        try store.synchronize()
        #expect(try durations("flush", store).count == 1)
        withExtendedLifetime(recorded) {}
    }

    @Test func `a store that is recorded twice counts once, and stores of one name are added up`() throws {
        let (first, second) = (InMemoryStore(["a": 1], name: "m"), InMemoryStore(["b": 1, "c": 2], name: "m"))
        let file = try folder.open()
        let recorded = [[first, file], [second, file], [first]].map { StoreMetrics(of: $0, factory: metrics) }
        try file.synchronize()
        #expect(try durations("flush", file).count == 1)
        for metrics in recorded {
            metrics.recordMeters()
            #expect(try meter("entries", first) == 3)
        }
        withExtendedLifetime(recorded) {}
    }

    @Test func `a factory of several backends is one, although it makes new handlers`() throws {
        let several = MultiplexMetricsHandler(factories: [metrics])
        let (first, second) = (InMemoryStore(["a": 1], name: "m"), InMemoryStore(["b": 1, "c": 2], name: "m"))
        let file = try folder.open()
        var recorded = [[first, file], [second, file]].map { StoreMetrics(of: $0, factory: several) }
        try file.synchronize()
        #expect(try durations("flush", file).count == 1)
        for metrics in recorded {
            metrics.recordMeters()
            #expect(try meter("entries", first) == 3)
        }
        recorded.removeLast()
        try file.synchronize()
        recorded[0].recordMeters()
        #expect(try durations("flush", file).count == 2 && meter("entries", first) == 1)
    }

    /// A backend that gives other threads a turn around each call that makes or destroys a meter.
    private struct YieldingBackend: MetricsFactory {
        let base: TestMetrics

        func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
            defer { sched_yield() }
            return base.makeMeter(label: label, dimensions: dimensions)
        }

        func destroyMeter(_ handler: any MeterHandler) {
            sched_yield()
            base.destroyMeter(handler)
        }

        func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
            base.makeCounter(label: label, dimensions: dimensions)
        }

        func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
            base.makeRecorder(label: label, dimensions: dimensions, aggregate: aggregate)
        }

        func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
            base.makeTimer(label: label, dimensions: dimensions)
        }

        func destroyCounter(_ handler: any CounterHandler) { base.destroyCounter(handler) }

        func destroyRecorder(_ handler: any RecorderHandler) { base.destroyRecorder(handler) }

        func destroyTimer(_ handler: any TimerHandler) { base.destroyTimer(handler) }
    }

    @Test func `metrics that begin while the last ones of their name end are exported`() {
        let backend = YieldingBackend(base: metrics)
        let store = InMemoryStore(["a": 1], name: "m")
        for round in 1...2_000 {
            let ending = Locked<StoreMetrics?>(StoreMetrics(of: [store], factory: backend))
            let beginning = Locked<StoreMetrics?>(nil)
            DispatchQueue.concurrentPerform(iterations: 2) { number in
                if number == 0 {
                    let ended = ending.withLock { $0.take() }
                    withExtendedLifetime(ended) {}
                } else {
                    let begun = StoreMetrics(of: [store], factory: backend)
                    beginning.withLock { $0 = begun }
                }
            }
            guard metrics.meters.count == 1 else {
                Issue.record("round \(round): \(metrics.meters.count) meters are exported")
                return
            }
            withExtendedLifetime(beginning) {}
        }
    }

    @Test func `stores on one file count its activity once, and a rejected version for each reload`() throws {
        let first = try folder.open { if $0["port"] == 0 { throw Refusal() } }
        let second = try folder.open()
        let recorded = StoreMetrics(of: [first, second], factory: metrics)
        defer { withExtendedLifetime(recorded) {} }
        try first.apply(PropertyListBatch(.set(1, key: "port")))
        try first.synchronize()
        #expect(try durations("flush", first).count == 1)
        try folder.replaceFile("{\"port\": 0}")
        func reload() throws { try first.reload() }
        for number in 1...3 {
            #expect(throws: StoreError.self) { try reload() }
            #expect(try count("rejections", first) == Int64(number))
        }
    }

    /// A store of someone else's that passes everything on to another one.
    private final class Wrapper: PropertyListStore {
        let base: any PropertyListStore

        init(_ base: any PropertyListStore) { self.base = base }

        var name: String { base.name }
        var writtenStore: any PropertyListStore { base.writtenStore }

        func storedValue(forKey key: String) -> StoredValue? { base.storedValue(forKey: key) }

        func snapshot() -> PropertyListTable { base.snapshot() }

        func apply(_ batch: PropertyListBatch) throws(StoreError) { try base.apply(batch) }

        func observe(
            _ keys: ObservedKeys,
            initial: Bool,
            _ receive: @escaping @Sendable (PropertyListChange) -> Void
        ) -> StoreObservation { base.observe(keys, initial: initial, receive) }

        func synchronize() throws(StoreError) { try base.synchronize() }
    }

    @Test func `a store that wraps another one has the metrics of that`() throws {
        let store = Wrapper(try folder.open())
        let recorded = StoreMetrics(of: [store], factory: metrics)
        defer { withExtendedLifetime(recorded) {} }
        try store.apply(PropertyListBatch(.set(1, key: "port")))
        recorded.recordMeters()
        #expect(try meter("unsaved.entries", store) == 1)
        try store.synchronize()
        #expect(try durations("flush", store).count == 1)
    }
}

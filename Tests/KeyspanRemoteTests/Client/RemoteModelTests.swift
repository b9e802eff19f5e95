@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanRemote

/// Random changes at a server, and a network that loses, damages and repeats what it carries.
@Suite
struct RemoteModelTests {
    private static let rounds = TestLevel.current.pick(6, thorough: 60)
    private static let batches = TestLevel.current.pick(60, thorough: 300)

    private static let keys = (0..<6).map { Defaults.Key<Int?>("k\($0)").published() }

    /// The states that the client has shown, in their order.
    private final class History: Sendable {
        private let tables = Locked<[PropertyListTable]>([])

        func append(_ table: PropertyListTable) { tables.withLock { $0.append(table) } }

        var all: [PropertyListTable] { tables.withLock(\.self) }
    }

    @Test(arguments: [false, true], 0..<rounds)
    func `a client shows whole states of its server in their order, and the last one in the end`(
        _ isLive: Bool,
        _ round: Int
    ) async throws {
        var random = SystemRandomNumberGenerator()
        let clock = TestClock()
        var options = SettingsPublisherOptions()
        options.maximumChanges = 5
        options.heartbeat = .milliseconds(5)
        let server = try TestServer(keys: Self.keys, clock: clock, options: options)
        let transport = ScriptedTransport(to: server.publisher)
        let folder = try TemporaryFolder()
        let shown = History()
        let problems = Problems()
        // A store of before may still be about to call its observer.
        let starts = Shared(0)
        func makeStore() throws -> (RemoteStore, StoreObservation) {
            let number = starts.withLock { starts in
                starts += 1
                return starts
            }
            let store = try problems.collect {
                try makeClient(of: server, over: transport, keys: Self.keys, cache: folder.path("cache"), clock: clock)
                {
                    $0.isLive = isLive
                    $0.connectTimeout = .milliseconds(20)
                    $0.idleTimeout = .milliseconds(200)
                }
            }
            shown.append(store.snapshot())
            return (
                store,
                store.observe(.all, initial: false) { [weak store] _ in
                    guard let store else { return }
                    starts.withLock { if $0 == number { shown.append(store.snapshot()) } }
                }
            )
        }
        var (store, observation) = try makeStore()
        var published: [PropertyListTable] = [[:]]
        var documents = [try await server.document()]
        for _ in 0..<Self.batches {
            var batch = PropertyListBatch()
            for key in Self.keys.shuffled(using: &random).prefix(Int.random(in: 1...3, using: &random)) {
                let value = Int.random(in: 0...9, using: &random)
                batch.set(value == 0 ? nil : .integer(PropertyListInteger(value)), forKey: key.name)
            }
            // Each state differs from all others, so that its place in the order is known.
            batch.set(.integer(PropertyListInteger(published.count)), forKey: "k0")
            try server.base.apply(batch)
            published.append(server.base.snapshot())
            if Int.random(in: 0..<4, using: &random) == 0 { documents.append(try await server.document()) }
            transport.fail(fault(&random, documents))
            if !isLive || Int.random(in: 0..<8, using: &random) == 0 {
                _ = await problems.collect { [store] in Task { try? await store.fetch() } }.value
            }
            if Int.random(in: 0..<20, using: &random) == 0 {
                observation.cancel()
                (store, observation) = try makeStore()
            }
            if Int.random(in: 0..<3, using: &random) == 0 { await Task.yield() }
        }
        transport.clear()
        let last = try #require(published.last)
        if isLive {
            // A damaged line can hide an event for as long as the stream is open.
            store.isLive = false
            store.isLive = true
        } else {
            // The limit of 20 ms can be that of a good answer.
            for _ in 0..<100 where (try? await store.fetch()) != nil { break }
        }
        try await eventually { [store] in store.snapshot() == last }
        observation.cancel()
        store.isLive = false
        try await store.synchronize()
        #expect(!problems.kinds.contains("cacheFailed"), "\(problems.all.map(\.description))")
        var place = 0
        for table in shown.all {
            let found = try #require(published.firstIndex(of: table), "a state that was never published: \(table)")
            #expect(found >= place)
            place = found
        }
    }

    private func fault(
        _ random: inout SystemRandomNumberGenerator,
        _ documents: [[UInt8]]
    ) -> ScriptedTransport.Fault {
        switch Int.random(in: 0..<14, using: &random) {
        case 0: .unreachable
        case 1: .status([304, 429, 500, 503, 404].randomElement(using: &random) ?? 500)
        case 2: .body(documents.randomElement(using: &random) ?? [])
        case 3: .cut(after: Int.random(in: 0..<1_500, using: &random), throwing: true)
        case 4: .cut(after: Int.random(in: 0..<1_500, using: &random), throwing: false)
        case 5, 6: .drip(Int.random(in: 1...50, using: &random))
        case 7, 8: .flip(at: Int.random(in: 0..<1_500, using: &random))
        case 9: .silence
        default: .none
        }
    }
}

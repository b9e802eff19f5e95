#if Remote
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanRemote

/// Random changes at the source of servers that lag behind it and start anew, and clients with a network that loses, damages and
/// repeats what it carries.
@Suite(.seeded)
struct RemoteModelTests {
    private static let rounds = TestLevel.current.pick(2, thorough: 30)
    private static let steps = TestLevel.current.pick(80, thorough: 200)

    @Test(arguments: Fleet.Kind.allCases)
    func `clients show whole states of their group in the order of the source, and the last one in the end`(
        _ kind: Fleet.Kind
    ) async throws {
        for (round, seed) in SeededGenerator.seeds(Self.rounds).enumerated() {
            let (fleet, folder) = (try Fleet(kind, seed: seed), try TemporaryFolder())
            var clients: [FleetClient] = []
            for (index, policy) in [RemoteStoreOptions.Activation.immediately, .onNextLaunch, .manually].enumerated() {
                for (part, cohort) in [nil, "x", "y"].enumerated() {
                    let isLive = part == round % 3 || fleet.chance(2)
                    let cache = folder.path("cache-\(index)-\(part)")
                    clients.append(FleetClient(fleet, policy, cohort, isLive: isLive, cache: cache))
                }
            }
            for client in clients { try client.start() }
            for _ in 0..<Self.steps {
                try fleet.step()
                try await clients[fleet.number(0..<clients.count)].step()
                if fleet.chance(3) { await Task.yield() }
            }
            fleet.settle()
            for client in clients { try await client.settle() }
            for client in clients {
                let mistake = client.mistake
                try #require(mistake == nil, "seed \(seed)")
            }
        }
    }
}
#endif

import KeyspanCore
import KeyspanTesting
import Testing

@testable import KeyspanEtcd

/// The promises of a store, without a server.
@Suite struct SimulatedStoreConformanceTests {
    @Test(arguments: StoreConformance.all)
    func `a store with committed writes keeps the promises of a store`(_ check: StoreConformance) async throws {
        try await check.verify(
            makeStore: { try SimulatedStore(of: SimulatedCluster(members: 3)) },
            patience: .seconds(60)
        )
    }

    @Test(arguments: StoreConformance.all)
    func `a store with writes in the background keeps the promises of a store`(_ check: StoreConformance) async throws {
        try await check.verify(
            makeStore: { try SimulatedStore(of: SimulatedCluster(members: 3)) { $0.writes = .background() } },
            patience: .seconds(60)
        )
    }
}

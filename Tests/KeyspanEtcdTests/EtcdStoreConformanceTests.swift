import KeyspanCore
import KeyspanEtcd
import KeyspanTesting
import Testing

@Suite(.enabled(if: TestCluster.isInstalled)) struct EtcdStoreConformanceTests {
    @Test(arguments: StoreConformance.all)
    func `a store with committed writes keeps the promises of a store`(_ check: StoreConformance) async throws {
        try await verify(check, .committed)
    }

    @Test(arguments: StoreConformance.all)
    func `a store with writes in the background keeps the promises of a store`(_ check: StoreConformance) async throws {
        try await verify(check, .background())
    }

    private func verify(_ check: StoreConformance, _ writes: EtcdStoreOptions.Writes) async throws {
        let names = Locked<[String: String]>([:])
        let open: @Sendable (String) throws -> any PropertyListStore = { prefix in
            let store = try SharedCluster.open(prefix) { $0.writes = writes }
            names.withLock { $0[store.name] = prefix }
            return store
        }
        try await check.verify(
            makeStore: { try open(SharedCluster.newPrefix()) },
            reopen: { name in try open(names.withLock { $0[name] } ?? name) },
            medium: {
                let prefix = SharedCluster.newPrefix()
                return .init { try open(prefix) }
            },
            patience: .seconds(60)
        )
    }
}

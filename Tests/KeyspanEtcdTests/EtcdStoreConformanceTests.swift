#if Etcd
import KeyspanCore
import KeyspanEtcd
import KeyspanTesting
import Testing

let endpoints = ["127.0.0.1:21379", "127.0.0.1:22379", "127.0.0.1:23379"]

@Suite struct EtcdStoreConformanceTests {
    @Test(arguments: StoreConformance.all)
    func `a store with committed writes keeps the promises of a store`(_ check: StoreConformance) async throws {
        try await check.verify(
            makeStore: { try EtcdStore(endpoints: endpoints, prefix: "conformance/\(UInt64.random(in: 0 ... .max))/") }
        )
    }

    @Test(arguments: StoreConformance.all)
    func `a store with writes in the background keeps the promises of a store`(_ check: StoreConformance) async throws {
        try await check.verify(
            makeStore: {
                var options = EtcdStoreOptions()
                options.writes = .background()
                return try EtcdStore(
                    endpoints: endpoints,
                    prefix: "conformance/\(UInt64.random(in: 0 ... .max))/",
                    options: options
                )
            }
        )
    }
}
#endif

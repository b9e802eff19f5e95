import KeyspanFileStore
import KeyspanTesting
import Testing

@Suite("A JSON file store")
struct JSONFileStoreConformanceTests {
    @Test(arguments: StoreConformance.all)
    func `keeps the promises of a store`(check: StoreConformance) async throws {
        let folder = try TemporaryFolder()
        try await check.verify(
            makeStore: { try JSONFileStore(path: folder.path("\(UInt64.random(in: 0 ... .max)).json")) },
            reopen: { try JSONFileStore(path: $0) }
        )
    }
}

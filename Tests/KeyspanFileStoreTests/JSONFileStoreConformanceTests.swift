import KeyspanFileStore
import KeyspanTesting
import Testing

@Suite("A JSON file store")
struct JSONFileStoreConformanceTests {
    @Test(arguments: StoreConformance.all, FileStoreOptions.modes)
    func `keeps the promises of a store`(check: StoreConformance, mode: FileStoreOptions) async throws {
        let folder = try TemporaryFolder()
        try await check.verify(
            makeStore: {
                try JSONFileStore(path: folder.path("\(UInt64.random(in: 0 ... .max)).json"), options: mode)
            },
            reopen: { try JSONFileStore(path: $0, options: mode) }
        )
    }
}

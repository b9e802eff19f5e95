@_spi(StoreAuthors) import KeyspanCore
import Testing

@testable import KeyspanFileStore

@Suite struct FileSizeEstimateTests {
    private func batch(_ size: Int) -> PropertyListBatch {
        PropertyListBatch(.set(.string(String(repeating: "x", count: size)), key: "key"))
    }

    @Test func `what other threads add while the file is measured counts`() throws {
        let estimate = FileSizeEstimate(0, limit: 1000)
        let first = [estimate.mayBeExceeded(by: batch(800)), estimate.mayBeExceeded(by: batch(200))]
        try estimate.check(batch(200), store: "store") {
            _ = estimate.mayBeExceeded(by: batch(500))
            return 300
        }
        let isExceeded = estimate.mayBeExceeded(by: batch(200))
        #expect(first == [false, true] && isExceeded)
    }
}

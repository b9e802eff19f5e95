import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanRemote

/// A server with copies of the source's stores.
final class Replica: Sendable {
    let server: TestServer
    let stores: [InMemoryStore]
    private let lock: NSRecursiveLock
    private let count: Shared<Int>

    var applied: Int { count.withLock { $0 } }

    init(key: SigningKey, clock: TestClock) throws {
        let overlays = [InMemoryStore(), InMemoryStore()]
        let (lock, count) = (NSRecursiveLock(), Shared(0))
        var options = SettingsPublisherOptions()
        options.maximumChanges = 4
        options.heartbeat = .milliseconds(10)
        options.revision = {
            lock.lock()
            defer { lock.unlock() }
            return Int64(count.withLock { $0 })
        }
        server = try TestServer(key: key, keys: RemoteFleetModelTests.keys, clock: clock, options: options) { client in
            client.cohort == "x" ? [overlays[0]] : client.cohort == "y" ? [overlays[1]] : []
        }
        stores = [server.base] + overlays
        (self.lock, self.count) = (lock, count)
    }

    func apply(_ operation: Fleet.Operation) {
        lock.lock()
        defer { lock.unlock() }
        count.withLock { $0 += 1 }
        try? stores[operation.store].apply(operation.batch)
    }
}

import Foundation
import KeyspanCore
import KeyspanTestSupport
import Testing

@testable import KeyspanEtcd

/// A cluster behind proxies, which an operator can restore and change before stores reach it again.
final class RestorableCluster: Sendable {
    let cluster: TestCluster
    private let proxies: [TCPProxy]

    init(size: Int = 1) throws {
        cluster = try TestCluster(.init(size: size))
        proxies = try cluster.members.map { try TCPProxy(to: $0.endpoint) }
    }

    /// The addresses for stores.
    var endpoints: [String] { proxies.map(\.endpoint) }

    func stop() {
        for proxy in proxies { proxy.stop() }
        cluster.stop()
    }

    /// Opens a store.
    func open(_ prefix: String, _ configure: (inout EtcdStoreOptions) -> Void = { _ in }) throws -> EtcdStore {
        var options = EtcdStoreOptions()
        // Only a call that fails takes so long.
        options.timeout = .seconds(60)
        configure(&options)
        return try EtcdStore(endpoints: endpoints, prefix: prefix, options: options)
    }

    /// Cuts stores off, restores the cluster, lets an operator change it, and returns when all that is done.
    ///
    /// - Parameter stores: The stores that must have noticed that they are cut off.
    func restore(from backup: String, hiddenFrom stores: [EtcdStore], changing change: () throws -> Void) throws {
        for proxy in proxies {
            proxy.refuse()
            proxy.cut()
        }
        for store in stores {
            eventually("\(store.name) has lost its member", store.status) { $0.staleSince != nil && $0.endpoint == nil }
        }
        try cluster.restore(from: backup)
        try change()
    }

    /// Lets stores reach the cluster again.
    func reconnect() throws {
        for proxy in proxies { try proxy.accept() }
    }
}

extension EtcdStore {
    /// Blocks the thread until the store says that its values are those of the cluster, and returns the texts that readers see then.
    func textsOnceFresh(sourceLocation: SourceLocation = #_sourceLocation) -> [String: String] {
        eventually("\(name) is fresh", status, sourceLocation: sourceLocation) {
            $0.staleSince == nil && $0.endpoint != nil
        }
        return texts
    }

    /// Replaces a value if it has a text, and returns the error.
    func replace(_ key: String, from text: String?, to value: PropertyListValue) -> StoreError? {
        var batch = PropertyListBatch(.set(value, key: key))
        batch.expect(text.flatMap { try? EntryText.decode(Data($0.utf8)) }, forKey: key)
        do throws(StoreError) {
            try apply(batch)
            return nil
        } catch {
            return error
        }
    }
}

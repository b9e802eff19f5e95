import Foundation
@_spi(StoreAuthors) import KeyspanCore

@testable import KeyspanEtcd

/// A store of a simulated cluster: what an `EtcdStore` is over gRPC.
final class SimulatedStore: PropertyListStore {
    let name: String
    let engine: ClusterEngine

    /// Opens a prefix, and waits until it is listed.
    ///
    /// - Parameters:
    ///   - cluster: The cluster.
    ///   - prefix: The prefix.
    ///   - name: The name of the store.
    ///   - patience: How often the timeout of the options may pass until then; a busy machine takes longer than the shortest ones.
    ///   - configure: Changes the options.
    init(
        of cluster: SimulatedCluster,
        prefix: String = "app/",
        name: String = "simulated",
        patience: Int = 1,
        _ configure: (inout EtcdStoreOptions) -> Void = { _ in }
    ) throws {
        var options = EtcdStoreOptions()
        (options.timeout, options.callTimeout) = (.milliseconds(2000), .milliseconds(50))
        configure(&options)
        self.name = name
        engine = ClusterEngine(
            name: name,
            space: KeySpace(prefix: prefix),
            endpoints: cluster.endpoints,
            options: options,
            connector: SimulatedConnector(cluster: cluster, callTimeout: options.callTimeout)
        )
        engine.start()
        var isListed = false
        for attempt in 1...patience where !isListed {
            do {
                try engine.waitUntilListed()
                isListed = true
            } catch {
                guard attempt == patience else { continue }
                engine.close()
                throw error
            }
        }
    }

    deinit {
        engine.release()
    }

    var status: EtcdStoreStatus { engine.state.read(\.status) }

    func revision(of stripe: KeyStripe) -> StoreRevision? { engine.contents.revision(of: stripe) }

    func storedValue(forKey key: String) -> StoredValue? { engine.contents.storedValue(forKey: key) }

    var valueForm: Defaults.ValueForm { .readable }

    func snapshot() -> PropertyListTable { engine.contents.snapshot() }

    func apply(_ batch: PropertyListBatch) throws(StoreError) { try engine.apply(batch) }

    func observe(
        _ keys: ObservedKeys,
        initial: Bool,
        _ receive: @escaping @Sendable (PropertyListChange) -> Void
    ) -> StoreObservation {
        engine.contents.observe(keys, initial: initial, receive)
    }

    func synchronize() throws(StoreError) { try engine.synchronize() }
}

extension SimulatedStore {
    /// The texts that readers see, by key.
    var texts: [String: String] {
        var texts: [String: String] = [:]
        snapshot().forEachDifference(to: PropertyListTable()) { key, value, _ in
            texts[key] = value.map { String(decoding: EntryText.encode($0), as: UTF8.self) }
            return true
        }
        return texts
    }

    /// Writes one value, or removes the key.
    func write(_ value: PropertyListValue?, forKey key: String) throws(StoreError) {
        var batch = PropertyListBatch()
        batch.set(value, forKey: key)
        try apply(batch)
    }

    /// Writes one value if the key has another one.
    func write(_ value: PropertyListValue?, forKey key: String, expecting old: PropertyListValue?) throws(StoreError) {
        var batch = PropertyListBatch()
        batch.expect(old, forKey: key)
        batch.set(value, forKey: key)
        try apply(batch)
    }
}

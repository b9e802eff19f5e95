@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import Testing

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
    ///   - patience: The least time to wait, where the timeout is so short that a loaded machine takes longer.
    ///   - configure: Changes the options.
    init(
        of cluster: SimulatedCluster,
        prefix: String = "app/",
        name: String = "simulated",
        patience: Duration = .zero,
        _ configure: (inout EtcdStoreOptions) -> Void = { _ in }
    ) throws {
        var options = EtcdStoreOptions()
        (options.timeout, options.callTimeout) = (.seconds(30), .milliseconds(50))
        configure(&options)
        self.name = name
        let space = KeySpace(prefix: prefix)
        engine = ClusterEngine(
            name: name,
            space: space,
            endpoints: cluster.endpoints,
            options: options,
            connector: ClusterConnector(to: cluster, callTimeout: options.callTimeout, space: space)
        )
        engine.start()
        _ = engine.state.block(upTo: patience) { $0.mirror != nil }
        do {
            try engine.waitUntilListed()
        } catch {
            engine.close()
            throw error
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

    func close() throws(StoreError) { try engine.releaseAndWait() }
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

extension SimulatedStore {
    /// Blocks the thread until readers see these texts and no others.
    func waitFor(texts: [String: String], sourceLocation: SourceLocation = #_sourceLocation) {
        eventually("readers see \(texts)", self.texts, sourceLocation: sourceLocation) { $0 == texts }
    }

    /// Blocks the thread until readers see what the cluster has by then.
    func waitFor(entriesOf cluster: SimulatedCluster, sourceLocation: SourceLocation = #_sourceLocation) {
        let values = { (seen: self.texts, present: cluster.texts(prefix: "app/")) }
        eventually("readers see the entries of the cluster", values(), sourceLocation: sourceLocation) {
            $0.seen == $0.present
        }
    }

    /// Blocks the thread until a transaction is on its way.
    func waitForFlight(sourceLocation: SourceLocation = #_sourceLocation) {
        eventually("a transaction is on its way", sourceLocation: sourceLocation) {
            engine.state.read { $0.flight != nil }
        }
    }
}

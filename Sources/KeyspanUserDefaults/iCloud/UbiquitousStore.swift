@_spi(StoreAuthors) public import KeyspanCore

/// The key-value store of iCloud, `NSUbiquitousKeyValueStore`, which the devices of a user share.
///
/// It requires the capability iCloud with key-value storage. Usually it is the shared store behind `Defaults.iCloud`, and the
/// program's values are in a store that also works without a network.
///
/// Reads come from a copy in memory; changes of other devices arrive as ordinary changes. Writes go to the system at once, and
/// the system decides when to send them to other devices. ``synchronize()`` makes it save.
///
/// iCloud holds 1024 keys, names of 64 bytes and 1 MiB of values; a write that exceeds a limit throws a `StoreError` with the
/// code `tooLarge` or `invalidKey`, and changes nothing. The size is estimated, so the system can still reject an accepted
/// value. The rejection is reported to `Defaults.onProblem(_:)`, and the value stays readable until the program ends. A value
/// of another program that is not a property list is reported too.
///
/// Safe to use from any thread. A write costs O(*n*) in the size of the store, for the limits. The store exists only on
/// Apple's systems.
public final class UbiquitousStore: ActivityReporting {
    public let name: String

    private let values: any UbiquitousValues
    private let limits: UbiquitousLimits
    let mirror: MirroredTable
    /// Held while a batch is checked against the limits and committed, so that no other batch comes in between.
    private let writing = Locked(())
    private let observation = Locked<StoreObservation?>(nil)

    /// Makes a store of a system's values, or of a test double.
    package convenience init(_ values: any UbiquitousValues, name: String = "iCloud") {
        self.init(values, name: name, limits: UbiquitousLimits())
    }

    init(_ values: any UbiquitousValues, name: String, limits: UbiquitousLimits) {
        self.values = values
        self.name = name
        self.limits = limits
        mirror = MirroredTable(of: UbiquitousSource(values, store: name))
        let observation = values.observe { [weak self] change in
            self?.receive(change)
        }
        self.observation.withLock { $0 = observation }
        mirror.refresh(.all)
    }

    public func revision(of stripe: KeyStripe) -> StoreRevision? { mirror.contents.revision(of: stripe) }

    public func storedValue(forKey key: String) -> StoredValue? { mirror.contents.storedValue(forKey: key) }

    public func snapshot() -> PropertyListTable { mirror.contents.snapshot() }

    public func apply(_ batch: PropertyListBatch) throws(StoreError) {
        do throws(StoreError) {
            try writing.withLock { (_) throws(StoreError) in
                var table = snapshot()
                let change = try table.apply(batch, store: name)
                try limits.check(change, resultingIn: table, store: name)
                try mirror.commit(batch, store: name)
            }
        } catch {
            throw mirror.noting(error)
        }
        mirror.carryOut()
    }

    public func observe(
        _ keys: ObservedKeys,
        initial: Bool,
        _ receive: @escaping @Sendable (PropertyListChange) -> Void
    ) -> StoreObservation {
        mirror.contents.observe(keys, initial: initial, receive)
    }

    /// Makes the system save all writes.
    ///
    /// - Throws: `StoreError` with the code `notDurable` if the system cannot, for example because the program lacks the
    ///   capability.
    public func synchronize() throws(StoreError) {
        guard mirror.synchronize(by: values.synchronize) else {
            throw StoreError(
                .notDurable,
                store: name,
                reason: "the system could not save it",
                remedy: "give the program the capability iCloud with key-value storage"
            )
        }
    }
}

extension UbiquitousStore: MirroringStore {
    private func receive(_ change: UbiquitousChange) {
        switch change {
        case .changed(let names): mirror.notice(.named(names))
        case .accountChanged: mirror.notice(.all)
        case .quotaViolated(let names):
            // The rejected value stays readable until the program ends. If the old value came back, a synchronizer would write
            // the new one again and again.
            let refusal = StoreError(
                .tooLarge,
                store: name,
                key: names.count == 1 ? names.first?.wrappedValue : nil,
                reason: "the system has rejected values, because there is too much in iCloud",
                remedy: "remove values, or store less"
            )
            Defaults.Problem.storeFailed(refusal).report()
        }
    }
}

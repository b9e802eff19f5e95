public import KeyspanCore

/// The key-value store of iCloud, `NSUbiquitousKeyValueStore`, which the devices of a user share.
///
/// A program that uses it has the capability iCloud with key-value storage. As a rule it is the shared store behind
/// `Defaults.iCloud`, and the program's values are in a store that is there without a network as well.
///
/// Reads answer from a copy in memory, which the changes of other devices enter as ordinary changes. What is written is
/// handed to the system at once; the system brings it to the other devices whenever it likes.
/// ``synchronize()`` tells it to save. iCloud holds 1024 keys, names of 64 bytes and 1 MiB of values; what is beyond that is a
/// `StoreError` with the code `tooLarge` or `invalidKey`, and changes nothing. The size is estimated, so the system
/// can refuse a value that was just accepted here; that is reported to `Defaults.onProblem(_:)`, and the value stays readable
/// until the program ends. A value of another program that is no property list is reported too.
///
/// Safe to use from any thread. A write costs O(*n*) in the size of the store, for the limits. On other systems than
/// Apple's there is no way to make one.
public final class UbiquitousStore: PropertyListStore {
    public let name: String

    private let values: any UbiquitousValues
    private let limits: UbiquitousLimits
    private let mirror: MirroredTable
    /// Held while a batch is compared with the limits and committed, so that no other one comes in between.
    private let writing = Locked(())
    private let observation = Locked<StoreObservation?>(nil)

    /// Makes a store of the values of a system, or of a double of one.
    package convenience init(_ values: any UbiquitousValues, name: String = "iCloud") {
        self.init(values, name: name, limits: UbiquitousLimits())
    }

    init(_ values: any UbiquitousValues, name: String, limits: UbiquitousLimits) {
        self.values = values
        self.name = name
        self.limits = limits
        mirror = MirroredTable(of: UbiquitousSource(values, store: name))
        let observation = values.observe { [weak self] change in
            self?.hear(change)
        }
        self.observation.withLock { $0 = observation }
        mirror.refresh(.all)
    }

    public var revision: StoreRevision? { mirror.contents.revision }

    public func storedValue(forKey key: String) -> StoredValue? { mirror.contents.storedValue(forKey: key) }

    public func snapshot() -> PropertyListTable { mirror.contents.snapshot() }

    public func apply(_ batch: PropertyListBatch) throws(StoreError) {
        try writing.withLock { (_) throws(StoreError) in
            var table = snapshot()
            let change = try table.apply(batch, store: name)
            try limits.check(change, resultingIn: table, store: name)
            try mirror.commit(batch, store: name)
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

    /// Tells the system to save what was written.
    ///
    /// - Throws: `StoreError` with the code `notDurable` if the system answers that it cannot, for example because the
    ///   program lacks the capability.
    public func synchronize() throws(StoreError) {
        mirror.settle()
        guard values.synchronize() else {
            throw StoreError(
                .notDurable,
                store: name,
                reason: "the system could not save it",
                remedy: "give the program the capability iCloud with key-value storage"
            )
        }
    }
}

extension UbiquitousStore {
    private func hear(_ change: UbiquitousChange) {
        switch change {
        case .changed(let names): mirror.notice(.named(names))
        case .accountChanged: mirror.notice(.all)
        case .quotaViolated(let names):
            // What was refused stays readable here until the program ends. Taking the old value back would let a
            // synchroniser write the new one again, without end.
            let refusal = StoreError(
                .tooLarge,
                store: name,
                key: names.count == 1 ? names.first?.wrappedValue : nil,
                reason: "the system has refused what was written, because there is too much in iCloud",
                remedy: "remove values, or store less"
            )
            Defaults.Problem.storeFailed(refusal).report()
        }
    }
}

internal import Dispatch
internal import Foundation
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
/// After the user has changed the account, the store has the values of the new one. `Defaults.iCloud` sends it nothing
/// of the old one; the page of this module says what the system allows to promise.
///
/// Safe to use from any thread. A write costs O(*n*) in the size of the store, for the limits. The store exists only on
/// Apple's systems.
public final class UbiquitousStore: ActivityReporting {
    public let name: String

    private struct State {
        /// The account whose values the mirror has.
        var account: StoreAccount
        /// The number of changes of the account that the mirror has not followed yet.
        var unread = 0
        var observers: [UInt64: @Sendable () -> Void] = [:]
        var lastObserver: UInt64 = 0
    }

    private let values: any UbiquitousValues
    private let limits: UbiquitousLimits
    let mirror: MirroredTable
    /// Held while a batch is checked against the account and the limits and committed, so that nothing comes in between.
    private let state: Locked<State>
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
        // Read before the values: if they are those of a newer account, the difference is noticed.
        state = Locked(State(account: StoreAccount(identity: values.accountIdentity)))
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
        _ = try apply(batch, ifFor: nil)
    }

    /// Applies a batch, unless it is for another account than that of the mirror's values.
    private func apply(_ batch: PropertyListBatch, ifFor account: StoreAccount?) throws(StoreError) -> Bool {
        do throws(StoreError) {
            let isApplied = try state.withLock { (state) throws(StoreError) in
                if let account, state.unread > 0 || state.account != account { return false }
                var table = snapshot()
                let change = try table.apply(batch, store: name)
                try limits.check(change, resultingIn: table, store: name)
                try mirror.commit(batch, store: name)
                return true
            }
            guard isApplied else { return false }
        } catch {
            throw mirror.noting(error)
        }
        mirror.carryOut()
        return true
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

extension UbiquitousStore: AccountStore {
    package var account: StoreAccount { state.withLock(\.account) }

    package func apply(_ batch: PropertyListBatch, for account: StoreAccount) throws(StoreError) -> Bool {
        followIdentity()
        return try apply(batch, ifFor: account)
    }

    package func observeAccount(_ receive: @escaping @Sendable () -> Void) -> StoreObservation {
        let number = state.withLock { state in
            state.lastObserver += 1
            state.observers[state.lastObserver] = receive
            return state.lastObserver
        }
        return StoreObservation { [weak self] in
            // Released outside the lock.
            let removed = self?.state.withLock { $0.observers.removeValue(forKey: number) }
            withExtendedLifetime(removed) {}
        }
    }

    /// Changes the account if the system has another one already; the notification can come later.
    private func followIdentity() {
        let identity = values.accountIdentity
        if state.withLock({ $0.unread == 0 && $0.account.identity != identity }) { changeAccount() }
    }

    /// Reads the values of the new account; from the beginning on nothing is sent that was meant for the old one.
    private func changeAccount() {
        state.withLock { $0.unread += 1 }
        let identity = values.accountIdentity
        if mirror.refresh(.all) { return endChange(to: identity) }
        // The system notifies from inside a call of the mirror, which cannot wait for itself.
        DispatchQueue(label: "keyspan.account").async { [self] in
            mirror.refresh(.all)
            endChange(to: identity)
        }
    }

    private func endChange(to identity: Data?) {
        let observers = state.withLock { state in
            state.unread -= 1
            state.account = StoreAccount(identity: identity, changes: state.account.changes + 1)
            return Array(state.observers.values)
        }
        for notify in observers { notify() }
    }
}

extension UbiquitousStore: MirroringStore {
    private func receive(_ change: UbiquitousChange) {
        switch change {
        case .changed(let keys):
            followIdentity()
            mirror.notice(keys)
        case .accountChanged: changeAccount()
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

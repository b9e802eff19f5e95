internal import Dispatch

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// Keeps entries of two stores the same, in both directions: a local store, and a remote one that other devices share.
///
/// ```swift
/// @_spi(StoreAuthors) import KeyspanCore
///
/// let cloud = InMemoryStore(name: "cloud")
/// let phone = InMemoryStore(name: "phone")
/// let desk = InMemoryStore(name: "desk")
/// let synchronizers = [phone, desk].map { StoreSynchronizer($0, with: cloud) }
/// for synchronizer in synchronizers {
///     synchronizer.add("theme")
/// }
/// phone.set("dark", forKey: "theme")
/// print(desk.string(forKey: "theme") ?? "")  // prints: dark
/// ```
///
/// **The newest write wins.** Each value is stored with the date of its write, and the later one wins on either side, even if
/// both sides changed while they were apart. A removal is a write. A write over a value from another device is later than
/// that value even if the clocks disagree. If two values have the same date, a fixed order of their content decides,
/// identically on every device; any value wins over a removal.
///
/// A write is dated by the clock, but at least a microsecond after the value that it replaces. So no burst of writes of a device
/// runs ahead of its clock by more than a microsecond for each write that comes faster than that. A device whose clock is ahead
/// wins against writes of devices that have not received its value, for each entry until their clocks have passed the date of
/// that value. The remote store must keep fractions of seconds. A local store need not: there the stored date of a write is up to
/// a second late, which counts only if the program ends before the write is sent.
///
/// **A write needs a running synchronizer.** A value that a program writes without one has the date of the value before
/// it, and can lose against that value. A value without any date is older than all writes: it is sent if the remote store has
/// none, and a remote value that arrives later replaces it.
///
/// **The stored form** is that of the Defaults library: the local date is in the entry
/// `<name>__DEFAULTS__synchronizeTimestamp`; the remote entry is an array of the date and the value. The dates of a removed
/// value stay, so that the removal can travel; the remote array then has only the date.
///
/// **Another account** can come to the remote store, if that is the one of iCloud. Then any remote value replaces the local one,
/// whatever their dates, and a value of the old account that has no remote value stays in the local store and is not sent until
/// the program writes it again. This holds after a restart too: the dates of such values are `Date.distantPast`, and the
/// identity of the account is in the entry `keyspan.account` of the local store. Leaving an account is a change too: values that
/// are written while nobody is signed in belong to the next account, as in iCloud itself. A value that was never synchronized belongs
/// to the account in which its key is first synchronized.
///
/// **A value that cannot be written stays where it is**, and is reported to ``Defaults/onProblem(_:)`` once. A value that
/// exceeds the remote store's limits stays in the local store; the transfer is retried with the next change of the entry and
/// with ``synchronize()``. A remote entry in another form, or with a date more than 30 million years away, is reported and left
/// alone.
///
/// **A remote entry that is gone without a date** was not removed by a device; perhaps the user has left the account. The
/// local value stays, and is not sent again until it changes or the program restarts.
///
/// Entries travel one by one: a batch of several entries is not one batch on the other side. A local store with layers
/// synchronizes its written layer. Safe to use from any thread. The thread that delivers a change to observers transfers it,
/// without a lock; it takes over a bounded number of transfers from other threads: <doc:ObservingChanges>.
@_spi(StoreAuthors) public final class StoreSynchronizer: Sendable {
    private struct State {
        var entries: TextDictionary<Entry> = [:]
        var lastRegistration: UInt64 = 0
        /// The names that wait in the queue.
        var pending: Set<UTF8Text> = []
        /// The numbers of the last request that joined the queue and of the last one that is finished.
        var requested: UInt64 = 0
        var finished: UInt64 = 0
        /// The thread that is working on a request.
        var worker: ThreadIdentity?
        /// The account whose values the local dates belong to; only the thread that works on a request changes it.
        var account: StoreAccount?
        /// Whether it was reported that the local store cannot follow the account.
        var isAccountReported = false
        /// Actions that wait until requests up to a number are finished.
        var waiting: [(number: UInt64, action: @Sendable () -> Void)] = []

        var names: Set<UTF8Text> { Set(entries.keys.map { UTF8Text($0) }) }

        mutating func add(_ name: String, noticed: StampedValue) {
            guard entries[name] == nil else { return }
            lastRegistration += 1
            entries[name] = Entry(registration: lastRegistration, memory: SynchronizationMemory(noticed: noticed))
        }

        /// Notes that the local dates belong to an account.
        ///
        /// - Parameter marked: The local values that were marked as those of another account.
        mutating func follow(_ account: StoreAccount, marked: TextDictionary<StampedValue>) {
            (self.account, isAccountReported) = (account, false)
            for name in entries.keys {
                // The system discards what is sent before the first download; these entries are gone without a date.
                entries[name]?.memory.agreed = nil
                // A later value was written for the new account.
                if let marked = marked[name] { entries[name]?.memory.noticed = marked }
            }
        }

        /// Notes that a request is finished.
        ///
        /// - Returns: The actions that waited for it.
        mutating func finish(_ number: UInt64) -> [@Sendable () -> Void] {
            (finished, worker) = (number, nil)
            defer { waiting.removeAll { $0.number <= number } }
            return waiting.filter { $0.number <= number }.map(\.action)
        }
    }

    /// An entry that is kept the same.
    private struct Entry {
        /// The number of the call that added it: an entry that is removed and added again is a new one.
        let registration: UInt64
        /// The last known state of both sides; only the thread that works on the entry changes it.
        var memory: SynchronizationMemory
    }

    /// Names to add, with the local values by which later writes are noticed.
    package struct Addition: Sendable {
        fileprivate let values: TextDictionary<StampedValue>
    }

    /// A request to make one entry the same on both sides, or to follow the account, under the name of the account's entry; it
    /// keeps the synchronizer alive until then.
    private struct Request: Sendable {
        let synchronizer: StoreSynchronizer
        let name: String
        let number: UInt64
    }

    /// A transfer of one entry.
    @_spi(StoreAuthors) public struct Transfer: Sendable, Hashable {
        /// The name of the entry.
        @_spi(StoreAuthors) @UTF8Text public private(set) var name: String

        /// Whether it went from the local store to the remote one, and not the other way.
        @_spi(StoreAuthors) public let isToRemote: Bool

        /// Whether the transfer removed the value.
        @_spi(StoreAuthors) public let isRemoval: Bool
    }

    private let local: any PropertyListStore
    private let remote: any PropertyListStore
    private let accountStore: (any AccountStore)?
    private let now: @Sendable () -> Date
    private let onTransfer: @Sendable (Transfer) -> Void
    private let state = Locked(State())
    /// The requests, which the thread that asks works on, unless another thread is working on one.
    private let queue = DeliveryQueue<Request> { $0.synchronizer.perform($0) }
    private let observations = Locked<[StoreObservation]>([])

    /// Makes a synchronizer without entries.
    ///
    /// `add(_:)` names some. The synchronizer works until it is released.
    ///
    /// - Parameters:
    ///   - local: The store of this device; if it has layers, its written layer is synchronized.
    ///   - remote: The store that devices share.
    ///   - onTransfer: Called for each entry that was transferred, on the thread that did it.
    @_spi(StoreAuthors) public convenience init(
        _ local: any PropertyListStore,
        with remote: any PropertyListStore,
        onTransfer: @escaping @Sendable (Transfer) -> Void = { _ in }
    ) {
        self.init(local, with: remote, onTransfer: onTransfer) { Date() }
    }

    /// Makes a synchronizer with its own clock.
    package init(
        _ local: any PropertyListStore,
        with remote: any PropertyListStore,
        onTransfer: @escaping @Sendable (Transfer) -> Void = { _ in },
        now: @escaping @Sendable () -> Date
    ) {
        self.local = local.writtenStore
        self.remote = remote
        accountStore = remote as? any AccountStore
        self.now = now
        self.onTransfer = onTransfer
        let receive: @Sendable (PropertyListChange) -> Void = { [weak self] change in
            self?.reconcile(change.entries.map(\.key))
        }
        var all = [self.local, remote].map { $0.observe(.all, initial: false, receive) }
        if let accountStore {
            all.append(accountStore.observeAccount { [weak self] in self?.reconcile([LibraryEntries.account]) })
        }
        observations.withLock { [all] in $0 = all }
    }

    /// The names of the entries that are kept the same.
    @_spi(StoreAuthors) public var names: Set<UTF8Text> { state.withLock(\.names) }

    /// Begins to keep entries the same, and makes them so at once.
    ///
    /// The remote value counts if the local one has no date. An entry that only the local store has is sent. A name that ends
    /// as those of the entries of dates do, or that the library itself uses, is reported to ``Defaults/onProblem(_:)`` and not added.
    @_spi(StoreAuthors) public func add(_ names: String...) {
        add(Set<UTF8Text>(names))
    }

    /// Begins to keep entries the same, and makes them so at once.
    ///
    /// A name that ends as those of the entries of dates do, or that the library itself uses, is reported to
    /// ``Defaults/onProblem(_:)`` and not added.
    @_spi(StoreAuthors) public func add(_ names: Set<UTF8Text>) {
        let addition = addition(of: names)
        register(addition)
        begin(addition)
    }

    /// Looks at the local values of names to add.
    package func addition(of names: Set<UTF8Text>) -> Addition {
        let ofDates = names.filter { StampedValue.name(ofDateName: $0.wrappedValue) != nil }
        for name in ofDates.sortedTexts() {
            Defaults.Problem.storeFailed(.nameOfDate(name, store: local.name)).report()
        }
        let table = local.snapshot()
        return Addition(
            values: LibraryEntries.reported(in: names.subtracting(ofDates), of: local).reduce(into: [:]) {
                values,
                name in
                values[name.wrappedValue] = StampedValue(of: name.wrappedValue, in: table)
            }
        )
    }

    /// Adds names without making the entries the same; for a caller that holds a lock of its own.
    package func register(_ addition: Addition) {
        state.withLock { state in
            for (name, value) in addition.values { state.add(name, noticed: value) }
        }
    }

    /// Makes the added entries the same that have not been removed since.
    package func begin(_ addition: Addition) {
        reconcile([LibraryEntries.account] + addition.values.keys)
    }

    /// Stops keeping entries the same; both stores keep their values.
    ///
    /// A transfer that another thread has begun may still end. The synchronizer forgets everything about the entries.
    @_spi(StoreAuthors) public func remove(_ names: Set<UTF8Text>) {
        state.withLock { state in
            for name in names { state.entries[name.wrappedValue] = nil }
        }
    }

    /// Retries failed transfers, and makes both stores as durable as they promise, even after one has failed.
    ///
    /// Waits for another thread that transfers entries, and may block on the disk or the network.
    ///
    /// - Throws: ``StoreError``, that of the local store if both fail.
    @_spi(StoreAuthors) public func synchronize() throws(StoreError) {
        let number = reconcileAll()
        let done = DispatchSemaphore(value: 0)
        whenFinished(number) { done.signal() }
        done.wait()
        var first: StoreError?
        for store in [local, remote] {
            do throws(StoreError) {
                try store.synchronize()
            } catch {
                first = first ?? error
            }
        }
        if let first { throw first }
    }

    /// Returns when all entries that have changed before the call are transferred, including transfers by other threads.
    @_spi(StoreAuthors) public func waitForCompletion() async {
        let number = reconcileAll()
        await withCheckedContinuation { continuation in
            whenFinished(number) { continuation.resume() }
        }
    }

    /// Whether a thread or task waits for the thread that transfers entries, for tests.
    var isAwaited: Bool { state.withLock { !$0.waiting.isEmpty } }

    /// Performs an action when all requests up to a number are finished; at once if this thread is working on one itself.
    private func whenFinished(_ number: UInt64, _ action: @escaping @Sendable () -> Void) {
        let thread = ThreadIdentity.current
        let isFinished = state.withLock { state in
            if state.finished >= number || state.worker == thread { return true }
            state.waiting.append((number, action))
            return false
        }
        if isFinished { action() }
    }
}

extension StoreSynchronizer {
    @discardableResult
    private func reconcileAll() -> UInt64 {
        reconcile([LibraryEntries.account] + names.map(\.wrappedValue))
    }

    /// Makes entries the same, or leaves them to the thread that is working on others.
    ///
    /// - Returns: The number of the last request that concerns them.
    @discardableResult
    private func reconcile(_ names: some Sequence<String>) -> UInt64 {
        let thread = ThreadIdentity.current
        let (number, isConcerned) = state.withLock { state in
            var isConcerned = false
            for name in names.lazy.map(Self.name(ofEntry:)) where state.entries[name] != nil || Self.isAccount(name) {
                isConcerned = true
                // A name that waits is read later than now, so one request is enough.
                guard state.pending.insert(UTF8Text(name)).inserted else { continue }
                let request = Request(synchronizer: self, name: name, number: state.requested + 1)
                state.requested = queue.append(request, by: thread)
            }
            return (state.requested, isConcerned)
        }
        // A write of another entry leaves the requests of other threads to those threads.
        if isConcerned { queue.deliver(through: number, on: thread) }
        return number
    }

    private func perform(_ request: Request) {
        let entry = state.withLock { state in
            state.worker = .current
            state.pending.remove(UTF8Text(request.name))
            return state.entries[request.name]
        }
        if Self.isAccount(request.name) {
            if let accountStore { follow(accountStore) }
        } else if var entry {
            reconcile(request.name, &entry)
            state.withLock { state in
                guard state.entries[request.name]?.registration == entry.registration else { return }
                state.entries[request.name] = entry
            }
        }
        for action in state.withLock({ $0.finish(request.number) }) { action() }
    }

    private func isCurrent(_ entry: Entry, named name: String) -> Bool {
        state.withLock { $0.entries[name]?.registration == entry.registration }
    }

    private static func isAccount(_ name: String) -> Bool { name.hasSameUTF8(as: LibraryEntries.account) }

    /// Separates the local values from the account that they belong to, if the remote store has another one now.
    private func follow(_ accountStore: any AccountStore) {
        let account = accountStore.account
        let before = state.withLock(\.account)
        let table = local.snapshot()
        let known = table[LibraryEntries.account]?.dataValue ?? before?.identity
        // If the system names no accounts, any change may have led to another one.
        let isUnnamed = known == nil && account.identity == nil
        let isOther = isUnnamed ? account.changes != before?.changes ?? 0 : known != nil && account.identity != known
        let identity = account.identity.map { PropertyListValue.data($0) }
        var batch = PropertyListBatch()
        var marked: TextDictionary<StampedValue> = [:]
        if table[LibraryEntries.account] != identity { batch.set(identity, forKey: LibraryEntries.account) }
        if isOther {
            // Also the dates of entries that are added later, and those that added entries lack.
            let dated = table.compactMap { StampedValue.name(ofDateName: $0.key) }
            let added = before == nil ? [] : names.map(\.wrappedValue).filter { table[$0] != nil }
            for name in dated + added {
                batch.set(.date(StampedValue.dateOfOtherAccount), forKey: StampedValue.dateName(of: name))
                marked[name] = StampedValue(table[name], date: StampedValue.dateOfOtherAccount)
            }
        }
        do throws(StoreError) {
            if !batch.isEmpty { try local.apply(batch) }
        } catch {
            // Nothing is sent to the new account until this succeeds.
            let isNew = state.withLock { state in
                defer { state.isAccountReported = true }
                return !state.isAccountReported
            }
            if isNew { Defaults.Problem.storeFailed(error).report() }
            return
        }
        guard account != before else { return }
        state.withLock { [marked] in $0.follow(account, marked: marked) }
        reconcile(names.lazy.map(\.wrappedValue))
    }

    /// Writes an entry of the remote store, unless that belongs to another account than the local dates.
    ///
    /// - Returns: Whether the entry was written. If not, it is made the same when the account is followed.
    private func send(_ batch: PropertyListBatch) throws(StoreError) -> Bool {
        guard let accountStore else {
            try remote.applyNamingKeys(batch)
            return true
        }
        do throws(StoreError) {
            if let account = state.withLock(\.account), try accountStore.apply(batch, for: account) { return true }
        } catch {
            throw error.naming(batch)
        }
        reconcile([LibraryEntries.account])
        return false
    }

    /// The name of the synchronized entry for either of its two local entries.
    private static func name(ofEntry entry: String) -> String {
        StampedValue.name(ofDateName: entry) ?? entry
    }

    /// Makes one entry the same on both sides, and starts over if another writer changes it meanwhile.
    private func reconcile(_ name: String, _ entry: inout Entry) {
        var done: SynchronizationMemory.Step?
        var retries = ConflictRetries()
        while isCurrent(entry, named: name) {
            let table = local.snapshot()
            let stored = remote.value(forKey: name)
            let step = entry.memory.nextStep(
                local: StampedValue(of: name, in: table),
                remote: stored.map(SynchronizationMemory.Remote.init) ?? .absent
            ) { dates in
                ([now()] + dates.map(\.later)).max() ?? now()
            }
            // Prevents endless writes to a store that accepts values and does not keep them.
            guard step != done else { return }
            do throws(StoreError) {
                switch step {
                case .none:
                    return
                case .reportForeign:
                    throw .foreign(name, store: remote.name)
                case .note(let own):
                    entry.memory.noticed = try write(own, name, over: table)
                case .receive(let other):
                    entry.memory.noticed = try write(other, name, over: table)
                    entry.memory.agreed = other.date
                    entry.memory.reported = nil
                    onTransfer(Transfer(name: name, isToRemote: false, isRemoval: other.value == nil))
                case .send(let own):
                    var batch = PropertyListBatch()
                    batch.expect(stored, forKey: name)
                    batch.set(own.remote, forKey: name)
                    guard try send(batch) else { return }
                    entry.memory.agreed = own.date
                    entry.memory.reported = nil
                    onTransfer(Transfer(name: name, isToRemote: true, isRemoval: own.value == nil))
                }
                done = step
            } catch {
                if error.isRepeatable, !retries.areExhausted(at: nil, expecting: Self.seen(name, table, stored)) {
                    continue
                }
                // Each failure is reported once, however often the transfer is retried.
                if entry.memory.reported != step { Defaults.Problem.storeFailed(error).report() }
                entry.memory.reported = step
                return
            }
        }
    }

    /// The state of both sides of one entry, as expectations.
    private static func seen(
        _ name: String,
        _ table: PropertyListTable,
        _ remote: PropertyListValue?
    ) -> [PropertyListBatch.Expectation] {
        let dateName = StampedValue.dateName(of: name)
        return [(name, table[name]), (dateName, table[dateName]), (name, remote)].map {
            PropertyListBatch.Expectation(key: $0.0, value: $0.1)
        }
    }

    /// Writes both local entries in one batch, unless they have changed since the snapshot.
    ///
    /// - Returns: The value with its date as the store keeps it.
    private func write(
        _ stamped: StampedValue,
        _ name: String,
        over table: PropertyListTable
    ) throws(StoreError) -> StampedValue {
        let dateName = StampedValue.dateName(of: name)
        var batch = PropertyListBatch()
        batch.expect(table[name], forKey: name)
        batch.expect(table[dateName], forKey: dateName)
        if stamped.value != table[name] { batch.set(stamped.value, forKey: name) }
        batch.set(stamped.date.map { .date($0) }, forKey: dateName)
        do throws(StoreError) {
            try local.apply(batch)
        } catch {
            // The date is not an entry of the program.
            throw error.naming(PropertyListBatch(.remove(key: name)))
        }
        return StampedValue(stamped.value, date: local.value(forKey: dateName)?.dateValue ?? stamped.date)
    }
}

extension Date {
    /// A microsecond later, or the next representable date if that is further away.
    ///
    /// No device writes faster than that for long, so its dates do not run ahead of its clock. Stores that keep dates as text
    /// preserve it.
    fileprivate var later: Date {
        let interval = timeIntervalSinceReferenceDate
        return Date(timeIntervalSinceReferenceDate: max(interval + 0.000001, interval.nextUp))
    }
}

extension StoreError.Code {
    /// No synchronizer wrote an entry of a shared store.
    @_spi(StoreAuthors) public static let foreignEntry = StoreError.Code("foreignEntry")
}

extension StoreError {
    fileprivate static func nameOfDate(_ key: String, store: String) -> StoreError {
        StoreError(
            .unsupportedValue,
            store: store,
            key: key,
            reason:
                "it is not synchronized, because its name is that of an entry with the date of a synchronized value",
            remedy: "give the key another name"
        )
    }

    fileprivate static func foreign(_ key: String, store: String) -> StoreError {
        StoreError(
            .foreignEntry,
            store: store,
            key: key,
            reason: "the entry is not in the form of a synchronized value, an array of a plausible date and the value",
            remedy: "remove it, or synchronize the value under another name"
        )
    }
}

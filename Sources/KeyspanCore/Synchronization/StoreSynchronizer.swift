internal import Dispatch

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// Keeps some entries of two stores the same, each way: a local one, and a remote one that other devices share.
///
/// ```swift
/// let cloud = InMemoryStore(name: "cloud")
/// let phone = InMemoryStore(name: "phone")
/// let desk = InMemoryStore(name: "desk")
/// let synchronizers = [phone, desk].map { StoreSynchronizer($0, with: cloud) }
/// for synchronizer in synchronizers {
///     synchronizer.add("theme")
/// }
/// phone.set("dark", forKey: "theme")
/// print(desk.string(forKey: "theme") ?? "")  // dark
/// ```
///
/// **The newest write wins.** Beside each value is the date at which it was written; the later one counts, on whichever side
/// it is, also if both sides changed while they were apart. A removal is a write. A write over a value that came from
/// another device is later than that one, whatever the clocks say. Of two values with the same date, the one whose content
/// comes later in a fixed order counts, on every device, and keeps its date; any value counts before a removal.
///
/// **A write needs a synchronizer that runs.** What a program writes while none works on the entry has the date of
/// the value before it, and so can lose against that one.
///
/// **Stored form**, which is that of the Defaults library: the local date is in the entry
/// `<name>__DEFAULTS__synchronizeTimestamp`; the remote entry is an array of the date and the value. Of a removed value
/// the dates stay, so that the removal can travel; in the remote store it is an array of the date alone.
///
/// **What cannot be written stays where it is**, and is reported to ``Defaults/onProblem(_:)`` once: a value that the remote
/// store has no room for is in the local one, and is tried again with the next change of the entry and with
/// ``synchronize()``. A remote entry that has another form is reported and left alone.
///
/// **A remote entry that is gone without a date** was not removed by a device; perhaps the user has left the account. It
/// changes nothing here, and is not written again before the local value changes or the program starts anew.
///
/// Entries travel one by one: a batch of several is not one batch on the other side. Of a local store with layers the one
/// that is written is synchronised. Safe to use from any thread. The work is done without a lock
/// by the thread that delivers a change to observers: <doc:ObservingChanges>.
public final class StoreSynchronizer: Sendable {
    private struct State {
        var entries: TextDictionary<Entry> = [:]
        var lastRegistration: UInt64 = 0
        var pending: Set<UTF8Text> = []
        var worker: ThreadIdentity?
        var waiting: [@Sendable () -> Void] = []

        var names: Set<UTF8Text> { Set(entries.keys.map { UTF8Text($0) }) }

        mutating func add(_ name: String) {
            guard entries[name] == nil else { return }
            lastRegistration += 1
            entries[name] = Entry(registration: lastRegistration)
        }
    }

    /// An entry that is kept the same.
    private struct Entry {
        /// The number of the call that added it: an entry that is removed and added is another one.
        let registration: UInt64
        /// What both sides were last seen or made to be; only the thread that works changes it.
        var memory = SynchronizationMemory()
    }

    /// A transfer of one entry, for those who want to follow what happens.
    public struct Transfer: Sendable, Hashable {
        /// The name of the entry.
        @UTF8Text public private(set) var name: String

        /// Whether it went from the local store to the remote one, and not the other way.
        public let isToRemote: Bool

        /// Whether what was transferred is the removal of the value.
        public let isRemoval: Bool
    }

    /// The store of this device; of a store with layers the one that is written.
    public let local: any PropertyListStore

    /// The store that devices share.
    public let remote: any PropertyListStore

    private let now: @Sendable () -> Date
    private let onTransfer: @Sendable (Transfer) -> Void
    private let state = Locked(State())
    private let observations = Locked<[StoreObservation]>([])

    /// Makes a synchroniser of no entries.
    ///
    /// `add(_:)` names some. It works until it is released.
    ///
    /// - Parameters:
    ///   - local: The store of this device.
    ///   - remote: The store that devices share.
    ///   - onTransfer: Hears of each entry that was transferred, on the thread that did it.
    public convenience init(
        _ local: any PropertyListStore,
        with remote: any PropertyListStore,
        onTransfer: @escaping @Sendable (Transfer) -> Void = { _ in }
    ) {
        self.init(local, with: remote, onTransfer: onTransfer) { Date() }
    }

    /// Makes a synchroniser with a clock of its own.
    package init(
        _ local: any PropertyListStore,
        with remote: any PropertyListStore,
        onTransfer: @escaping @Sendable (Transfer) -> Void = { _ in },
        now: @escaping @Sendable () -> Date
    ) {
        self.local = local.writtenStore
        self.remote = remote
        self.now = now
        self.onTransfer = onTransfer
        let receive: @Sendable (PropertyListChange) -> Void = { [weak self] change in
            self?.reconcile(change.entries.map(\.key))
        }
        let both = [self.local, remote].map { $0.observe(.all, initial: false, receive) }
        observations.withLock { $0 = both }
    }

    /// The names of the entries that are kept the same.
    public var names: Set<UTF8Text> { state.withLock(\.names) }

    /// Begins to keep entries the same, and makes them so at once.
    ///
    /// An entry that the remote store has counts, if the local one has no date for its own. One that only the local store
    /// has is sent.
    public func add(_ names: String...) {
        add(Set<UTF8Text>(names))
    }

    /// Begins to keep entries the same, and makes them so at once.
    public func add(_ names: Set<UTF8Text>) {
        state.withLock { state in
            for name in names { state.add(name.wrappedValue) }
        }
        reconcile(names.lazy.map(\.wrappedValue))
    }

    /// Ceases to keep entries the same; both stores keep what they have.
    ///
    /// A transfer that another thread has begun may still end. What this knew of the entries is forgotten.
    public func remove(_ names: Set<UTF8Text>) {
        state.withLock { state in
            state.pending.subtract(names)
            for name in names { state.entries[name.wrappedValue] = nil }
        }
    }

    /// Tries once more what could not be transferred, and makes both stores as durable as they promise.
    ///
    /// Waits for another thread that transfers entries, and may block on the disk or the network.
    ///
    /// - Throws: ``StoreError`` if one of the stores could not do that.
    public func synchronize() throws(StoreError) {
        reconcile(names.lazy.map(\.wrappedValue))
        // Another thread may be at it.
        let done = DispatchSemaphore(value: 0)
        whenIdle { done.signal() }
        done.wait()
        try local.synchronize()
        try remote.synchronize()
    }

    /// Returns when all entries that have changed were transferred, also those that another thread is working on.
    public func waitForCompletion() async {
        reconcile(names.lazy.map(\.wrappedValue))
        await withCheckedContinuation { continuation in
            whenIdle { continuation.resume() }
        }
    }

    /// Whether anyone waits for the thread that transfers entries, for tests.
    var isAwaited: Bool { state.withLock { !$0.waiting.isEmpty } }

    /// Does something when no other thread is transferring entries: now, or then.
    private func whenIdle(_ action: @escaping @Sendable () -> Void) {
        let thread = ThreadIdentity.current
        let isIdle = state.withLock { state in
            if state.worker == nil || state.worker == thread { return true }
            state.waiting.append(action)
            return false
        }
        if isIdle { action() }
    }
}

extension StoreSynchronizer {
    /// Makes entries the same; a thread that finds another one at it, or itself, leaves the work to that one.
    private func reconcile(_ names: some Sequence<String>) {
        let thread = ThreadIdentity.current
        let begins = state.withLock { state in
            for name in names.lazy.map(Self.name(ofEntry:)) where state.entries[name] != nil {
                state.pending.insert(UTF8Text(name))
            }
            guard state.worker == nil, !state.pending.isEmpty else { return false }
            state.worker = thread
            return true
        }
        // What others wrote is transferred here too, so it is not quiet in a closure that happens to ask for it.
        if begins { QuietScope.leave { reconcilePending() } }
    }

    private func reconcilePending() {
        while let next = nextPending() {
            let name = next.name
            var entry = next.entry
            reconcile(name, &entry)
            state.withLock { state in
                if state.entries[name]?.registration == entry.registration { state.entries[name] = entry }
            }
        }
    }

    private func nextPending() -> (name: String, entry: Entry)? {
        let (next, waiting): ((String, Entry)?, [@Sendable () -> Void]) = state.withLock { state in
            while let name = state.pending.popFirst()?.wrappedValue {
                if let entry = state.entries[name] { return ((name, entry), []) }
            }
            defer { state.waiting = [] }
            state.worker = nil
            return (nil, state.waiting)
        }
        for action in waiting {
            action()
        }
        return next
    }

    private func isCurrent(_ entry: Entry, named name: String) -> Bool {
        state.withLock { $0.entries[name]?.registration == entry.registration }
    }

    /// The entry to which one of the two local entries belongs.
    private static func name(ofEntry entry: String) -> String {
        let suffix = StampedValue.dateName(of: "")
        return entry.hasUTF8Suffix(suffix) ? String(Substring(entry.utf8.dropLast(suffix.utf8.count))) : entry
    }

    /// Makes one entry the same on both sides, and begins anew if someone changes it meanwhile.
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
                // A millisecond makes it later than those that were seen, and not much later than now.
                ([now()] + dates.map(\.later)).max() ?? now()
            }
            // A store that does not keep what it has accepted would be written to without end.
            guard step != done else { return }
            do throws(StoreError) {
                switch step {
                case .none:
                    return
                case .reportForeign:
                    throw .foreign(name, store: remote.name)
                case .note(let own):
                    try write(own, name, over: table)
                    entry.memory.noticed = own
                case .receive(let other):
                    try write(other, name, over: table)
                    entry.memory.noticed = other
                    entry.memory.agreed = other.date
                    entry.memory.reported = nil
                    onTransfer(Transfer(name: name, isToRemote: false, isRemoval: other.value == nil))
                case .send(let own):
                    var batch = PropertyListBatch()
                    batch.expect(stored, forKey: name)
                    batch.set(own.remote, forKey: name)
                    try remote.apply(batch)
                    entry.memory.agreed = own.date
                    entry.memory.reported = nil
                    onTransfer(Transfer(name: name, isToRemote: true, isRemoval: own.value == nil))
                }
                done = step
            } catch {
                if error.isRepeatable, !retries.areExhausted(at: nil, expecting: Self.seen(name, table, stored)) {
                    continue
                }
                // Each thing that cannot be transferred is told once, however often it is tried.
                if entry.memory.reported != step { Defaults.Problem.storeFailed(error).report() }
                entry.memory.reported = step
                return
            }
        }
    }

    /// What is on both sides of one entry, in the form of expectations.
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

    /// Writes both local entries in one batch, unless they have changed since.
    private func write(_ stamped: StampedValue, _ name: String, over table: PropertyListTable) throws(StoreError) {
        let dateName = StampedValue.dateName(of: name)
        var batch = PropertyListBatch()
        batch.expect(table[name], forKey: name)
        batch.expect(table[dateName], forKey: dateName)
        if stamped.value != table[name] { batch.set(stamped.value, forKey: name) }
        batch.set(stamped.date.map { .date($0) }, forKey: dateName)
        try local.apply(batch)
    }
}

extension Date {
    /// A millisecond later, or as little later as a date can be that is so far away.
    fileprivate var later: Date {
        let interval = timeIntervalSinceReferenceDate
        return Date(timeIntervalSinceReferenceDate: max(interval + 0.001, interval.nextUp))
    }
}

extension StoreError.Code {
    /// An entry of a shared store was not written by a synchroniser.
    public static let foreignEntry = StoreError.Code("foreignEntry")
}

extension StoreError {
    fileprivate static func foreign(_ key: String, store: String) -> StoreError {
        StoreError(
            .foreignEntry,
            store: store,
            key: key,
            reason: "the entry is not in the form of a synchronised value, an array of a date and the value",
            remedy: "remove it, or synchronise the value under another name"
        )
    }
}

internal import Foundation
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
    private struct Work {
        // What was written here and not yet handed to the system.
        var unsent: Set<String> = []
        // What others changed and was not yet read; `nil` for everything.
        var changed: Set<String>? = []
        var isBusy = false
        var reported: Set<String> = []

        var isDone: Bool { unsent.isEmpty && changed?.isEmpty == true }
    }

    private enum Step {
        case send(Set<String>)
        case receive(Set<String>?)
    }

    public let name: String

    private let values: any UbiquitousValues
    private let limits: UbiquitousLimits
    private let contents = CommittedTable([:])
    // Taken before the lock of the table, and that one before the lock of the work.
    private let writing = Locked(())
    private let work = Locked(Work())
    private let observation = Locked<StoreObservation?>(nil)

    /// Makes a store of the values of a system, or of a double of one.
    package convenience init(_ values: any UbiquitousValues, name: String = "iCloud") {
        self.init(values, name: name, limits: UbiquitousLimits())
    }

    init(_ values: any UbiquitousValues, name: String, limits: UbiquitousLimits) {
        self.values = values
        self.name = name
        self.limits = limits
        let observation = values.observe { [weak self] change in
            self?.hear(change)
        }
        self.observation.withLock { $0 = observation }
        hear(.accountChanged)
    }

    public var revision: StoreRevision? { contents.revision }

    public func value(forKey key: String) -> PropertyListValue? { contents.value(forKey: key) }

    public func snapshot() -> PropertyListTable { contents.snapshot() }

    public func apply(_ batch: PropertyListBatch) throws(StoreError) {
        try writing.withLock { (_) throws(StoreError) in
            var table = contents.snapshot()
            let change = try table.apply(batch, store: name)
            try limits.check(change, resultingIn: table, store: name)
            let keys = change.entries.map(\.key)
            try contents.commit(batch, store: name) {
                work.withLock { $0.unsent.formUnion(keys) }
            }
        }
        transfer()
        contents.deliver()
    }

    public func observe(
        _ keys: ObservedKeys,
        initial: Bool,
        _ receive: @escaping @Sendable (PropertyListChange) -> Void
    ) -> StoreObservation {
        contents.observe(keys, initial: initial, receive)
    }

    /// Tells the system to save what was written.
    ///
    /// - Throws: `StoreError` with the code `notDurable` if the system answers that it cannot, for example because the
    ///   program lacks the capability.
    public func synchronize() throws(StoreError) {
        transfer()
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
        case .changed(let names): work.withLock { $0.changed?.formUnion(names) }
        case .accountChanged: work.withLock { $0.changed = nil }
        case .quotaViolated(let names):
            // What was refused stays readable here until the program ends. Taking the old value back would let a
            // synchroniser write the new one again, without end.
            let refusal = StoreError(
                .tooLarge,
                store: name,
                key: names.count == 1 ? names.first : nil,
                reason: "the system has refused what was written, because there is too much in iCloud",
                remedy: "remove values, or store less"
            )
            Defaults.Problem.storeFailed(refusal).report()
        }
        transfer()
    }

    /// Hands to the system what was written, and reads what others changed, one thread at a time.
    ///
    /// No lock is held while the system is called, because it may tell of changes from inside the call. A thread that finds
    /// another one at it, or itself, leaves the work to that one.
    private func transfer() {
        let begins = work.withLock { work in
            guard !work.isBusy, !work.isDone else { return false }
            work.isBusy = true
            return true
        }
        guard begins else { return }
        while let step = nextStep() {
            switch step {
            case .send(let keys):
                for key in keys {
                    values.set(contents.value(forKey: key), forKey: key)
                }
            case .receive(let keys):
                receive(keys)
                contents.deliver()
            }
        }
    }

    private func nextStep() -> Step? {
        work.withLock { work in
            if !work.unsent.isEmpty {
                defer { work.unsent = [] }
                return .send(work.unsent)
            }
            if work.changed?.isEmpty != true {
                defer { work.changed = [] }
                return .receive(work.changed)
            }
            work.isBusy = false
            return nil
        }
    }

    /// Takes over the values of these names, or all, but for those that were written here since.
    private func receive(_ names: Set<String>?) {
        let entries = values.entries(names)
        report(entries)
        writing.withLock { _ in
            contents.merge { table in
                let unsent = work.withLock(\.unsent)
                let concerned = (names ?? Set(table.map(\.key)).union(entries.keys)).subtracting(unsent)
                return concerned.compactMap { key in
                    var value: PropertyListValue?
                    if case .value(let present)? = entries[key] { value = present }
                    let old = table[key]
                    guard old != value else { return nil }
                    table[key] = value
                    return PropertyListChange.Entry(key: key, old: old, new: value)
                }
            }
        }
    }

    /// Tells of each value that is no property list once.
    private func report(_ entries: [String: UbiquitousEntry]) {
        for case (let key, .foreign(let reason)) in entries
        where work.withLock({ $0.reported.insert(key).inserted }) {
            let error = StoreError(
                .foreignEntry,
                store: name,
                key: key,
                reason: reason,
                remedy: "remove it; it is read as if there were no value"
            )
            Defaults.Problem.storeFailed(error).report()
        }
    }
}

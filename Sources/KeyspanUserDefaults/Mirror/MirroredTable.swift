import Foundation
import KeyspanCore

/// A table in memory, and a source that it writes to and that it follows.
///
/// A write is in the table at once, under its lock, and is queued there for the source, so that the source is written in the
/// order in which the table was. The source is written and read without a lock, by one thread at a time; a thread that finds
/// another one at it, or itself, leaves its work to that. What is read comes into the table, but for keys that were written
/// there meanwhile. So when all is quiet, the table is what the source shows.
final class MirroredTable: Sendable {
    private enum Step {
        case write([PropertyListBatch])
        case read(ObservedKeys)
    }

    private struct State {
        /// What the table has and the source has not.
        var waiting: [PropertyListBatch] = []
        /// Of which keys the source is to be read once nothing waits.
        var unread: ObservedKeys = .named([])
        /// The thread that uses the source now.
        var worker: ObjectIdentifier?

        /// Makes a thread the one that uses the source, unless there is one or there is nothing to do.
        mutating func begin(on thread: ObjectIdentifier) -> Bool {
            guard worker == nil, !waiting.isEmpty || !unread.isEmpty else { return false }
            worker = thread
            return true
        }

        /// What the thread that uses the source does next; `nil` if there is nothing, and then it uses it no more.
        mutating func nextStep() -> Step? {
            if !waiting.isEmpty {
                defer { waiting = [] }
                // What is removed may show a value that lies below it in the source.
                unread = waiting.reduce(unread) { $0.union($1.keys(onlyRemoved: true)) }
                return .write(waiting)
            }
            if !unread.isEmpty {
                defer { unread = .named([]) }
                return .read(unread)
            }
            worker = nil
            return nil
        }
    }

    /// The half in memory.
    let contents = CommittedTable([:])

    private let source: any MirroredSource
    private let state = Locked(State())
    private let writing = Locked(())

    /// Makes an empty table; ``refresh(_:)`` reads the source.
    init(of source: any MirroredSource) {
        self.source = source
    }

    /// Applies a batch to the table and then to the source.
    ///
    /// - Parameters:
    ///   - batch: The writes.
    ///   - store: The store's name, for errors.
    /// - Throws: ``StoreError``, and nothing has changed.
    func apply(_ batch: PropertyListBatch, store: String) throws(StoreError) {
        try commit(batch, store: store)
        carryOut()
    }

    /// Applies a batch to the table only, for a caller that holds a lock of its own; ``carryOut()`` follows without it.
    ///
    /// - Throws: ``StoreError``, and nothing has changed; also for names of which Foundation holds one only.
    func commit(_ batch: PropertyListBatch, store: String) throws(StoreError) {
        // Under a lock of its own, so that of two batches with equal names one finds the other's.
        try writing.withLock { (_) throws(StoreError) in
            try EqualNames.check(batch, over: contents, store: store)
            try contents.commit(batch, store: store) {
                state.withLock { $0.waiting.append(batch) }
            }
        }
    }

    /// Writes to the source what was committed, and tells observers.
    func carryOut() {
        work()
        contents.deliver()
    }

    /// Takes over what the source has for keys, now or as soon as all that was written before is in the source.
    func refresh(_ keys: ObservedKeys) {
        state.withLock { $0.unread = $0.unread.union(keys) }
        work()
    }

    /// Takes over what the source has for keys that it says have changed, unless it says so because it is written here.
    ///
    /// - Parameter keys: The keys; a source that does not know them says all, after each write.
    func notice(_ keys: ObservedKeys) {
        let thread = ObjectIdentifier(Thread.current)
        if keys == .all && state.withLock({ $0.worker == thread }) { return }
        refresh(keys)
    }

    /// Returns when all that was applied before is in the source.
    ///
    /// Waits for another thread that uses the source; an observer that the source calls does not wait for itself.
    func settle() {
        let thread = ObjectIdentifier(Thread.current)
        while true {
            work()
            let isOther = state.withLock { $0.worker != nil && $0.worker != thread }
            guard isOther else { return }
            Thread.sleep(forTimeInterval: 0.0005)
        }
    }

    /// Does what there is to do, unless a thread is at it, and then tells observers what was read.
    private func work() {
        let thread = ObjectIdentifier(Thread.current)
        guard state.withLock({ $0.begin(on: thread) }) else { return }
        while let step = state.withLock({ $0.nextStep() }) {
            switch step {
            case .write(let batches):
                for batch in batches { source.perform(batch) }
            case .read(let keys):
                read(keys)
            }
        }
        // Only now, because an observer may wait for a thread that waits for the source.
        contents.deliver()
    }

    /// Takes over what the source shows for keys, but for those that were written to the table meanwhile: they are written to
    /// the source next.
    private func read(_ keys: ObservedKeys) {
        let found = values(of: keys)
        contents.merge { table in
            let written = state.withLock { state in
                state.waiting.reduce(ObservedKeys.named([])) { $0.union($1.keys(onlyRemoved: false)) }
            }
            return Self.take(found.filter { !written.contains($0.key) }, into: &table)
        }
    }

    /// What the source shows for keys, those that it shows nothing for included.
    private func values(of keys: ObservedKeys) -> TextDictionary<PropertyListValue?> {
        var values: TextDictionary<PropertyListValue?> = [:]
        switch keys {
        case .named(let names):
            for name in names.lazy.map(\.wrappedValue) where !source.isHidden(name) {
                values[name] = .some(source.value(forKey: name))
            }
        case .all:
            for (key, value) in source.table() {
                values[key] = .some(value)
            }
            for (key, _) in contents.snapshot() where values[key] == nil && !source.isHidden(key) {
                values[key] = .some(nil)
            }
        }
        return values
    }

    private static func take(
        _ found: TextDictionary<PropertyListValue?>,
        into table: inout PropertyListTable
    ) -> [PropertyListChange.Entry] {
        var entries: [PropertyListChange.Entry] = []
        for (key, value) in found where table[key] != value {
            entries.append(PropertyListChange.Entry(key: key, old: table[key], new: value))
            table[key] = value
        }
        return entries
    }
}

extension PropertyListBatch {
    /// The keys that the batch writes, or only those that it removes.
    fileprivate func keys(onlyRemoved: Bool) -> ObservedKeys {
        operations.reduce(.named([])) { keys, operation in
            switch operation {
            case .set(_, let key): onlyRemoved ? keys : keys.union(.named([UTF8Text(key)]))
            case .remove(let key): keys.union(.named([UTF8Text(key)]))
            case .removeAll: .all
            }
        }
    }
}

extension ObservedKeys {
    fileprivate var isEmpty: Bool { self == .named([]) }

    fileprivate func contains(_ key: String) -> Bool {
        guard case .named(let names) = self else { return true }
        return names.contains(key)
    }

    fileprivate func union(_ other: ObservedKeys) -> ObservedKeys {
        guard case .named(let own) = self, case .named(let others) = other else { return .all }
        return .named(own.union(others))
    }
}

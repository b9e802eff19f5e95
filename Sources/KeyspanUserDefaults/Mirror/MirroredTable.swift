import Foundation
import KeyspanCore

/// A table in memory, and a source that it writes to and that it follows.
///
/// A write is in the table at once, under its lock, and is queued there for the source, so that the source is written in the
/// order in which the table was. The source is written and read without a lock, by one thread at a time; a thread that finds
/// another one at it, or itself, leaves its work to that, and waits for it only in ``refresh(_:)`` and ``settle()``. What is read
/// comes into the table, but for keys that were written there meanwhile. So when all is quiet, the table is what the source shows.
final class MirroredTable: Sendable {
    /// A batch with the scope of its writer, because another thread may bring it to the source.
    private struct Write {
        let batch: PropertyListBatch
        let scope: OperationScope?
    }

    private enum Step {
        case write([Write])
        case read(ObservedKeys, answering: UInt64)
    }

    private struct State {
        /// What the table has and the source has not.
        var waiting: [Write] = []
        /// Of which keys the source is to be read.
        var unread: ObservedKeys = .named([])
        /// Whether the source is read next, also if something waits: writers without end keep no reader waiting.
        var isReadDue = false
        /// How many batches were ever committed, and how many of them are in the source.
        var committed: UInt64 = 0
        var written: UInt64 = 0
        /// How often reading was asked for, and up to which time that was done: the read began after it was asked for, and what
        /// it found is in the table.
        var requests: UInt64 = 0
        var answered: UInt64 = 0
        /// The threads that wait for the next step of the one that uses the source.
        var waiters: [DispatchSemaphore] = []
        /// The thread that uses the source now.
        var worker: ObjectIdentifier?

        /// Whether the source is to be read.
        private var isUnread: Bool { answered < requests }

        /// Makes a thread the one that uses the source, unless there is one or there is nothing to do.
        mutating func begin(on thread: ObjectIdentifier) -> Bool {
            guard worker == nil, !waiting.isEmpty || isUnread else { return false }
            worker = thread
            return true
        }

        /// What the thread that uses the source does next; `nil` if there is nothing, and then it uses it no more.
        mutating func nextStep() -> Step? {
            if !waiting.isEmpty, !isUnread || !isReadDue {
                defer { waiting = [] }
                // What is removed may show a value that lies below it in the source.
                let removed = waiting.reduce(ObservedKeys.named([])) { $0.union($1.batch.keys(onlyRemoved: true)) }
                if !removed.isEmpty { _ = ask(for: removed) }
                isReadDue = true
                return .write(waiting)
            }
            isReadDue = false
            if isUnread {
                defer { unread = .named([]) }
                return .read(unread, answering: requests)
            }
            worker = nil
            return nil
        }

        /// Notes that the source is to be read.
        ///
        /// - Returns: The number of the request.
        mutating func ask(for keys: ObservedKeys) -> UInt64 {
            unread = unread.union(keys)
            requests += 1
            return requests
        }

        /// Notes that a step is done.
        ///
        /// - Returns: The threads that wait for it.
        mutating func finish(_ step: Step) -> [DispatchSemaphore] {
            switch step {
            case .write(let writes): written += UInt64(writes.count)
            case .read(_, let request): answered = request
            }
            defer { waiters = [] }
            return waiters
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
            let write = Write(batch: batch, scope: .current)
            try contents.commit(batch, store: store) {
                state.withLock { state in
                    state.waiting.append(write)
                    state.committed += 1
                }
            }
        }
    }

    /// Writes to the source what was committed, and tells observers.
    func carryOut() {
        work()
        contents.deliver()
    }

    /// Takes over what the source has for keys, and returns when that is in the table: what a look at the source has found that
    /// began after this was called.
    ///
    /// Waits for another thread that uses the source, but not for this one: called by an observer of the source, it returns before.
    func refresh(_ keys: ObservedKeys) {
        let request = state.withLock { $0.ask(for: keys) }
        wait { $0.answered >= request }
    }

    /// Takes over what the source has for keys that it says have changed, unless it says so because it is written here: now, or as
    /// soon as the thread comes to it that uses the source.
    ///
    /// - Parameter keys: The keys; a source that does not know them says all, after each write.
    func notice(_ keys: ObservedKeys) {
        let thread = ObjectIdentifier(Thread.current)
        if keys == .all && state.withLock({ $0.worker == thread }) { return }
        _ = state.withLock { $0.ask(for: keys) }
        work()
    }

    /// Returns when all that was applied before is in the source, and what became visible by that is in the table.
    ///
    /// Waits for another thread that uses the source; an observer that the source calls does not wait for itself.
    func settle() {
        let committed = state.withLock(\.committed)
        wait { $0.written >= committed }
        let requests = state.withLock(\.requests)
        wait { $0.answered >= requests }
    }

    /// How many threads wait, for tests.
    var waiterCount: Int { state.withLock(\.waiters.count) }

    /// Works until something is done, or waits for the thread that uses the source, if that is another one.
    private func wait(until isDone: (borrowing State) -> Bool) {
        let thread = ObjectIdentifier(Thread.current)
        while true {
            work()
            let next = state.withLock { state -> DispatchSemaphore? in
                guard !isDone(state), let worker = state.worker, worker != thread else { return nil }
                let next = DispatchSemaphore(value: 0)
                state.waiters.append(next)
                return next
            }
            guard let next else { return }
            next.wait()
        }
    }

    /// Does what there is to do, unless a thread is at it, and then tells observers what was read.
    private func work() {
        let thread = ObjectIdentifier(Thread.current)
        guard state.withLock({ $0.begin(on: thread) }) else { return }
        var problems: [HeldProblems] = []
        while let step = state.withLock({ $0.nextStep() }) {
            switch step {
            case .write(let writes):
                for write in writes {
                    // The source calls its observers, and another thread may have written this.
                    OperationScope.leave(for: write.scope) { source.perform(write.batch) }
                }
            case .read(let keys, _):
                problems.append(HeldProblems.hold { read(keys) }.1)
            }
            for waiter in state.withLock({ $0.finish(step) }) { waiter.signal() }
        }
        // Only now, because a handler or an observer may wait for a thread that waits for the source.
        for problems in problems { problems.release() }
        contents.deliver()
    }

    /// Takes over what the source shows for keys, but for those that were written to the table meanwhile: they are written to
    /// the source next.
    private func read(_ keys: ObservedKeys) {
        let found = values(of: keys)
        contents.merge { table in
            let written = state.withLock { state in
                state.waiting.reduce(ObservedKeys.named([])) { $0.union($1.batch.keys(onlyRemoved: false)) }
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

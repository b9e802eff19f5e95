import Dispatch
@_spi(StoreAuthors) import KeyspanCore

/// A container of values by key that can change by itself and that a ``MirroredTable`` copies into memory.
///
/// The table calls all members without a lock; they may call observers of the source.
protocol MirroredSource: Sendable {
    /// The source's values of keys.
    ///
    /// - Parameters:
    ///   - keys: The keys; `all` means those of the source and those of the copy.
    ///   - copy: The copy of the source in memory.
    /// - Returns: The values, with `nil` for keys that have none, and without keys of which a read tells nothing.
    func read(_ keys: ObservedKeys, over copy: PropertyListTable) -> TextDictionary<PropertyListValue?>

    /// Writes a batch to the source.
    ///
    /// - Parameters:
    ///   - batch: The writes.
    ///   - copy: The copy of the source, if the batch changed nothing there. Then writes of values that the source has are left out,
    ///     because its observers would be notified of them.
    func perform(_ batch: PropertyListBatch, comparingWith copy: PropertyListTable?)
}

/// A table in memory that is written through to a source and that follows the source's own changes.
///
/// A write enters the table at once, under the table's lock, and joins a queue for the source in the same order. One thread at
/// a time, the worker, writes and reads the source, without a lock. A thread that finds another worker, or itself further up
/// its stack, leaves its writes to that worker; only ``refresh(_:)`` and ``settle()`` wait for it. Values that the worker reads
/// enter the table unless the key was written there meanwhile. So when all is quiet, the table shows what the source shows.
///
/// A worker does its own work and the work queued before it, and then takes over at most ``MirrorWork/foreignLimit`` writes and
/// reads of other threads. A background thread continues with the rest, unless a thread with its own work comes first.
final class MirroredTable: Sendable {
    /// The half in memory.
    let contents = CommittedTable([:])
    /// The readings of the source and its saves.
    let activity = ActivityBroadcaster()

    /// How often a thread reads beside another worker while others write; after that it leaves the keys to the worker.
    private static let attemptsBeside = 8

    private let source: any MirroredSource
    private let state = Locked(MirrorWork())
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
        do throws(StoreError) {
            try commit(batch, store: store)
        } catch {
            throw noting(error)
        }
        carryOut()
    }

    /// Notes a conflict as activity.
    ///
    /// - Parameter error: The error of a batch, which the caller throws without any lock.
    func noting(_ error: StoreError) -> StoreError {
        if error.code == .conflict { activity.note(.conflict) }
        activity.deliver()
        return error
    }

    /// Applies a batch to the table only, for a caller that holds a lock of its own; ``carryOut()`` follows without it.
    ///
    /// - Throws: ``StoreError``, and nothing has changed; also for names of which Foundation holds only one.
    func commit(_ batch: PropertyListBatch, store: String) throws(StoreError) {
        // Under a lock of its own, so that the second of two batches with equal names finds the first one's.
        try writing.withLock { (_) throws(StoreError) in
            try EqualNames.check(batch, over: contents, store: store)
            let (thread, scope) = (ThreadIdentity.current, OperationScope.current)
            try contents.commit(batch, store: store) { isChange, _, _ in
                state.withLock { state in
                    state.waiting.append(
                        MirrorWork.Write(batch: batch, isChange: isChange, thread: thread, scope: scope)
                    )
                    state.committed += 1
                }
            }
        }
    }

    /// Writes committed batches to the source and notifies observers.
    func carryOut() {
        let thread = ThreadIdentity.current
        run(MirrorWork.Errand(thread: thread, write: state.withLock(\.committed)), on: thread)
        contents.deliver()
    }

    /// Reads keys from the source, and returns when the table has the result of a read that began after this call.
    ///
    /// Waits for another worker, but not for its own thread: called by an observer of the source, it returns before that.
    ///
    /// - Returns: Whether the table has the result.
    @discardableResult
    func refresh(_ keys: ObservedKeys) -> Bool {
        let request = state.withLock { $0.ask(for: keys) }
        wait(request: request)
        return state.withLock { $0.answered >= request }
    }

    /// Follows a change that the source reports: on return the table has what a read found that began after this call.
    ///
    /// Reads beside another worker, which reads the keys again. Keys whose writes are on their way keep the written values.
    ///
    /// - Parameters:
    ///   - keys: The keys.
    ///   - isLookup: Whether this thread only reads: it calls no observers, which may wait for something that the thread holds.
    func notice(_ keys: ObservedKeys, forLookup isLookup: Bool = false) {
        let thread = ThreadIdentity.current
        let request = state.withLock { $0.ask(for: keys) }
        run(MirrorWork.Errand(thread: thread, request: request, isLookup: isLookup), on: thread)
        for _ in 0..<Self.attemptsBeside where !readBeside(keys, request) {}
        contents.deliverInBackground()
    }

    /// Reads keys that the worker has not read yet.
    ///
    /// - Returns: Whether the table has them; not if another thread has written meanwhile, because that may be the later state.
    private func readBeside(_ keys: ObservedKeys, _ request: UInt64) -> Bool {
        let (left, committed) = state.withLock { state in
            (state.answered < request ? keys.subtracting(state.waitingKeys) : .named([]), state.committed)
        }
        guard !left.isEmpty else { return true }
        var isCurrent = false
        let (_, problems) = HeldProblems.hold {
            let found = source.read(left, over: contents.snapshot())
            merge(found, inBackground: true) { state in
                isCurrent = state.committed == committed
                guard isCurrent, state.answered < request else { return false }
                state.readBeside.formUnion(left)
                return true
            }
        }
        problems.release()
        return isCurrent
    }

    /// Returns when everything applied before is in the source, and values that this uncovered are in the table.
    ///
    /// Waits for another worker; an observer that the source calls does not wait for itself.
    func settle() {
        wait(write: state.withLock(\.committed))
        wait(request: state.withLock(\.requests))
    }

    /// Makes the source save everything that was applied before.
    ///
    /// - Parameter save: Returns whether the source has saved; called without any lock.
    func synchronize(by save: () -> Bool) -> Bool {
        let start = activity.start
        settle()
        let isSaved = save()
        if !isSaved { activity.note(.saveFailed) }
        if isSaved, let start { activity.note(.flushed(duration: start.duration(to: .now))) }
        activity.deliver()
        return isSaved
    }

    /// The names of the keys whose values the source lacks.
    var unsavedKeys: [String] {
        switch state.withLock(\.waitingKeys) {
        case .named(let names): names.map(\.wrappedValue)
        case .all: contents.snapshot().map(\.key)
        }
    }

    /// How many threads wait, for tests.
    var waiterCount: Int { state.withLock(\.waiters.count) }

    private func wait(write: UInt64 = 0, request: UInt64 = 0) {
        let thread = ThreadIdentity.current
        run(MirrorWork.Errand(thread: thread, write: write, request: request, isAwaited: true), on: thread)
    }

    /// Works on an errand, and waits for another worker if the errand is awaited or that worker is only reading.
    private func run(_ errand: MirrorWork.Errand, on thread: ThreadIdentity) {
        var isOver = false
        while !isOver {
            work(on: thread, errand)
            let next = state.withLock { state -> DispatchSemaphore? in
                isOver = state.isOver(errand, on: thread)
                // Scheduled work is not awaited but done, in the next round.
                guard !isOver, case .busy = state.duty else { return nil }
                let next = DispatchSemaphore(value: 0)
                state.waiters.append(next)
                return next
            }
            next?.wait()
        }
    }

    /// Becomes the worker if there is none, works, and then notifies observers of the values that were read.
    private func work(on thread: ThreadIdentity, _ errand: MirrorWork.Errand) {
        guard state.withLock({ $0.begin(errand, on: thread) }) else { return }
        var errand = errand
        var problems: [HeldProblems] = []
        work: while true {
            let step = state.withLock { $0.nextStep(of: &errand) }
            switch step {
            case .write(let writes):
                for write in writes {
                    // The source calls its observers, and another thread may have written this.
                    let copy = write.isChange ? nil : contents.snapshot()
                    OperationScope.leave(for: write.scope) { source.perform(write.batch, comparingWith: copy) }
                }
            case .read(let keys, _):
                problems.append(HeldProblems.hold { read(keys, forLookup: errand.isLookup) }.1)
            case .handOver(let waiters):
                for waiter in waiters { waiter.signal() }
                // Threads that wait come first, because they return when their own writes are in the source.
                schedule(after: waiters.isEmpty ? 0 : 0.002)
                break work
            case .end(let waiters):
                for waiter in waiters { waiter.signal() }
                break work
            }
            for waiter in state.withLock({ $0.finish(step, of: errand) }) { waiter.signal() }
        }
        // Only now, because a handler or an observer may wait for a thread that waits for the source.
        for problems in problems { problems.release() }
        if errand.isLookup { return contents.deliverInBackground() }
        contents.deliver()
        activity.deliver()
    }

    /// Lets a background thread continue, unless another thread does so first.
    private func schedule(after delay: Double) {
        DispatchQueue(label: "keyspan.mirror").asyncAfter(deadline: .now() + delay) { [self] in
            work(on: .current, MirrorWork.Errand(thread: nil))
        }
    }

    /// Merges what the source shows for keys into the table.
    private func read(_ keys: ObservedKeys, forLookup isLookup: Bool) {
        let start = isLookup ? nil : activity.start
        let found = source.read(keys, over: contents.snapshot())
        activity.noteReading(ofWhole: keys == .all)
        let isChange = merge(found, inBackground: isLookup) { _ in true }
        activity.noteAcceptance()
        if isChange { activity.noteReload(since: start) }
    }

    /// Merges values of the source into the table, except keys with writes that go to the source next.
    ///
    /// - Returns: Whether that changed anything.
    @discardableResult
    private func merge(
        _ found: TextDictionary<PropertyListValue?>,
        inBackground: Bool,
        if isCurrent: (inout MirrorWork) -> Bool
    ) -> Bool {
        var isChange = false
        contents.merge(deliveringInBackground: inBackground) { table in
            let written = state.withLock { isCurrent(&$0) ? $0.waitingKeys : .all }
            let entries = Self.take(found.filter { !written.contains($0.key) }, into: &table)
            isChange = !entries.isEmpty
            return entries
        }
        return isChange
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

/// A store whose reads are those of a ``MirroredTable``.
protocol MirrorReadingStore: CountingStore {
    var mirror: MirroredTable { get }
}

extension MirrorReadingStore {
    var revisionCells: [RevisionCells]? { mirror.contents.revisionCells }

    func revision(of stripe: KeyStripe) -> StoreRevision? { mirror.contents.revision(of: stripe) }

    func storedValue(forKey key: String) -> StoredValue? { mirror.contents.storedValue(forKey: key) }

    func snapshot() -> PropertyListTable { mirror.contents.snapshot() }

    func observe(
        _ keys: ObservedKeys,
        initial: Bool,
        _ receive: @escaping @Sendable (PropertyListChange) -> Void
    ) -> StoreObservation {
        mirror.contents.observe(keys, initial: initial, receive)
    }
}

/// A store in front of a ``MirroredTable``, whose activity it reports.
protocol MirroringStore: ActivityBroadcasting {
    var mirror: MirroredTable { get }
}

extension MirroringStore {
    package var activity: ActivityBroadcaster { mirror.activity }

    /// The names of keys that were written here and are not passed on to the system yet; from memory.
    public var unsavedKeys: [String] { mirror.unsavedKeys }
}

import Dispatch
@_spi(StoreAuthors) import KeyspanCore

/// The writes and reads that a ``MirroredTable`` still owes its source, and the thread that performs them: a state machine
/// that the table locks, asks for the next step and performs without the lock.
struct MirrorWork {
    /// The number of other threads' writes and reads that a worker performs behind its own.
    static let foreignLimit = 8

    /// A batch with its writer's thread and scope, because another thread may bring it to the source.
    struct Write {
        let batch: PropertyListBatch
        /// Whether it changed the table; the source may have other values even if not.
        let isChange: Bool
        let thread: ThreadIdentity
        let scope: OperationScope?
    }

    /// The work that a thread needs done when it returns.
    struct Errand {
        /// The thread; `nil` for a background thread, which takes over everything.
        let thread: ThreadIdentity?
        /// The number of the last write that the thread needs in the source.
        var write: UInt64 = 0
        /// The number of the last request to read that the thread needs answered.
        var request: UInt64 = 0
        /// Whether the thread waits for the errand, so that it leaves none of it to a background thread.
        var isAwaited = false
        /// Whether the thread only looks something up: it performs no writes, calls no observers and waits for nobody.
        var isLookup = false
        /// How many writes and reads of other threads the thread has performed behind its own.
        var takenOver = 0

        /// Whether a thread that waits takes over as soon as this one has read.
        var yields: Bool { isLookup || thread == nil }

        /// Counts one write or read of another thread; `false` if the thread takes over no more.
        mutating func takesOver() -> Bool {
            guard thread != nil else { return true }
            guard !isLookup, takenOver < MirrorWork.foreignLimit else { return false }
            takenOver += 1
            return true
        }
    }

    enum Duty: Equatable {
        /// The source and the table agree, as far as anybody knows.
        case idle
        /// A thread uses the source.
        case busy(ThreadIdentity)
        /// A background thread is about to use the source.
        case scheduled
    }

    enum Step {
        case write([Write])
        case read(ObservedKeys, answering: UInt64)
        /// The rest goes to a background thread or to one of these waiting threads.
        case handOver([DispatchSemaphore])
        /// Nothing is left that these waiting threads do not find done.
        case end([DispatchSemaphore])
    }

    var duty = Duty.idle
    /// The writes that the source lacks, and those that the worker is bringing there.
    var waiting: [Write] = []
    private var inFlight: [Write] = []
    /// The keys that were read beside the worker since its read began.
    var readBeside: ObservedKeys = .named([])
    /// The keys to read from the source.
    var unread: ObservedKeys = .named([])
    /// Whether a read comes before the next write, so that endless writers delay no reader.
    var isReadDue = false
    /// The numbers of batches ever committed, and of those that are in the source.
    var committed: UInt64 = 0
    var written: UInt64 = 0
    /// The numbers of requests to read, and of those answered: the read began after the request, and its result is in the
    /// table.
    var requests: UInt64 = 0
    var answered: UInt64 = 0
    /// The threads that wait for the worker's next step.
    var waiters: [DispatchSemaphore] = []

    /// The keys of the writes that the source lacks.
    var waitingKeys: ObservedKeys {
        (inFlight + waiting).reduce(into: .named([])) { $0.formUnion($1.batch.keys(onlyRemoved: false)) }
    }

    private var isUnread: Bool { answered < requests }

    /// Makes a thread the worker, unless there is a worker or no work.
    mutating func begin(_ errand: Errand, on thread: ThreadIdentity) -> Bool {
        guard !waiting.isEmpty || isUnread, waiting.isEmpty || !errand.isLookup else { return false }
        switch duty {
        case .busy: return false
        case .scheduled where isTooMuch(errand): return false
        case .idle, .scheduled:
            duty = .busy(thread)
            return true
        }
    }

    /// Whether a thread leaves its errand as it is: done, or the business of another thread.
    func isOver(_ errand: Errand, on thread: ThreadIdentity) -> Bool {
        if written >= errand.write && answered >= errand.request || duty == .busy(thread) { return true }
        if errand.isAwaited { return false }
        if errand.isLookup { return true }
        return switch duty {
        case .idle: false
        case .scheduled: isTooMuch(errand)
        // A worker that reads waits for nobody; one that writes calls observers of the source.
        case .busy: !inFlight.isEmpty
        }
    }

    /// Whether too many writes of other threads lie before those of an errand.
    private func isTooMuch(_ errand: Errand) -> Bool {
        !errand.isAwaited && errand.write > written + UInt64(MirrorWork.foreignLimit)
    }

    /// The worker's next step; with ``Step/handOver(_:)`` and ``Step/end`` it stops being the worker.
    mutating func nextStep(of errand: inout Errand) -> Step {
        if !waiting.isEmpty, !isUnread || !isReadDue, !errand.yields || waiters.isEmpty {
            let count = writeCount(for: &errand)
            if count > 0 { return takeWrites(count, for: &errand) }
        }
        isReadDue = false
        if isUnread, answered < errand.request || (!errand.yields || waiters.isEmpty) && errand.takesOver() {
            defer { (unread, readBeside) = (.named([]), .named([])) }
            return .read(unread, answering: requests)
        }
        defer { waiters = [] }
        let isDone = waiting.isEmpty && !isUnread
        duty = isDone ? .idle : .scheduled
        return isDone ? .end(waiters) : .handOver(waiters)
    }

    /// How many of the waiting writes the worker performs next.
    private func writeCount(for errand: inout Errand) -> Int {
        var count = 0
        for write in waiting {
            let isOwn = written + UInt64(count) < errand.write || write.thread == errand.thread
            guard isOwn || errand.takesOver() else { break }
            count += 1
        }
        return count
    }

    private mutating func takeWrites(_ count: Int, for errand: inout Errand) -> Step {
        let writes = Array(waiting.prefix(count))
        waiting.removeFirst(count)
        // A removed value may uncover one below it in the source.
        let removed = writes.reduce(into: ObservedKeys.named([])) { $0.formUnion($1.batch.keys(onlyRemoved: true)) }
        if !removed.isEmpty {
            let request = ask(for: removed)
            if written < errand.write { errand.request = request }
        }
        isReadDue = true
        inFlight = writes
        return .write(writes)
    }

    /// Requests a read of the source.
    ///
    /// - Returns: The number of the request.
    mutating func ask(for keys: ObservedKeys) -> UInt64 {
        unread.formUnion(keys)
        requests += 1
        return requests
    }

    /// Notes that a step is done.
    ///
    /// - Returns: The threads that wait for it.
    mutating func finish(_ step: Step, of errand: Errand) -> [DispatchSemaphore] {
        switch step {
        case .write(let writes):
            written += UInt64(writes.count)
            inFlight = []
        case .read(_, let request):
            // Where another thread has read beside, one of the two reads was the later one; a third one tells.
            if readBeside.isEmpty { answered = request } else { _ = ask(for: readBeside) }
            if errand.yields { return [] }
        case .handOver, .end: return []
        }
        defer { waiters = [] }
        return waiters
    }
}

extension PropertyListBatch {
    /// The keys that the batch writes, or only those that it removes.
    func keys(onlyRemoved: Bool) -> ObservedKeys {
        operations.reduce(into: .named([])) { keys, operation in
            switch operation {
            case .set where onlyRemoved: break
            case .set(_, let key), .remove(let key): keys.formUnion(.named([UTF8Text(key)]))
            case .removeAll: keys = .all
            }
        }
    }
}

extension ObservedKeys {
    var isEmpty: Bool { self == .named([]) }

    func contains(_ key: String) -> Bool {
        guard case .named(let names) = self else { return true }
        return names.contains(key)
    }

    /// These keys without others.
    func subtracting(_ other: ObservedKeys) -> ObservedKeys {
        switch (self, other) {
        case (_, .all): .named([])
        case (.all, .named): .all
        case (.named(let own), .named(let others)): .named(own.subtracting(others))
        }
    }

    mutating func formUnion(_ other: ObservedKeys) {
        guard case .named(var own) = self, case .named(let others) = other else { return self = .all }
        self = .all  // Releases the second reference, so that the names are changed in place.
        own.formUnion(others)
        self = .named(own)
    }
}

#if Etcd
@_spi(StoreAuthors) internal import KeyspanCore
internal import KeyspanFileStore

/// How batches are applied: in memory with a transaction that follows, or in the cluster before memory shows them.
extension ClusterEngine {
    /// Applies a batch.
    ///
    /// Blocks the thread if the batch waits for the cluster.
    func apply(_ batch: PropertyListBatch) throws(StoreError) {
        try reportingConflicts { () throws(StoreError) in
            if case .background(let limit) = options.writes, !batch.hasBindingExpectations {
                try applyInMemory(batch, limit: limit)
            } else {
                try commit(batch)
            }
        }
    }

    /// Applies a batch, and delivers what readers see then.
    private func reportingConflicts(_ apply: () throws(StoreError) -> Void) throws(StoreError) {
        // Also after a failure: another batch of this thread may have been shown meanwhile.
        defer { contents.deliver() }
        do throws(StoreError) {
            try apply()
        } catch {
            if error.code == .conflict {
                activity.note(.conflict)
                deliverActivity()
            }
            throw error
        }
    }

    /// Applies a batch and waits until the cluster has committed it and everything before it.
    func commitDurably(_ batch: PropertyListBatch) throws(StoreError) {
        guard batch.hasEffect else { return try synchronize() }
        // In order after all writes that wait, and with an outcome of its own: what becomes of those is not the caller's.
        try reportingConflicts { () throws(StoreError) in try commit(batch) }
    }

    /// Lets the writer of a batch that met another one in the cluster wait a random time before it repeats the batch, longer with each
    /// conflict since the last batch that had none: writers of one key on many machines would otherwise meet again and again.
    private func pauseAfterConflict() {
        // Before the pause, in which nobody else would call the observers of this thread.
        contents.deliver()
        LockPatience.stopThread(for: conflicts.withLock { $0.next() })
    }

    private func applyInMemory(_ batch: PropertyListBatch, limit: Int) throws(StoreError) {
        let writes = try checkedWrites(of: batch)
        let operations = options.maximumOperations - 1
        let bytes = options.maximumRequestSize - ClusterWrites.framing
        let isApplied = try contents.commit(
            batch,
            store: name,
            unless: {
                state.read { state in
                    state.isReleased || state.isClosed
                        || state.queue.pendingKeys(with: writes, operations: operations, bytes: bytes) > limit
                }
            },
            recording: { _, _, _ in
                state.change { state in
                    state.queue.append(writes, operations: operations, bytes: bytes)
                    state.status.pendingKeys = state.queue.pendingKeys
                }
            }
        )
        if !isApplied {
            let (isOver, failure) = state.read { ($0.isReleased || $0.isClosed, $0.failure) }
            throw isOver ? .closed(store: name) : .tooManyPending(limit, store: name, failure)
        }
        publishStatus()
    }

    /// Sends a batch and waits until the cluster has committed it and readers see it.
    private func commit(_ batch: PropertyListBatch) throws(StoreError) {
        let writes = try checkedWrites(of: batch)
        var expected: TextDictionary<PropertyListValue?> = [:]
        // With the state in which the writer read the values, memory has decided what their later change means.
        try contents.inspect { (table) throws(StoreError) in
            if let key = contents.keyOfLostNote(of: batch) { throw .conflict(key: key, store: name) }
            var checked = batch
            if batch.hasBindingExpectations {
                let read = batch.expectations.map { ($0.key, $0.value) } + batch.notedKeys.map { ($0, table[$0]) }
                for (key, value) in read {
                    // No state has two values of one key.
                    if let other = expected.updateValue(value, forKey: key), other != value {
                        throw .conflict(key: key, store: name)
                    }
                }
                checked.expectNothing()
            }
            var table = table
            _ = try table.apply(checked, store: name)
        }
        if batch.isEmpty, expected.isEmpty { return }
        let expectations = expected.map { ClusterCommit.Expectation(name: $0.key, value: $0.value) }
        let limit = options.maximumOperations - 1
        if expectations.count > limit { throw .tooManyOperations(expectations.count, limit: limit, store: name) }
        let commit = ClusterCommit(expecting: expectations, isQuiet: batch.isQuietNow)
        let id: UInt64? = state.change { state in
            state.isReleased || state.isClosed ? nil : state.queue.append(writes, for: commit)
        }
        guard let id else { throw .closed(store: name) }
        do throws(StoreError) {
            try (commit.wait(upTo: options.timeout) ?? abandon(id, commit)).get()
            conflicts.withLock { $0.reset() }
        } catch {
            if error.isRepeatable { pauseAfterConflict() }
            throw error
        }
    }

    /// The writes of a batch, if one transaction can have them.
    private func checkedWrites(of batch: PropertyListBatch) throws(StoreError) -> ClusterWrites {
        // Names and nesting first: a text cannot be made of every value.
        var (scratch, unconditional) = (PropertyListTable(), batch)
        unconditional.expectNothing()
        _ = try scratch.apply(unconditional, store: name)
        let writes = ClusterWrites(batch, in: space)
        for name in writes.names where KeySpace.isReserved(name) { throw .reservedName(name, store: self.name) }
        let unreadable = state.read { state in
            state.mirror.flatMap { mirror in writes.writtenNames.first(where: mirror.isUnreadable) }
        }
        if let unreadable { throw .unreadableEntry(unreadable, store: name) }
        let limit = options.maximumOperations - 1
        let count =
            writes.pending.removesAll
            ? state.read { writes.plan(in: space, over: $0.mirror).operationCount } : writes.count
        if count > limit { throw .tooManyOperations(count, limit: limit, store: name) }
        // Twice for the keys of expectations: for the comparison and for the answer if it does not hold.
        let expected = batch.restedKeys.reduce(0) { $0 + 2 * ($1.utf8.count + space.prefix.count + 48) }
        let size = ClusterWrites.framing + writes.size + expected
        if size > options.maximumRequestSize {
            let limit = options.maximumRequestSize
            throw .tooManyBytes(size, limit: limit, key: writes.largestName, store: name)
        }
        return writes
    }

    /// Ends the waiting for a batch whose time is over.
    private func abandon(_ id: UInt64, _ commit: ClusterCommit) -> Result<Void, StoreError> {
        enum Stand {
            case committed
            case isOver
            case neverSent(CallError?)
            case overtaken
            case unknown(CallError?)
        }
        let stand: Stand = state.change { state in
            guard let flight = state.flight, flight.entry == id else {
                return state.queue.remove(id) == nil ? .isOver : .neverSent(state.failure)
            }
            if flight.isClaimed { return .isOver }
            state.flight?.isAbandoned = true
            if flight.revision != nil { return .committed }
            guard flight.unknownAttempts == 0 else { return .unknown(state.failure) }
            state.queue.remove(id)
            return flight.isOvertaken ? .overtaken : .neverSent(state.failure)
        }
        switch stand {
        case .committed: commit.resolve(.failure(.notShown(store: name, timeout: options.timeout)))
        // Its outcome is known, and about to be told.
        case .isOver: return commit.wait()
        case .neverSent(let error):
            commit.resolve(.failure(.unreachable(store: name, timeout: options.timeout, error)))
        case .overtaken: commit.resolve(.failure(.overtaken(store: name, timeout: options.timeout)))
        case .unknown(let error):
            commit.resolve(.failure(.outcomeUnknown(store: name, timeout: options.timeout, error)))
        }
        return commit.wait()
    }

    /// Waits until the cluster has committed all writes that readers see.
    func synchronize() throws(StoreError) {
        let (last, present) = state.read { ($0.queue.entries.last { $0.commit == nil }?.number ?? 0, $0.refusals) }
        _ = state.block(upTo: options.timeout) { $0.isClosed || $0.queue.finished >= last }
        let (refusal, failure, isSent): (StoreError?, StoreError?, Bool) = state.change { state in
            // A refusal that nobody has heard of, or that happened while this caller waited; others may have heard of that.
            let isNews = state.hasUnheardRefusal || state.refusals > present
            state.hasUnheardRefusal = false
            let failure = state.failure.map { StoreError.unreachable(store: name, timeout: options.timeout, $0) }
            return (
                isNews ? state.lastRefusal : nil, failure ?? (state.isClosed ? .closed(store: name) : nil),
                state.queue.finished >= last
            )
        }
        if let refusal { throw refusal }
        if !isSent {
            throw .notDurable(failure ?? .unreachable(store: name, timeout: options.timeout, nil), store: name)
        }
    }
}

// MARK: - Outcomes

extension ClusterEngine {
    /// Ends a batch that the cluster has committed.
    ///
    /// Readers see it already, because the mirror has come so far, or because they saw it from the beginning.
    func finish(_ entry: WriteQueue.Entry, committedAt revision: Int64, in epoch: Int) {
        let isAhead = state.change { state in
            guard entry.commit == nil, epoch == state.epoch, (state.mirror?.revision ?? 0) < revision else {
                return false
            }
            state.queue.acknowledge(entry.id, at: revision)
            state.status.pendingKeys = state.queue.pendingKeys
            return true
        }
        if !isAhead { uncover(entry) }
        entry.commit?.resolve(.success(()))
        publishStatus()
    }

    /// Removes writes from the queue, and shows what the cluster has in their place.
    private func uncover(_ entry: WriteQueue.Entry) {
        contents.merge(deliveringInBackground: true) { table in
            state.change { state in
                guard let entry = state.queue.remove(entry.id) else { return [] }
                state.status.pendingKeys = state.queue.pendingKeys
                return state.show(TableDelta(), uncovering: [entry.writes], in: &table)
            }
        }
        contents.deliver()
    }

    /// Forgets a batch for which nobody waits.
    func drop(_ entry: WriteQueue.Entry) {
        _ = state.change { $0.queue.remove(entry.id) }
    }

    /// Ends a batch that the cluster has refused; a value that readers saw already goes back.
    func refuse(_ entry: WriteQueue.Entry, _ error: StoreError) {
        if let commit = entry.commit {
            commit.resolve(.failure(error))
            return drop(entry)
        }
        state.change { state in
            state.refusals += 1
            // A refusal that may have taken effect is not hidden by others.
            if !state.hasUnheardRefusal || state.lastRefusal?.code != .outcomeUnknown { state.lastRefusal = error }
            state.hasUnheardRefusal = true
        }
        uncover(entry)
        activity.note(.saveFailed)
        deliverActivity()
        report([.writeRefused(keys: entry.writes.names, store: name, error)])
        publishStatus()
    }
}

extension PropertyListTable {
    /// The changes that make another table of this one.
    func differences(to other: PropertyListTable) -> [PropertyListChange.Entry] {
        var entries: [PropertyListChange.Entry] = []
        forEachDifference(to: other) { key, old, new in
            entries.append(.init(key: key, old: old, new: new))
            return true
        }
        return entries
    }
}

extension PropertyListBatch {
    /// The keys of which the batch expects that they are in the noted state.
    fileprivate var notedKeys: [String] {
        Array(restedKeys.dropFirst(expectations.count))
    }
}
#endif

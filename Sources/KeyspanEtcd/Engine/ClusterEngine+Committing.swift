#if Etcd
internal import Dispatch
@_spi(StoreAuthors) internal import KeyspanCore

/// How batches are applied: in memory with a transaction that follows, or in the cluster before memory shows them.
extension ClusterEngine {
    /// Applies a batch.
    ///
    /// Blocks the thread if the batch waits for the cluster.
    func apply(_ batch: PropertyListBatch) throws(StoreError) {
        // Also after a failure: another batch of this thread may have been shown meanwhile.
        defer { contents.deliver() }
        do throws(StoreError) {
            if case .background(let limit) = options.writes, !batch.hasBindingExpectations {
                try applyInMemory(batch, limit: limit)
            } else {
                try commit(batch)
            }
        } catch {
            if error.code == .conflict {
                activity.note(.conflict)
                deliverActivity()
                pauseAfterConflict()
            }
            throw error
        }
    }

    /// Lets the writer of a batch wait a random time before it repeats the batch, longer with each conflict since the last batch that had
    /// none: writers of one key on many machines would otherwise meet again and again.
    private func pauseAfterConflict() {
        let pause = conflicts.withLock { $0.next() }
        _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .nanoseconds(pause.wholeNanoseconds))
    }

    private func applyInMemory(_ batch: PropertyListBatch, limit: Int) throws(StoreError) {
        let writes = try checkedWrites(of: batch)
        let operations = options.maximumOperations - 1
        let bytes = options.maximumRequestSize
        let isApplied = try contents.commit(
            batch,
            store: name,
            unless: { state.read { $0.isClosed || $0.queue.pendingKeys + writes.count > limit } },
            recording: { _ in
                state.change { state in
                    state.queue.append(writes, operations: operations, bytes: bytes)
                    state.status.pendingKeys = state.queue.pendingKeys
                }
            }
        )
        guard isApplied else { throw .tooManyPending(limit, store: name, state.read { $0.failure }) }
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
        let number: UInt64? = state.change { $0.isClosed ? nil : $0.queue.append(writes, for: commit) }
        guard let number else { throw .unreachable(store: name, timeout: .zero, nil) }
        try (commit.wait(upTo: options.timeout) ?? abandon(number, commit)).get()
        conflicts.withLock { $0.reset() }
    }

    /// The writes of a batch, if one transaction can have them.
    private func checkedWrites(of batch: PropertyListBatch) throws(StoreError) -> ClusterWrites {
        let writes = ClusterWrites(batch)
        for name in writes.names where name.utf8.starts(with: KeySpace.reserved.utf8) {
            throw .reservedName(name, store: self.name)
        }
        let unreadable = state.read { state in
            state.mirror.flatMap { mirror in writes.writtenNames.first(where: mirror.isUnreadable) }
        }
        if let unreadable { throw .unreadableEntry(unreadable, store: name) }
        let limit = options.maximumOperations - 1
        if writes.count > limit { throw .tooManyOperations(writes.count, limit: limit, store: name) }
        if writes.size > options.maximumRequestSize {
            let limit = options.maximumRequestSize
            throw .tooManyBytes(writes.size, limit: limit, key: writes.largestName, store: name)
        }
        return writes
    }

    /// Ends the waiting for a batch whose time is over.
    private func abandon(_ number: UInt64, _ commit: ClusterCommit) -> Result<Void, StoreError> {
        enum Stand {
            case committed
            case isOver
            case neverSent(CallError?)
            case unknown(CallError?)
        }
        let stand: Stand = state.change { state in
            guard let flight = state.flight, flight.entry == number else {
                return state.queue.remove(number) ? .neverSent(state.failure) : .isOver
            }
            state.flight?.isAbandoned = true
            if flight.revision != nil { return .committed }
            guard flight.unknownAttempts == 0 else { return .unknown(state.failure) }
            state.queue.remove(number)
            return .neverSent(state.failure)
        }
        switch stand {
        case .committed: commit.resolve(.failure(.notShown(store: name, timeout: options.timeout)))
        // An entry that is gone without an outcome is one that the mirror has.
        case .isOver: commit.resolve(.success(()))
        case .neverSent(let error):
            commit.resolve(.failure(.unreachable(store: name, timeout: options.timeout, error)))
        case .unknown(let error):
            commit.resolve(.failure(.outcomeUnknown(store: name, timeout: options.timeout, error)))
        }
        return commit.outcome ?? .success(())
    }

    /// Waits until the cluster has committed all writes that readers see.
    func synchronize() throws(StoreError) {
        let last = state.read { $0.queue.entries.last { $0.commit == nil }?.number }
        let isDone = last.map { last in
            state.block(upTo: options.timeout) { $0.isClosed || $0.queue.finished >= last }
        }
        let (refusal, failure, isClosed) = state.change { state in
            defer { state.refusal = nil }
            return (state.refusal, state.failure, state.isClosed)
        }
        if let refusal { throw .notDurable(refusal, store: name) }
        if isDone == false || (isClosed && last != nil) {
            throw .notDurable(.unreachable(store: name, timeout: options.timeout, failure), store: name)
        }
    }
}

// MARK: - Outcomes

extension ClusterEngine {
    /// Ends a batch that the cluster has committed.
    ///
    /// Readers see it already, because the mirror has come so far, or because they saw it from the beginning.
    func finish(_ entry: WriteQueue.Entry, committedAt revision: Int64) {
        state.change { state in
            if entry.commit == nil, (state.mirror?.revision ?? 0) < revision {
                state.queue.acknowledge(entry.number, at: revision)
            } else {
                state.queue.remove(entry.number)
            }
            state.status.pendingKeys = state.queue.pendingKeys
        }
        entry.commit?.resolve(.success(()))
        publishStatus()
    }

    /// Forgets a batch for which nobody waits.
    func drop(_ entry: WriteQueue.Entry) {
        _ = state.change { $0.queue.remove(entry.number) }
    }

    /// Ends a batch that the cluster has refused; a value that readers saw already goes back.
    func refuse(_ entry: WriteQueue.Entry, _ error: StoreError) {
        if let commit = entry.commit {
            commit.resolve(.failure(error))
            return drop(entry)
        }
        contents.merge(deliveringInBackground: true) { table in
            state.change { state in
                state.queue.remove(entry.number)
                state.refusal = state.refusal ?? error
                state.status.pendingKeys = state.queue.pendingKeys
                let visible = state.queue.visible(over: state.base)
                defer { table = visible }
                return table.differences(to: visible)
            }
        }
        contents.deliver()
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

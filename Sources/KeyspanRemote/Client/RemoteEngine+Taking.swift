#if Remote
@_spi(StoreAuthors) internal import KeyspanCore

// MARK: - Taking documents

extension RemoteEngine {
    /// Takes a verified document, and lets its values come into force if they may.
    ///
    /// - Parameters:
    ///   - version: The document.
    ///   - isAssignment: Whether the server has assigned its group to the client.
    /// - Returns: Whether there are other values than before.
    func take(_ version: RemoteVersion, isAssignment: Bool = false) async throws(RemoteStoreError) -> Bool {
        let isNew = try keep(version)
        noteProof(isAssignment: isAssignment)
        await bringIntoForce()
        return isNew
    }

    /// Writes the cache, and lets the fetched version come into force if it may at once.
    ///
    /// Another task may have fetched the version, and not have got that far yet.
    func bringIntoForce() async {
        while true {
            let count = state.withLock(\.fetchedCount)
            await writeCache()
            // A version that came meanwhile is perhaps not written yet.
            guard state.withLock(\.fetchedCount) == count else { continue }
            if options.activation == .immediately { activate(inBackground: true, count: count) }
            if state.withLock(\.fetchedCount) == count { break }
        }
        noteContents()
    }

    /// Keeps a document as the fetched one, unless it is older.
    ///
    /// - Returns: Whether it has other values.
    private func keep(_ new: RemoteVersion) throws(RemoteStoreError) -> Bool {
        let (isNew, known) = state.withLock { state -> (Bool, RemoteVersion?) in
            let known = state.fetched
            if let known, new.isOlder(than: known) { return (false, known) }
            // Someone on the way can repeat a document, which must not be written to the disk again and again.
            if known?.includes(new) == true { return (false, nil) }
            let version = known.map(new.following) ?? new
            state.fetched = version
            state.fetchedCount += 1
            // The values in force are the same, so that their revision can rise with this.
            if state.active?.state == version.state { state.active = version }
            return (known?.state != version.state, nil)
        }
        guard let known else { return isNew }
        if new.rank < known.rank {
            let key = verifier.keys[known.rank].id
            let reason = "the message is signed with a key before \(key), of which the client has seen a message"
            let remedy = "sign with \(key) on all servers, or look for a cache that keeps old responses"
            throw RemoteStoreError(.revokedKey, reason, remedy)
        }
        let reason = "the message has revision \(new.words), and the client has seen \(known.words)"
        let remedy =
            "look for a cache that keeps old responses, or sign with a new key if the larger revision was wrong"
        throw RemoteStoreError(.olderRevision, reason, remedy)
    }

    /// Notes that the server has proved which values are the present ones: by a verified document, or by saying that the
    /// client has it.
    func noteProof(isAssignment: Bool) {
        state.withLock { state in
            if isAssignment { (state.assigned, state.isAssignmentFailing) = (clock.now(), false) }
            (state.lastProof, state.lastError) = (clock.date(), nil)
            state.reported = []
        }
        activity.noteReading()
    }

    /// Notes and reports a failure, unless one of its kind was reported since the last success.
    func note(_ error: RemoteStoreError) {
        let isNew = state.withLock { state in
            state.lastError = error
            return !state.isClosed && state.reported.insert(error.kind).inserted
        }
        activity.noteStaleness()
        if isNew { error.report() }
    }

    /// Reports a failure of something beside the requests, unless it was reported since that last succeeded.
    func report(_ error: RemoteStoreError, once isReported: WritableKeyPath<State, Bool>) {
        let isNew = state.withLock { state in
            defer { state[keyPath: isReported] = true }
            return !state.isClosed && !state[keyPath: isReported]
        }
        if isNew { error.report() }
    }

    /// Notes whether the values in force are those of the server.
    func noteContents() {
        let isInForce = state.withLock { $0.active?.state == $0.fetched?.state }
        if isInForce, reading.withLock({ $0.isComplete }) {
            activity.noteAcceptance()
        } else {
            activity.noteStaleness()
        }
        activity.deliver()
    }
}

// MARK: - Coming into force

extension RemoteEngine {
    /// Lets the fetched values come into force as one change.
    ///
    /// - Parameters:
    ///   - isInBackground: Whether other threads call the observers, because this one only brought the values.
    ///   - count: The number of the version that is meant, if only that one is.
    /// - Returns: Whether there were fetched values that were not in force.
    @discardableResult
    func activate(inBackground isInBackground: Bool, count: Int? = nil) -> Bool {
        // A rule is not called within itself.
        if examination.isRunningOnThisThread { return false }
        let start = activity.start
        var errors: [RemoteStoreError] = []
        var isChange: Bool?
        repeat {
            let (version, active, present) = state.withLock { ($0.fetched, $0.active, $0.fetchedCount) }
            guard let version, count ?? present == present, version.state != active?.state else {
                return false
            }
            // Rules and bridges of the program run without the lock. They run again if another version came first.
            var new = reading.withLock(\.self)
            errors = examination.run { new.read(version, after: active) }
            isChange = exchange(new, of: version, inBackground: isInBackground)
        } while isChange == nil
        contents.deliver()
        if isChange == true { activity.noteReload(since: start) }
        if !errors.isEmpty { activity.note(.rejected) }
        for error in errors { error.report() }
        return true
    }

    /// Lets the values of a reading come into force.
    ///
    /// - Returns: Whether there are others than before; `nil` if another reading came first, so that nothing happened.
    private func exchange(
        _ new: RemoteReading,
        of version: RemoteVersion,
        inBackground isInBackground: Bool
    ) -> Bool? {
        reading.withLock { reading in
            let isLatest = state.withLock { $0.fetched?.tag == version.tag }
            guard isLatest, new.follows(reading) else { return nil }
            reading = new
            contents.merge(deliveringInBackground: isInBackground) { table in
                table = new.table
                return new.changes
            }
            state.withLock { $0.active = version }
            return !new.changes.isEmpty
        }
    }

    /// Does what ``RemoteStore/activate()`` promises.
    func activateNow() -> Bool {
        guard activate(inBackground: false) else { return false }
        noteContents()
        Task { await writeCache() }
        return true
    }
}
#endif

#if Remote || canImport(CryptoKit)
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
@_spi(StoreAuthors) internal import KeyspanCore

// MARK: - Taking messages

extension RemoteEngine {
    /// The effect of a message.
    enum Outcome {
        /// There are other values than before.
        case new
        /// The client has these values already.
        case known
        /// The message is a change that is not newer than the client, so that it confirms nothing.
        case repeated
        /// The client cannot tell from the change which values the server has now.
        case needsDocument
    }

    /// Takes a verified message, and lets its values come into force if they may.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - bytes: Its text.
    ///   - entityTag: The entity tag of the response, for the next request.
    func take(
        _ message: SettingsMessage,
        _ bytes: [UInt8],
        entityTag: String? = nil
    ) async throws(RemoteStoreError) -> Outcome {
        let outcome = try note(message, bytes, entityTag)
        switch outcome {
        case .repeated, .needsDocument: return outcome
        case .new, .known: break
        }
        noteContact(at: parameters.now())
        await bringIntoForce()
        return outcome
    }

    /// Writes the cache if the fetched version is newer than that of the cache, and lets it come into force if it may at
    /// once.
    ///
    /// Another task may have fetched the version, and not have got that far yet.
    func bringIntoForce() async {
        while true {
            let (count, isCached, isInForce) = state.withLock { state in
                let active = options.activation == .immediately ? state.active : state.fetched
                let isInForce = active?.position.state == state.fetched?.position.state
                return (state.fetchedCount, state.cachedCount == state.fetchedCount, isInForce)
            }
            if isCached, isInForce { writeConfirmationSoon() } else { await writeCache() }
            // A version that came meanwhile is perhaps not written yet.
            guard state.withLock(\.fetchedCount) == count else { continue }
            if !isInForce { activate(inBackground: true, count: count) }
            if state.withLock(\.fetchedCount) == count { break }
        }
        noteContents()
    }

    private func note(
        _ message: SettingsMessage,
        _ bytes: [UInt8],
        _ entityTag: String?
    ) throws(RemoteStoreError) -> Outcome {
        // An event has no line feed at its end, and the cache needs one.
        let kept = cache == nil ? nil : bytes.last == UInt8(ascii: "\n") ? bytes : bytes + [UInt8(ascii: "\n")]
        let revision = message.revision
        let (outcome, refused) = state.withLock { state -> (Outcome, RemoteStoreError?) in
            var version: RemoteVersion
            let isSame = state.fetched?.position.state == message.state
            switch message.kind {
            case .document:
                state.needsDocument = false
                if let fetched = state.fetched, fetched.isNoOlder(than: message) {
                    let known = fetched.position.revision
                    if !isSame { return (.known, .olderRevision(revision, than: known, store: name)) }
                    // Another server can have numbered the same values a little earlier.
                    state.fetched?.renew(until: message.validity.upperBound)
                    state.entityTag = entityTag ?? state.entityTag
                    return (.known, nil)
                }
                version = RemoteVersion(document: message, kept)
                state.entityTag = entityTag
            case .change(let base, _):
                guard let fetched = state.fetched else { return (.needsDocument, nil) }
                if revision <= fetched.position.revision {
                    // This is an old change that was undone later, or a new one of a server whose clock is behind. Only
                    // the document tells which: it is newer in the first case, and refused as older in the second one.
                    return (base == fetched.position.state && !isSame ? .needsDocument : .repeated, nil)
                }
                if isSame { return (.known, nil) }
                guard let changed = fetched.applying(message, kept),
                    changed.size <= 2 * options.maximumSize, changed.messages.count <= maximumChain
                else { return (.needsDocument, nil) }
                version = changed
                state.entityTag = nil
            }
            state.fetched = version
            state.fetchedCount += 1
            // The values in force are the same, so that their revision can rise with this.
            if state.active?.position.state == message.state { state.active = version }
            return (isSame ? .known : .new, nil)
        }
        if let refused { throw refused }
        return outcome
    }

    /// Notes that the server has confirmed the fetched version, or has sent another one.
    func noteContact(at now: Date) {
        state.withLock { state in
            (state.confirmed, state.lastContact) = (now, .now)
            (state.lastError, state.retryAfter) = (nil, nil)
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
        if isNew { Defaults.Problem.storeNotice(name: name, notice: error).report() }
    }

    /// Notes whether the values in force are those of the server.
    func noteContents() {
        let isInForce = state.withLock { $0.active?.position.state == $0.fetched?.position.state }
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
            guard let version, count ?? present == present, version.position.state != active?.position.state else {
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
        for error in errors { Defaults.Problem.storeNotice(name: name, notice: error).report() }
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
            let isLatest = state.withLock { $0.fetched?.position == version.position }
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
        writeCacheSoon()
        return true
    }
}
#endif

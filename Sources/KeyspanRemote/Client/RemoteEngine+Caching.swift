#if Remote
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
@_spi(StoreAuthors) internal import KeyspanCore

// The cache file of a store.
extension RemoteEngine {
    /// Starts from the file, as its state and the options allow.
    func readCache() {
        guard let cache else { return }
        do {
            guard let content = try cache.read(), let bytes = content.fetched else { return }
            let fetched = try verifier.version(bytes, for: endpoint.namedGroup, at: nil)
            let active = try content.active.map { bytes throws(RemoteStoreError) in
                try verifier.version(bytes, for: endpoint.namedGroup, at: nil)
            }
            state.withLock { state in
                (state.fetched, state.lastProof, state.savedProof) = (fetched, content.lastProof, content.lastProof)
            }
            guard options.activation == .manually else {
                activate(inBackground: false)
                return
            }
            guard let active else { return }
            state.withLock { $0.fetched = active }
            activate(inBackground: false)
            state.withLock { $0.fetched = fetched }
        } catch let error as RemoteStoreError where error.kind == .wrongGroup {
            // The program was assigned to another group before: its values are not for this one.
        } catch {
            note(.cacheFailed(error, store: name))
        }
    }

    /// The contents of the file, where the versions that another process has written are kept if they are newer.
    private func cacheContent(beside other: RemoteCache.Content?) -> RemoteCache.Content? {
        let now = state.withLock { $0 }
        guard let fetched = now.fetched else { return nil }
        // Written before the values come into force, so that a restart does not bring older ones back.
        let active = options.activation == .immediately ? fetched : now.active
        var content = RemoteCache.Content(active: active?.bytes, fetched: fetched.bytes, lastProof: now.lastProof)
        guard let other, let theirs = version(of: other.fetched) else { return content }
        if fetched.isOlder(than: theirs) { (content.fetched, content.lastProof) = (other.fetched, other.lastProof) }
        if let theirActive = version(of: other.active), active?.isOlder(than: theirActive) ?? true {
            content.active = other.active
        }
        return content
    }

    private func version(of bytes: [UInt8]?) -> RemoteVersion? {
        bytes.flatMap { try? verifier.version($0, for: endpoint.namedGroup, at: nil) }
    }

    /// Writes the file, and returns when it is written, also if the task is canceled; never blocks a thread of the
    /// cooperative pool.
    func writeCache() async {
        if cache != nil { await writeCacheSoon().value }
    }

    /// Writes the file in the background.
    ///
    /// - Returns: The task that reports a failure; it ends when the file is written.
    @discardableResult
    func writeCacheSoon() -> Task<Void, Never> {
        let errors = startWriting()
        return Task { [name] in
            for await error in errors { error.report(of: name) }
        }
    }

    /// Writes the file in the background because the server has proved the values; at most once an hour.
    func writeProofSoon() {
        let isDue = state.withLock { state -> Bool in
            guard let saved = state.savedProof, let proof = state.lastProof else { return true }
            return abs(proof.timeIntervalSince(saved)) >= 3_600
        }
        if isDue { writeCacheSoon() }
    }

    /// Starts to write the file.
    ///
    /// - Returns: The error to report, and the end when the file is written.
    private func startWriting() -> AsyncStream<RemoteStoreError> {
        let (errors, continuation) = AsyncStream.makeStream(of: RemoteStoreError.self)
        guard let cache else {
            continuation.finish()
            return errors
        }
        let saved = Locked<(proof: Date?, count: Int)>((nil, 0))
        cache.update { [self] other in
            let count = state.withLock(\.fetchedCount)
            let content = cacheContent(beside: other)
            saved.withLock { $0 = (content?.lastProof, count) }
            return content
        } then: { [self] error in
            // Noted on the queue of the cache, so that who waits for it knows, and reported elsewhere: code of the
            // program may wait for the queue.
            let isNew = state.withLock { state in
                defer { state.isCacheFailing = error != nil }
                let saved = saved.withLock(\.self)
                state.savedProof = error == nil ? saved.proof ?? state.savedProof : nil
                if error == nil { state.cachedCount = max(state.cachedCount, saved.count) }
                return !state.isCacheFailing
            }
            if isNew, let error { continuation.yield(.cacheFailed(error, store: name)) }
            continuation.finish()
        }
        return errors
    }

    /// Returns when the cache has what was fetched and activated before.
    func waitForCache() throws(StoreError) {
        cache?.wait()
        if state.withLock(\.isCacheFailing) {
            throw StoreError(
                .notDurable,
                store: name,
                reason: cache == nil ? "the path of the cache file cannot be used" : "the cache file cannot be written",
                remedy: cache == nil
                    ? "make the store with the path of a file"
                    : "make it writable; the store tries again with the next values"
            )
        }
    }
}

extension RemoteStoreError {
    fileprivate func report(of store: String) {
        Defaults.Problem.storeNotice(name: store, notice: self).report()
    }
}
#endif

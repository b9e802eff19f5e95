#if Remote || canImport(CryptoKit)
@_spi(StoreAuthors) internal import KeyspanCore

// The cache file of a store.
extension RemoteEngine {
    /// Starts from the file, as its state and the options allow.
    func readCache() {
        guard let cache else { return }
        do {
            guard let content = try cache.read() else { return }
            let entries = keys.entries
            let active = try verifier.version(of: content.active, entries: entries)
            let fetched =
                content.fetched == content.active ? active : try verifier.version(of: content.fetched, entries: entries)
            guard let fetched, content.active.isEmpty || active != nil else {
                throw RemoteCache.Damage(description: "its messages do not follow each other")
            }
            state.withLock { state in
                (state.fetched, state.entityTag, state.confirmed) = (fetched, content.entityTag, content.confirmed)
            }
            if options.activation == .manually, let active, active.position.state != fetched.position.state {
                state.withLock { $0.fetched = active }
                activate(inBackground: false)
                state.withLock { $0.fetched = fetched }
            } else if options.activation != .manually || active != nil {
                activate(inBackground: false)
            }
        } catch {
            note(.cacheFailed(error, store: name))
        }
    }

    private var cacheContent: RemoteCache.Content? {
        state.withLock { state in
            guard let fetched = state.fetched else { return nil }
            // Written before the values come into force, so that a restart does not bring older ones back.
            let active = options.activation == .immediately ? fetched : state.active
            return RemoteCache.Content(
                active: active?.messages ?? [],
                fetched: fetched.messages,
                entityTag: state.entityTag,
                confirmed: state.confirmed
            )
        }
    }

    /// Writes the file, and returns when it is written.
    func writeCache() async {
        guard let cache else { return }
        let error = await cache.update { [weak self] in self?.cacheContent }
        noteCache(error)
    }

    /// Writes the file in the background.
    func writeCacheSoon() {
        cache?.updateSoon({ [self] in cacheContent }, then: { [weak self] in self?.noteCache($0) })
    }

    private func noteCache(_ error: (any Error)?) {
        let isNew = state.withLock { state in
            defer { state.isCacheFailing = error != nil }
            return error != nil && !state.isCacheFailing
        }
        guard isNew, let error else { return }
        Defaults.Problem.storeNotice(name: name, notice: RemoteStoreError.cacheFailed(error, store: name)).report()
    }

    /// Returns when the cache has what was fetched and activated before.
    func waitForCache() throws(StoreError) {
        cache?.wait()
        if state.withLock(\.isCacheFailing) {
            throw StoreError(
                .notDurable,
                store: name,
                reason: "the cache file cannot be written",
                remedy: "make it writable; the store tries again with the next values"
            )
        }
    }
}
#endif

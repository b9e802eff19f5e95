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
    ///
    /// A document for another group, or of a key that the program no longer has, counts as none.
    func readCache() {
        guard let content = cache?.content, let fetched = version(of: content.fetched) else { return }
        // A clock may have been ahead, or someone has written a time that is none.
        let lastProof = content.lastProof.flatMap { $0.timeIntervalSince(clock.date()) <= 0 ? $0 : nil }
        state.withLock { ($0.fetched, $0.lastProof) = (fetched, lastProof) }
        if options.activation != .manually {
            activate(inBackground: false)
        } else if let active = version(of: content.active) {
            state.withLock { $0.fetched = active }
            activate(inBackground: false)
            state.withLock { $0.fetched = fetched }
        }
    }

    private func version(of document: UTF8Text?, for group: String? = nil) -> RemoteVersion? {
        document.flatMap {
            try? verifier.version(Array($0.wrappedValue.utf8), for: group ?? endpoint.namedGroup, at: nil)
        }
    }

    /// The new contents of the file beside those that another process may have written, of which newer versions are kept.
    ///
    /// - Returns: The contents; `nil` if the file has the same, and the proof of them is less than an hour older.
    private func cacheContent(beside other: RemoteCache.Content?) -> RemoteCache.Content? {
        let now = state.withLock { $0 }
        guard let fetched = now.fetched else { return nil }
        // Written before the values come into force, so that a restart does not bring older ones back.
        let active = options.activation == .immediately ? fetched : now.active
        var content = RemoteCache.Content(active: active?.text, fetched: fetched.text, lastProof: now.lastProof)
        guard let other else { return content }
        if other.fetched != content.fetched, let theirs = version(of: other.fetched, for: fetched.group),
            fetched.isOlder(than: theirs)
        {
            (content.fetched, content.lastProof) = (other.fetched, other.lastProof)
        }
        if other.active != content.active, let theirs = version(of: other.active, for: fetched.group),
            active?.isOlder(than: theirs) ?? true
        {
            content.active = other.active
        }
        let age = content.lastProof.flatMap { proof in other.lastProof.map { abs(proof.timeIntervalSince($0)) } }
        let isOther = (content.active, content.fetched) != (other.active, other.fetched)
        return isOther || age.map { $0 >= 3_600 } ?? true ? content : nil
    }

    /// Writes the file, and returns when it is written, also if the task is canceled; never blocks a thread of the
    /// cooperative pool.
    func writeCache() async {
        guard let cache else { return }
        await BlockingWork.shared.run(for: cache) { try? self.saveCache() }
    }

    /// Writes the file, and reports the first failure of several.
    ///
    /// - Throws: `StoreError` with `notDurable`.
    func saveCache() throws(StoreError) {
        guard let cache else {
            if state.withLock(\.isCacheFailing) { throw notDurable(nil) }
            return
        }
        do throws(StoreError) {
            try cache.save(cacheContent)
            state.withLock { $0.isCacheFailing = false }
        } catch {
            report(.cacheFailed(error, store: name), once: \.isCacheFailing)
            throw notDurable(error)
        }
    }

    private func notDurable(_ error: StoreError?) -> StoreError {
        let remedy = "give the path of a file that can be written; the store tries again with the next values"
        let reason = "the cache file cannot be used"
        return StoreError(.notDurable, store: name, reason: reason, remedy: remedy, underlying: error)
    }
}
#endif

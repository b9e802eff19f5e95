#if Etcd
internal import Dispatch
@_spi(StoreAuthors) internal import KeyspanCore
@_spi(StoreAuthors) internal import KeyspanFileStore

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The file with the last known values of a cluster, from which a store starts without it.
///
/// The file is that of a `JSONFileStore`: the values by their keys, and what belongs to the mirror under names that no key has. Several
/// processes may have it. A save is one batch, which the file store decides under the lock of the file: it changes exactly the contents that
/// its difference was computed from, and leaves a later state of the same cluster.
final class MirrorCache: Sendable {
    /// A state of the cluster's entries.
    struct Content: Sendable {
        let table: PropertyListTable
        let history: History
        /// When the values were those of the cluster.
        let time: Date
        /// The number of the history within the store, which grows when the cluster was replaced.
        var epoch = 0
        /// Whether the store still follows the cluster.
        var isCurrent = false
    }

    /// A cluster and how far it has come.
    struct History: Sendable {
        let cluster: UInt64
        let revision: Int64

        /// Whether a state of a cluster cannot follow this one: the cluster is another one, or was restored from a backup.
        func isReplaced(by later: History) -> Bool { cluster != later.cluster || revision > later.revision }
    }

    private struct Progress {
        /// Whether a save is arranged.
        var isDue = false
        /// The id of the last save of this store.
        var save: String?
        /// The number of the history of that save.
        var epoch = 0
        /// Whether the last save has failed, which was reported.
        var hasFailed = false
        var pauses = Backoff(first: .seconds(1), longest: .seconds(60))
        var find: @Sendable () -> Content? = { nil }
        var report: @Sendable (StoreError) -> Void = { _ in }
    }

    /// How long changes are gathered, because each save compares all values.
    private static let delay = Duration.milliseconds(500)

    let path: String
    /// Why the contents were of no use when the file was opened; `nil` if they were, and for a file without contents.
    let obstacle: String?

    private let store: JSONFileStore
    private let owner: CacheOwner
    private let progress = Locked(Progress())
    private let queue = DispatchQueue(label: "keyspan.etcd.cache")

    /// Opens the file, or begins without values if there is none.
    ///
    /// - Throws: `FileStoreError` if there is a file that cannot be used.
    init(path: String, prefix: String, endpoints: [Endpoint]) throws(FileStoreError) {
        var options = FileStoreOptions()
        // Each save learns what other processes have written.
        (options.namesLeadInside, options.isWatching) = (false, false)
        store = try JSONFileStore(path: path, options: options)
        self.path = store.name
        owner = CacheOwner(prefix: prefix, endpoints: endpoints.map(\.description))
        let table = store.snapshot()
        obstacle = table.isEmpty ? nil : owner.obstacle(in: table)
        MirrorCachesInUse.add(self)
    }

    deinit {
        MirrorCachesInUse.remove(self)
    }

    /// The contents of the file; `nil` if they are not those of this store's prefix and cluster.
    var content: Content? {
        let table = store.snapshot()
        return owner.obstacle(in: table) == nil ? CacheEntries(table)?.content(of: table) : nil
    }

    /// Saves what a closure finds from here on.
    ///
    /// - Parameters:
    ///   - find: Returns the present state; called on any thread, also when the process exits.
    ///   - report: Called with the first of several failures.
    func begin(
        finding find: @escaping @Sendable () -> Content?,
        reporting report: @escaping @Sendable (StoreError) -> Void
    ) {
        progress.withLock { ($0.find, $0.report) = (find, report) }
    }

    /// Arranges a save.
    func update() {
        let isNew = progress.withLock { progress in
            defer { progress.isDue = true }
            return !progress.isDue
        }
        if isNew { arrangeSave(after: Self.delay) }
    }

    private func arrangeSave(after delay: Duration) {
        // Weak, because the end of the store saves by itself.
        queue.asyncAfter(deadline: .now() + .nanoseconds(delay.wholeNanoseconds)) { [weak self] in self?.flush() }
    }

    /// Saves on a thread of its own, for callers that must not wait for the disk.
    func flushInBackground() {
        queue.async { self.flush() }
    }

    /// Saves now, on this thread; a failure is reported, and the save repeated later.
    func flush() {
        let (find, report) = progress.withLock { progress in
            progress.isDue = false
            return (progress.find, progress.report)
        }
        do {
            try save(find)
            progress.withLock { progress in
                progress.hasFailed = false
                progress.pauses.reset()
            }
        } catch {
            let (isNews, pause) = progress.withLock { progress in
                defer { (progress.hasFailed, progress.isDue) = (true, true) }
                return (!progress.hasFailed, progress.isDue ? nil : progress.pauses.next())
            }
            if let pause { arrangeSave(after: pause) }
            if isNews { report(error) }
        }
    }

    private func save(_ find: () -> Content?) throws(StoreError) {
        while true {
            let present = store.snapshot()
            // Found after the contents of the file, so that threads of this process never replace a later state by an earlier one.
            guard let content = find(), mayReplace(CacheEntries(present), by: content) else { return }
            let entries = CacheEntries(of: content)
            var target = content.table
            owner.write(to: &target)
            entries.write(to: &target)
            var batch = PropertyListBatch()
            for name in CacheEntries.names { batch.expect(present[name], forKey: name) }
            present.forEachDifference(to: target) { key, _, value in
                batch.set(value, forKey: key)
                return true
            }
            do throws(StoreError) {
                try store.apply(batch)
            } catch {
                // Another process has written, and memory has its contents now.
                if error.isRepeatable { continue }
                throw error
            }
            progress.withLock { ($0.save, $0.epoch) = (entries.save, max($0.epoch, content.epoch)) }
            return
        }
    }

    /// Whether a state may take the place of that in the file.
    private func mayReplace(_ file: CacheEntries?, by content: Content) -> Bool {
        guard let file else { return true }
        let (save, epoch) = progress.withLock { ($0.save, $0.epoch) }
        if content.history.cluster == file.history.cluster, content.epoch == epoch {
            if content.history.revision < file.history.revision { return false }
            // The state is the same, and only its time may be worth a save.
            if content.history.revision == file.history.revision, content.time < file.time.addingTimeInterval(1) {
                return false
            }
        }
        // A store without its cluster does not know whether that was restored, as a process that wrote meanwhile may.
        return content.isCurrent || file.save == save || file.time <= content.time
    }
}

/// The prefix and the members of the cluster that a file belongs to.
private struct CacheOwner: Sendable {
    let prefix: String
    let endpoints: [String]

    private static let prefixName = "\(KeySpace.reserved)prefix"
    private static let endpointsName = "\(KeySpace.reserved)endpoints"
    static let names = [prefixName, endpointsName]

    func write(to table: inout PropertyListTable) {
        table[Self.prefixName] = .string(prefix)
        table[Self.endpointsName] = .array(endpoints.map { .string($0) })
    }

    /// Why a store must not start with the contents of a file; `nil` if it may.
    ///
    /// One common endpoint is enough, because members are replaced one by one.
    func obstacle(in table: PropertyListTable) -> String? {
        guard case .string(let prefix)? = table[Self.prefixName], prefix.hasSameUTF8(as: self.prefix) else {
            return "is not that of this prefix"
        }
        guard case .array(let endpoints)? = table[Self.endpointsName], CacheEntries(table) != nil else {
            return "does not say which cluster it is of"
        }
        let isCommon = endpoints.contains { endpoint in
            guard case .string(let endpoint) = endpoint else { return false }
            return self.endpoints.contains { $0.hasSameUTF8(as: endpoint) }
        }
        return isCommon ? nil : "is that of a cluster with other endpoints"
    }
}

/// The entries of the file that say which state it has.
private struct CacheEntries {
    let history: MirrorCache.History
    let time: Date
    /// A number of the save by chance, which no other save has.
    let save: String?

    private static let clusterName = "\(KeySpace.reserved)cluster"
    private static let revisionName = "\(KeySpace.reserved)revision"
    private static let timeName = "\(KeySpace.reserved)time"
    private static let saveName = "\(KeySpace.reserved)save"
    static let names = [clusterName, revisionName, timeName, saveName]

    /// Makes the entries of a save.
    init(of content: MirrorCache.Content) {
        (history, time) = (content.history, content.time)
        save = String(UInt64.random(in: .min ... .max), radix: 36)
    }

    /// Reads the entries; `nil` if they are not those of a cluster.
    init?(_ table: PropertyListTable) {
        // As etcd writes it in its log: JSON of other programs has no number that large.
        guard case .string(let text)? = table[Self.clusterName], let cluster = UInt64(text, radix: 16),
            case .integer(let number)? = table[Self.revisionName], let revision = number.int64,
            case .date(let time)? = table[Self.timeName]
        else { return nil }
        (history, self.time) = (MirrorCache.History(cluster: cluster, revision: revision), time)
        if case .string(let text)? = table[Self.saveName] { save = text } else { save = nil }
    }

    func write(to table: inout PropertyListTable) {
        table[Self.clusterName] = .string(String(history.cluster, radix: 16))
        table[Self.revisionName] = .integer(PropertyListInteger(history.revision))
        table[Self.timeName] = .date(time)
        table[Self.saveName] = save.map { .string($0) }
    }

    /// The state of a table with these entries.
    func content(of table: PropertyListTable) -> MirrorCache.Content {
        var table = table
        for name in Self.names + CacheOwner.names { table[name] = nil }
        return MirrorCache.Content(table: table, history: history, time: time)
    }
}
#endif

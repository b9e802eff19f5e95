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
/// The file is that of a `JSONFileStore`: the values by their keys, and what belongs to the mirror under names that no key has.
final class MirrorCache: Sendable {
    private enum Name {
        static let prefix = "\(KeySpace.reserved)prefix"
        static let revision = "\(KeySpace.reserved)revision"
        static let time = "\(KeySpace.reserved)time"
    }

    /// The contents of the file.
    struct Content: Sendable {
        let table: PropertyListTable
        let revision: Int64
        /// When the values were those of the cluster.
        let time: Date
    }

    private let store: JSONFileStore
    private let prefix: String
    private let queue = DispatchQueue(label: "keyspan.etcd.cache")

    /// Opens the file, or begins without values if there is none.
    ///
    /// - Throws: `FileStoreError` if there is a file that cannot be used.
    init(path: String, prefix: String) throws(FileStoreError) {
        var options = FileStoreOptions()
        options.namesLeadInside = false
        store = try JSONFileStore(path: path, options: options)
        self.prefix = prefix
    }

    /// The values of the file; `nil` if it has none of this prefix.
    var content: Content? {
        var table = store.snapshot()
        guard case .string(let prefix)? = table[Name.prefix], prefix.hasSameUTF8(as: self.prefix),
            case .integer(let revision)? = table[Name.revision], let revision = revision.int64,
            case .date(let time)? = table[Name.time]
        else { return nil }
        for name in [Name.prefix, Name.revision, Name.time] { table[name] = nil }
        return Content(table: table, revision: revision, time: time)
    }

    /// Brings the file up to date soon, with what a closure finds then.
    func update(after delay: Duration, _ find: @escaping @Sendable () -> Content?) {
        queue.asyncAfter(deadline: .now() + .nanoseconds(delay.wholeNanoseconds)) { [self] in
            guard let content = find() else { return }
            do {
                try write(content)
            } catch {
                // The store reports what its disk refuses, and tries again.
            }
        }
    }

    private func write(_ content: Content) throws(StoreError) {
        var target = content.table
        target[Name.prefix] = .string(prefix)
        target[Name.revision] = .integer(PropertyListInteger(content.revision))
        target[Name.time] = .date(content.time)
        var batch = PropertyListBatch()
        store.snapshot().forEachDifference(to: target) { key, _, value in
            batch.set(value, forKey: key)
            return true
        }
        try store.apply(batch)
    }
}
#endif

#if Remote
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
@_spi(StoreAuthors) internal import KeyspanCore
@_spi(StoreAuthors) internal import KeyspanFileStore

/// The file from which a store starts: a JSON file with the documents of the version in force and of the one that was
/// fetched, which processes with the same server may share.
final class RemoteCache: Sendable {
    /// The contents of the file.
    struct Content: Sendable {
        /// The document in force.
        var active: UTF8Text?
        /// The document that was fetched last.
        var fetched: UTF8Text?
        /// When the server last proved that this is the present one.
        var lastProof: Date?
    }

    private enum Name {
        static let server = "keyspan.remote.server"
        static let active = "keyspan.remote.active"
        static let fetched = "keyspan.remote.fetched"
        static let lastProof = "keyspan.remote.lastProof"
    }

    private let file: JSONFileStore
    private let server: String

    /// Opens a file, which need not exist yet; one that cannot be used is reported.
    ///
    /// - Parameters:
    ///   - path: The path; a relative one starts from the current working folder.
    ///   - server: The name of the store: `remote` and the URL of the publisher.
    init?(_ path: String, of server: String) {
        self.server = server
        // One file, which is replaced as a whole by each save.
        var options = FileStoreOptions(durability: .everyBatch, journal: .none, isWatching: false)
        options.namesLeadInside = false
        do throws(FileStoreError) {
            file = try JSONFileStore(path: path, options: options)
        } catch {
            RemoteStoreError.cacheFailed(error, store: server).report()
            return nil
        }
    }

    /// The contents; `nil` if there are none, or they are those of another server.
    var content: Content? { content(of: file.snapshot()) }

    private func content(of table: PropertyListTable) -> Content? {
        guard table[Name.server]?.stringValue?.hasSameUTF8(as: server) == true else { return nil }
        return Content(
            active: table[Name.active]?.stringValue.map { UTF8Text($0) },
            fetched: table[Name.fetched]?.stringValue.map { UTF8Text($0) },
            lastProof: table[Name.lastProof]?.dateValue
        )
    }

    /// Replaces the contents on the disk; blocks the thread meanwhile.
    ///
    /// - Parameter find: Finds the new contents beside those that another process may have written; `nil` if the file has them.
    func save(_ find: (Content?) -> Content?) throws(StoreError) {
        while true {
            let present = file.snapshot()
            guard let content = find(content(of: present)) else { return try file.synchronize() }
            var batch = PropertyListBatch()
            for name in [Name.server, Name.active, Name.fetched] { batch.expect(present[name], forKey: name) }
            batch.set(.string(server), forKey: Name.server)
            batch.set(content.active.map { .string($0.wrappedValue) }, forKey: Name.active)
            batch.set(content.fetched.map { .string($0.wrappedValue) }, forKey: Name.fetched)
            batch.set(content.lastProof.map { .date($0) }, forKey: Name.lastProof)
            do throws(StoreError) {
                return try file.apply(batch)
            } catch {
                // Another process has written, and memory has its contents now.
                if !error.isRepeatable { throw error }
            }
        }
    }
}
#endif

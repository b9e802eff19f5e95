import Foundation
import KeyspanTestSupport

/// Entries to write in one transaction: the whole key of each with its text, or `nil` to remove it.
typealias ClusterChange = [String: String?]

/// The entries of a cluster, read and written through etcdctl. All methods block the calling thread.
extension TestCluster {
    /// The numbers of the cluster for an entry.
    struct Entry: Decodable {
        let key: Data
        /// The text; absent if it is empty.
        let value: Data?
        /// The number of changes since the entry was made, from 1.
        let version: Int64

        /// The text of the value.
        var text: String { String(decoding: value ?? Data(), as: UTF8.self) }
    }

    /// The entries with a prefix by the rest of their keys, by a linearizable read.
    func entries(prefix: String) throws -> [String: Entry] {
        struct Answer: Decodable {
            let kvs: [Entry]?
        }
        let text = try etcdctl("get", "--prefix", prefix, "--write-out", "json")
        let entries = try JSONDecoder().decode(Answer.self, from: Data(text.utf8)).kvs ?? []
        return entries.reduce(into: [:]) { found, entry in
            found[String(String(decoding: entry.key, as: UTF8.self).dropFirst(prefix.count))] = entry
        }
    }

    /// The texts of the entries with a prefix by the names of their keys, without those that stores keep for themselves.
    func texts(prefix: String) throws -> [String: String] {
        try entries(prefix: prefix).filter { !$0.key.hasPrefix(".keyspan/") }.mapValues(\.text)
    }

    /// Makes changes, each in a transaction of its own.
    func make(_ changes: [ClusterChange]) throws {
        for change in changes {
            let operations = change.sorted { $0.key < $1.key }.map { key, text in
                text.map { "put \(key) \($0)" } ?? "del \(key)"
            }
            // No comparisons, the operations, and none for comparisons that do not hold.
            let input = "\n\(operations.joined(separator: "\n"))\n\n\n"
            try etcdctl("--dial-timeout", "60s", "--command-timeout", "60s", "txn", input: input)
        }
    }

    /// The number of leases.
    func leaseCount() throws -> Int {
        struct Answer: Decodable {
            struct Lease: Decodable {}
            let leases: [Lease]?
        }
        let text = try etcdctl("lease", "list", "--write-out", "json")
        return try JSONDecoder().decode(Answer.self, from: Data(text.utf8)).leases?.count ?? 0
    }
}

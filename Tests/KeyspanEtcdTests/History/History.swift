import Foundation
import KeyspanCore

@testable import KeyspanEtcd

/// What clients, observers and readers of stores on one prefix did, and what the cluster has of it.
///
/// No two calls write the same text to a key, so that the revision of a call is a look-up: the value of a counter is its number and
/// the name of the call. Times are the places of events in the order in which they were recorded.
struct History: Sendable {
    enum Outcome: String, Sendable {
        case acknowledged
        /// The call did not take effect, and never will.
        case refused
        /// The caller cannot tell, for example because the connection broke before the answer came.
        case unknown
    }

    /// One call of a client.
    struct Call: Sendable {
        var name: String
        var store: String
        /// The texts that it writes; `nil` removes a key.
        var changes: [String: String?]
        /// Whether it removes all other keys.
        var removesAll = false
        /// The texts that the batch expects.
        var expected: [String: String?] = [:]
        var began = 0
        /// When its outcome was known, for a write in the background when the store was synchronized.
        var ended = Int.max
        var outcome = Outcome.unknown
    }

    /// The keys that changed together, as an observer was notified of them.
    struct Change: Sendable {
        var values: [String: (old: String?, new: String?)]
        var time = 0
    }

    /// The values that the observer of a store saw.
    struct Observer: Sendable {
        var start: [String: String] = [:]
        var changes: [Change] = []
        /// How many changes may cover several revisions, as after a compaction.
        var jumps = 0
        /// The values of the store after everything has healed.
        var final: [String: String]?

        /// The values after the last change.
        var table: [String: String] {
            changes.reduce(into: start) { table, change in
                for (key, value) in change.values { table[key] = value.new }
            }
        }
    }

    /// The values that a read of a store returned.
    struct Read: Sendable {
        var values: [String: String?]
        /// Whether these are all values, and not only some.
        var isWhole = true
        var began = 0
    }

    /// One revision of the cluster, as far as it wrote keys of the prefix.
    struct Revision: Sendable {
        let number: Int64
        var events: [String: String?]
    }

    /// The stores that send writes in the background, which show their unsent writes over the state of the cluster.
    var background: Set<String> = []
    var calls: [Call] = []
    /// One observer of each store.
    var observers: [String: Observer] = [:]
    /// The reads of each store, one after the other.
    var reads: [String: [Read]] = [:]
    /// The revisions that followed an empty prefix.
    var truth: [Revision] = []
}

extension History.Revision {
    /// Takes over what a cluster has written to the entries of a prefix.
    init(_ number: Int64, _ events: [Etcdserverpb_Event], in space: KeySpace) {
        var texts: [String: String?] = [:]
        for event in events where event.kv.key.starts(with: space.prefix) {
            guard case .entry(let name) = space.name(of: event.kv.key) else { continue }
            texts.updateValue(
                event.type == .delete ? nil : String(decoding: event.kv.value, as: UTF8.self),
                forKey: name
            )
        }
        self.init(number: number, events: texts)
    }
}

extension History: CustomStringConvertible {
    /// One event a line, in their order, and then the revisions.
    var description: String {
        var lines: [(time: Int, text: String)] = []
        for call in calls {
            let expected = call.expected.isEmpty ? "" : " if \(Self.list(call.expected))"
            let removal = call.removesAll ? "removal of all, " : ""
            lines.append((call.began, "\(call.name) on \(call.store): \(removal)\(Self.list(call.changes))\(expected)"))
            lines.append((call.ended, "\(call.name) is \(call.outcome)"))
        }
        for (store, observer) in observers {
            lines.append((0, "\(store) is observed from \(Self.list(observer.start))"))
            for change in observer.changes {
                let values = change.values.map { "\($0): \($1.old ?? "-") → \($1.new ?? "-")" }.sorted()
                lines.append((change.time, "\(store) notifies of \(values.joined(separator: " "))"))
            }
        }
        for (store, reads) in reads {
            var last: [String: String?]?
            // Most reads repeat the one before them, and would hide the rest.
            for read in reads where read.values != last {
                lines.append((read.began, "\(store) reads \(Self.list(read.values))"))
                last = read.values
            }
        }
        let events = lines.sorted { ($0.time, $0.text) < ($1.time, $1.text) }.map(\.text)
        return (events + truth.map { "revision \($0.number): \(Self.list($0.events))" }).joined(separator: "\n")
    }

    private static func list(_ values: [String: String?]) -> String {
        values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value ?? "-")" }.joined(separator: " ")
    }
}

#if Console
@_spi(StoreAuthors) import KeyspanCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One change of the store in the history, with the beginnings of its values, so that the history takes bounded space.
struct HistoryEntry: Sendable {
    /// The change of one key.
    struct Line: Sendable {
        let key: Defaults.AnyKey
        /// The values before and after; `nil` for none, and for a secret.
        let values: [(old: String?, new: String?)]
    }

    /// The number of keys of which the history has values.
    private static let maximumLineCount = 50

    /// The number of the change.
    let number: UInt64
    let date: Date
    /// The author, if the change was made on a page.
    let author: Author?
    /// The changed keys, in the order of the change.
    let lines: [Line]
    /// Whether a layer above has other values, which the program reads.
    let isHidden: Bool

    /// The lines of the keys that have some of these entries; called without a lock, because bridges are foreign code.
    static func lines(
        of entries: [PropertyListChange.Entry],
        keys keysByEntry: TextDictionary<[Defaults.AnyKey]>
    ) -> [Line] {
        var order: [Defaults.AnyKey] = []
        var changed: TextDictionary<[PropertyListChange.Entry]> = [:]
        for entry in entries {
            for key in keysByEntry[entry.key] ?? [] {
                if changed[key.name] == nil { order.append(key) }
                changed[key.name, default: []].append(entry)
            }
        }
        return order.enumerated().map { number, key in
            let entries = key.isSecret || number >= maximumLineCount ? [] : changed[key.name] ?? []
            return Line(
                key: key,
                values: entries.map { (old: text(of: $0.storedOld, for: key), new: text(of: $0.storedNew, for: key)) }
            )
        }
    }

    private static func text(of stored: StoredValue?, for key: Defaults.AnyKey) -> String? {
        guard let stored else { return nil }
        switch stored.value {
        // A large collection would take long to decode and to encode again.
        case .array, .dictionary: return ValueText.beginning(of: stored.value)
        case .boolean, .integer, .real, .string, .date, .data:
            let readable = key.entryNames.count == 1 ? key.readableForm(of: stored) : nil
            return ValueText.beginning(of: readable ?? stored.value)
        }
    }
}
#endif

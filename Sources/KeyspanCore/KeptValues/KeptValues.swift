#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The kept values of one store: a dictionary in an entry of the store itself, so that they are as durable as the rest.
///
/// Under each key's name it has a list of dictionaries with `date` and `entries`, the oldest first. Unless the key's own name
/// is that of its only entry, `absent` has the names of the entries that were not there.
struct KeptValues {
    /// The entry's name, which no key of a program should have.
    static let entryName = "keyspan.kept"

    // A program that replaces one unreadable value by another on and on does not fill the store.
    private static let maximumPerKey = 8

    private var lists: TextDictionary<[PropertyListValue]>

    /// Reads the entry.
    init(_ stored: PropertyListValue?) {
        guard case .dictionary(let entries)? = stored else {
            lists = [:]
            // Someone else's value under this name is kept like any other that cannot be read.
            if let stored { append([Self.entryName: stored], absent: [], ofKey: Self.entryName, at: Date()) }
            return
        }
        lists = entries.mapValues { if case .array(let list) = $0 { list } else { [$0] } }
    }

    /// The entry as it is stored; `nil` if there is nothing in it.
    var stored: PropertyListValue? {
        lists.isEmpty ? nil : .dictionary(lists.mapValues { .array($0) })
    }

    /// All of them, by key and from the oldest to the newest.
    var all: [Defaults.KeptValue] {
        lists.sortedKeys.flatMap { key in
            (lists[key] ?? []).compactMap { Self.value($0, ofKey: key) }
        }
    }

    /// Adds the entries of a key's value, unless they are the last ones that were added.
    ///
    /// - Parameters:
    ///   - entries: The entries that are present.
    ///   - absent: The names of the others.
    ///   - key: The key.
    ///   - date: When the value was replaced.
    mutating func append(
        _ entries: PropertyListDictionary,
        absent: Set<UTF8Text>,
        ofKey key: String,
        at date: Date
    ) {
        var list = lists[key] ?? []
        if let last = list.last.flatMap({ Self.value($0, ofKey: key) }), last.entries == entries,
            last.absentEntries == absent
        {
            return
        }
        var parts: PropertyListDictionary = ["date": .date(date), "entries": .dictionary(entries)]
        if !absent.isEmpty || !Self.isOnly(key, in: entries) {
            parts["absent"] = .array(absent.sortedTexts().map { .string($0) })
        }
        list.append(.dictionary(parts))
        lists[key] = list.suffix(Self.maximumPerKey)
    }

    /// Removes a value.
    mutating func remove(_ value: Defaults.KeptValue) {
        let remaining = (lists[value.key] ?? []).filter { Self.value($0, ofKey: value.key) != value }
        lists[value.key] = remaining.isEmpty ? nil : remaining
    }

    private static func value(_ stored: PropertyListValue, ofKey key: String) -> Defaults.KeptValue? {
        guard
            case .dictionary(let parts) = stored,
            case .date(let date)? = parts["date"],
            case .dictionary(let entries)? = parts["entries"]
        else { return nil }
        let absent = parts["absent"]?.arrayValue.map { names in
            Set(names.compactMap { $0.stringValue.map { UTF8Text($0) } })
        }
        let absentEntries = absent ?? (isOnly(key, in: entries) ? [] : nil)
        return Defaults.KeptValue(key: key, entries: entries, absentEntries: absentEntries, date: date)
    }

    private static func isOnly(_ key: String, in entries: PropertyListDictionary) -> Bool {
        entries.count == 1 && entries[key] != nil
    }
}

extension KeptValues {
    /// Keeps the present entries of a key's value in an edit that is about to replace them.
    static func keep(_ names: [String], ofKey key: String, in edit: inout PropertyListEdit) {
        var kept = KeptValues(edit.replacedValue(forKey: entryName)?.value)
        var replaced = PropertyListDictionary()
        var absent: Set<UTF8Text> = []
        for name in names {
            if let value = edit.replacedValue(forKey: name)?.value {
                replaced[name] = value
            } else {
                absent.insert(UTF8Text(name))
            }
        }
        kept.append(replaced, absent: absent, ofKey: key, at: Date())
        edit[entryName] = kept.stored
    }
}

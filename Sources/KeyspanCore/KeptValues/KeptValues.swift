#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The kept values of one store: a dictionary in an entry of the store itself, so that they are as durable as the rest.
///
/// Under each key's name it has a list of dictionaries with `date` and `entries`, the oldest first. The entries have the
/// form of ``RecordedEntries``, so that a value of any nesting can be kept. Unless the key's own name is that of its only
/// entry, `absent` has the names of the entries that were not there.
struct KeptValues {
    /// The entry's name, which no key of a program should have.
    static let entryName = "keyspan.kept"

    // A program that replaces one unreadable value by another on and on does not fill the store.
    private static let maximumPerKey = 8

    /// How many collections are around the entries of a kept value: all keys, the values of one, and the value with its date.
    private static let levelsAround = 3

    /// What the entry has, as it is stored: what is no list of kept values stays as it is.
    private var lists: PropertyListDictionary

    /// Reads the entry.
    init(_ stored: PropertyListValue?) {
        guard case .dictionary(let entries)? = stored else {
            lists = [:]
            // Someone else's value under this name is kept like any other that cannot be read.
            if let stored { append([Self.entryName: stored], absent: [], ofKey: Self.entryName, at: Date()) }
            return
        }
        lists = entries
    }

    /// The entry as it is stored; `nil` if there is nothing in it.
    var stored: PropertyListValue? {
        lists.isEmpty ? nil : .dictionary(lists)
    }

    /// All of them, by key and from the oldest to the newest.
    var all: [Defaults.KeptValue] {
        lists.sortedKeys.flatMap { key in
            list(ofKey: key).compactMap { Self.value($0, ofKey: key) }
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
        var list = list(ofKey: key)
        if let last = list.last.flatMap({ Self.value($0, ofKey: key) }), last.entries == entries,
            last.absentEntries == absent
        {
            return
        }
        if list.isEmpty, let foreign = lists[key], foreign.arrayValue == nil {
            list = [Self.stored([key: foreign], absent: [], ofKey: key, at: date)]
        }
        list.append(Self.stored(entries, absent: absent, ofKey: key, at: date))
        lists[key] = .array(list.suffix(Self.maximumPerKey))
    }

    /// Removes a value.
    mutating func remove(_ value: Defaults.KeptValue) {
        let list = list(ofKey: value.key)
        let remaining = list.filter { Self.value($0, ofKey: value.key) != value }
        guard remaining.count < list.count else { return }
        lists[value.key] = remaining.isEmpty ? nil : .array(remaining)
    }

    private func list(ofKey key: String) -> [PropertyListValue] {
        switch lists[key] {
        case .array(let list)?: list
        case let lone?: Self.value(lone, ofKey: key) == nil ? [] : [lone]
        case nil: []
        }
    }

    private static func stored(
        _ entries: PropertyListDictionary,
        absent: Set<UTF8Text>,
        ofKey key: String,
        at date: Date
    ) -> PropertyListValue {
        var parts: PropertyListDictionary = [
            "date": .date(date), "entries": RecordedEntries.stored(entries, within: levelsAround),
        ]
        if !absent.isEmpty || !isOnly(key, in: entries) {
            parts["absent"] = .array(absent.sortedTexts().map { .string($0) })
        }
        return .dictionary(parts)
    }

    private static func value(_ stored: PropertyListValue, ofKey key: String) -> Defaults.KeptValue? {
        guard
            case .dictionary(let parts) = stored,
            case .date(let date)? = parts["date"],
            let entries = RecordedEntries.entries(parts["entries"])
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
    /// Adds the value that a key's entries have now, unless all of them are absent.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - names: The names of its entries.
    ///   - value: The value of an entry.
    mutating func append(ofKey key: String, entries names: some Sequence<String>, value: (String) -> PropertyListValue?)
    {
        var present = PropertyListDictionary()
        var absent: Set<UTF8Text> = []
        for name in names {
            if let value = value(name) {
                present[name] = value
            } else {
                absent.insert(UTF8Text(name))
            }
        }
        if !present.isEmpty { append(present, absent: absent, ofKey: key, at: Date()) }
    }

    /// Keeps the present entries of a key's value in an edit that is about to replace them.
    static func keep(_ names: [String], ofKey key: String, in edit: inout PropertyListEdit) {
        var kept = KeptValues(edit.replacedValue(forKey: entryName)?.value)
        kept.append(ofKey: key, entries: names) { edit.replacedValue(forKey: $0)?.value }
        edit[entryName] = kept.stored
        edit.dependOnReplacedValues()
    }
}

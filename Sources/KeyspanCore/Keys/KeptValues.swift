#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Defaults {
    /// A stored value that its key could not read when another value replaced it.
    ///
    /// ``entries`` have the value of a secret as well; the description has none.
    public struct KeptValue: Sendable, Hashable {
        /// The name of the key.
        @UTF8Text public private(set) var key: String

        /// The stored entries of the value: one under the key's name, unless a direct bridge uses more.
        public let entries: PropertyListDictionary

        /// The names of the key's other entries, which were absent; `nil` if they are not known.
        ///
        /// An earlier version of the library did not record them. A single entry under the key's name then counts as the value
        /// of a key without other entries.
        package let absentEntries: Set<UTF8Text>?

        /// The time at which the value was replaced.
        public let date: Date

        /// The stored value under the key's own name, if there was one; most keys have no other entry.
        public var value: PropertyListValue? { entries[key] }
    }
}

extension Defaults.KeptValue: CustomStringConvertible {
    /// The key and the time, with the kind of the value in place of the value, which may be a secret.
    public var description: String {
        let content = value.map(\.kind.article) ?? "\(entries.count) entries"
        return "a kept value of the key \(key.quoted), \(content), replaced at \(PropertyListValue.date(date))"
    }
}

/// The kept values of one store: a dictionary in an entry of that store, so that they are as durable as the other values.
///
/// Each key's name maps to a list of dictionaries with `date` and `entries`, oldest first. The entries have the form of
/// ``RecordedEntries``, so that values of any nesting fit. Unless the key's own name is its only entry, `absent` lists the
/// names of the entries that were missing.
package struct KeptValues {
    /// The entry's name, which a program must not use for a key.
    package static let entryName = LibraryEntries.kept

    // A program that keeps replacing one unreadable value by another must not fill the store.
    private static let maximumPerKey = 8

    /// The number of collections around a kept value's entries: all keys, one key's values, and the value with its date.
    private static let levelsAround = 3

    /// The entry's stored content.
    ///
    /// Parts in a form that this version does not know stay unchanged.
    private var lists: PropertyListDictionary

    /// Reads the entry.
    package init(_ stored: PropertyListValue?) {
        guard case .dictionary(let entries)? = stored else {
            lists = [:]
            // A foreign value under this name is kept like any other unreadable value.
            if let stored {
                append(
                    [Self.entryName: stored],
                    absent: [],
                    ofKey: Self.entryName,
                    at: Date(timeIntervalSinceReferenceDate: 0)
                )
            }
            return
        }
        lists = entries
    }

    /// The entry's new stored form; `nil` to remove it.
    package var stored: PropertyListValue? {
        lists.isEmpty ? nil : .dictionary(lists)
    }

    /// All kept values, by key and from oldest to newest.
    package var all: [Defaults.KeptValue] {
        lists.sortedKeys.flatMap { key in
            list(ofKey: key).compactMap { Self.value($0, ofKey: key) }
        }
    }

    /// Adds the entries of a key's value, unless they equal the key's newest kept value.
    ///
    /// - Parameters:
    ///   - entries: The entries that are present.
    ///   - absent: The names of the absent entries.
    ///   - key: The key.
    ///   - date: The time of the replacement.
    ///   - isExpendable: Whether ``limitExpendable(to:)`` may remove it, because a person and not a program has replaced it.
    package mutating func append(
        _ entries: PropertyListDictionary,
        absent: Set<UTF8Text> = [],
        ofKey key: String,
        at date: Date,
        isExpendable: Bool = false
    ) {
        var list = list(ofKey: key)
        if let last = list.last, let value = Self.value(last, ofKey: key), value.entries == entries,
            value.absentEntries == absent
        {
            if last.dictionaryValue?[Self.expendable] == nil { return }
            // It counts as new.
            list.removeLast()
        }
        if list.isEmpty, let foreign = lists[key], foreign.arrayValue == nil {
            list = [Self.stored([key: foreign], absent: [], ofKey: key, at: date)]
        }
        var new = Self.stored(entries, absent: absent, ofKey: key, at: Self.time(date, after: list, ofKey: key))
        if isExpendable, var parts = new.dictionaryValue {
            parts[Self.expendable] = true
            new = .dictionary(parts)
        }
        list.append(new)
        lists[key] = .array(list.suffix(Self.maximumPerKey))
    }

    /// Removes expendable values, the oldest first, until the others have at most a weight in bytes.
    ///
    /// - Returns: The removed values.
    package mutating func limitExpendable(to maximum: Int) -> [Defaults.KeptValue] {
        var (weighed, removed) = ([(value: Defaults.KeptValue, weight: Int)](), [Defaults.KeptValue]())
        for key in lists.sortedKeys {
            for stored in list(ofKey: key) where stored.dictionaryValue?[Self.expendable] != nil {
                guard let value = Self.value(stored, ofKey: key) else { continue }
                // As much as its key and value have in the domain, because the limit is that of these.
                let weight = 32 + (stored.dictionaryValue?["entries"] ?? stored).weight
                if weight <= maximum { weighed.append((value, weight)) } else { removed.append(value) }
            }
        }
        weighed.sort { $0.value.date > $1.value.date }
        var sum = 0
        removed += weighed.drop { item in
            sum += item.weight
            return sum <= maximum
        }.map(\.value)
        for (key, values) in Dictionary(grouping: removed, by: { UTF8Text($0.key) }) {
            let values = Set(values)
            let rest = list(ofKey: key.wrappedValue).filter { stored in
                Self.value(stored, ofKey: key.wrappedValue).map { !values.contains($0) } ?? true
            }
            lists[key.wrappedValue] = rest.isEmpty ? nil : .array(rest)
        }
        return removed
    }

    /// The part that marks an expendable value.
    private static let expendable = "expendable"

    /// A time that no other value of a key has, so that it identifies the value for people.
    ///
    /// A store without fractions of a second, such as a property list in XML, needs times that are a second apart.
    private static func time(_ date: Date, after list: [PropertyListValue], ofKey key: String) -> Date {
        guard let newest = list.last.flatMap({ value($0, ofKey: key) })?.date else { return date }
        let (last, now) = (newest.timeIntervalSinceReferenceDate, date.timeIntervalSinceReferenceDate)
        // Another clock wrote a time far in the future.
        guard last - now < 60 else { return date }
        return Date(timeIntervalSinceReferenceDate: max(now, last + (last == last.rounded() ? 1 : 0.002)))
    }

    /// Removes a value.
    package mutating func remove(_ value: Defaults.KeptValue) {
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
    /// Adds the value that a key's entries have now, unless all are absent.
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
    ///
    /// The list of kept values is written from its present state, so the edit rests on that state.
    static func keep(_ names: [String], ofKey key: String, in edit: inout PropertyListEdit) {
        var kept = KeptValues(edit.replacedValue(forKey: entryName)?.value)
        kept.append(ofKey: key, entries: names) { edit.replacedValue(forKey: $0)?.value }
        edit.record(kept.stored, in: entryName)
        edit.dependOnReplacedValues()
    }
}

extension PropertyListValue {
    /// About the number of bytes that the value has in a file, with a surcharge for each part.
    package var weight: Int {
        switch self {
        case .boolean, .integer, .real, .date: 32
        case .string(let text): 32 + text.utf8.count
        case .data(let data): 32 + data.count * 4 / 3
        case .array(let elements): elements.reduce(32) { $0 + $1.weight }
        case .dictionary(let members): members.reduce(32) { $0 + $1.key.utf8.count + $1.value.weight }
        }
    }
}

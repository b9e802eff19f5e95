/// The entries that the library itself uses in a store, beside the entries of a program's keys.
package enum LibraryEntries {
    /// The entry of ``KeptValues``.
    static let kept = "keyspan.kept"
    /// The entry with the records of all migration plans.
    static let migrations = "keyspan.migrations"
    /// The entry with the identity of the account that the dates of synchronized values belong to.
    static let account = "keyspan.account"

    /// Whether an entry is one of them.
    ///
    /// They contain former values of other entries inside further collections, so the limits for a single value do not apply.
    package static func contains(_ name: String) -> Bool {
        [kept, migrations, account].contains { $0.hasSameUTF8(as: name) }
    }

    /// Whether an entry is one of them, or leads into one, or around them, where a file has names with dots as nested.
    ///
    /// A program's keys can neither write, reset, remove nor observe it.
    package static func isReserved(_ name: String) -> Bool {
        guard name.hasUTF8Prefix("keyspan") else { return false }
        return name.hasSameUTF8(as: "keyspan") || contains(name)
            || name.beginningsBeforeDots.contains { contains($0.wrappedValue) }
    }

    /// Throws if one of these names is that of an entry of the library.
    package static func check(_ names: some Sequence<String>, in store: String) throws(StoreError) {
        if let name = names.first(where: isReserved) { throw .libraryEntry(name, store: store) }
    }

    /// The names without those of entries of the library, which are reported.
    static func reported(in names: Set<UTF8Text>, of store: any PropertyListStore) -> Set<UTF8Text> {
        let reserved = names.filter { isReserved($0.wrappedValue) }
        if reserved.isEmpty { return names }
        for name in reserved.sortedTexts() {
            Defaults.Problem.storeFailed(.libraryEntry(name, store: store.name)).report()
        }
        return names.subtracting(reserved)
    }
}

extension StoreError {
    /// The error for a name that a program's key has and must not have.
    fileprivate static func libraryEntry(_ name: String, store: String) -> StoreError {
        .invalidKey(name, store: store, reason: "the library itself uses the entry \(name.quoted)")
    }
}

extension PropertyListEdit {
    /// Removes all entries except the record of migrations: values written from now on have the form that it names.
    mutating func removeAllButRecord() {
        let migrations = replacedValue(forKey: LibraryEntries.migrations)?.value
        // Another process may have migrated the values since.
        dependOnReplacedValues()
        removeAll()
        if let migrations { record(migrations, in: LibraryEntries.migrations) }
    }
}

/// Entries of a store inside a record in the same store, such as a kept value or an unfinished move.
///
/// A record has them as a dictionary. Deeply nested values would then exceed the nesting that stores allow, so entries with
/// such a value become a flat list, in the order of a depth-first walk: a scalar is itself, an array is `["array", count]`
/// before its elements, and a dictionary is `["dictionary", name, …]` before its values. The list has two levels of nesting
/// at any depth of the values.
enum RecordedEntries {
    /// The recorded form of entries.
    ///
    /// - Parameters:
    ///   - entries: The entries.
    ///   - levels: The number of the record's collections around the recorded form.
    static func stored(_ entries: PropertyListDictionary, within levels: Int) -> PropertyListValue {
        let value = PropertyListValue.dictionary(entries)
        guard value.isNestedDeeper(than: PropertyListValue.maximumNesting - levels) else { return value }
        var list: [PropertyListValue] = []
        append(value, to: &list)
        return .array(list)
    }

    /// The entries of a recorded form; `nil` for any other value.
    static func entries(_ stored: PropertyListValue?) -> PropertyListDictionary? {
        switch stored {
        case .dictionary(let entries)?: return entries
        case .array(let list)?:
            var rest = list[...]
            // One level more than a value: the dictionary of the entries.
            guard
                case .dictionary(let entries)? = value(from: &rest, levels: PropertyListValue.maximumNesting + 1),
                rest.isEmpty
            else { return nil }
            return entries
        default: return nil
        }
    }

    private static func append(_ value: PropertyListValue, to list: inout [PropertyListValue]) {
        switch value {
        case .array(let elements):
            list.append(.array([.string(Mark.array.rawValue), PropertyListValue(elements.count)]))
            for element in elements { append(element, to: &list) }
        case .dictionary(let entries):
            let sorted = entries.sortedByName()
            list.append(.array([.string(Mark.dictionary.rawValue)] + sorted.map { .string($0.key) }))
            for entry in sorted { append(entry.value, to: &list) }
        case .boolean, .integer, .real, .string, .date, .data:
            list.append(value)
        }
    }

    /// Takes a value from the front of a list.
    ///
    /// - Returns: `nil` if the list has no complete value at its front, or one with too many levels.
    private static func value(from list: inout ArraySlice<PropertyListValue>, levels: Int) -> PropertyListValue? {
        guard let first = list.popFirst() else { return nil }
        guard case .array(let parts) = first else {
            if case .dictionary = first { return nil }
            return first
        }
        guard levels > 0 else { return nil }
        switch parts.first?.stringValue.flatMap(Mark.init) {
        case .array?:
            // A wrong count ends with the list; nothing is allocated by it.
            guard parts.count == 2, let count: Int = parts[1].integerValue?.converted(), count >= 0 else { return nil }
            var elements: [PropertyListValue] = []
            while elements.count < count {
                guard let element = value(from: &list, levels: levels - 1) else { return nil }
                elements.append(element)
            }
            return .array(elements)
        case .dictionary?:
            var entries = PropertyListDictionary()
            for part in parts.dropFirst() {
                guard let name = part.stringValue else { return nil }
                guard let entry = value(from: &list, levels: levels - 1) else { return nil }
                entries[name] = entry
            }
            return .dictionary(entries)
        case nil: return nil
        }
    }

    private enum Mark: String {
        case array, dictionary
    }
}

/// Entries of a store inside a record that the store itself has, such as a kept value or a move that is not finished.
///
/// They are recorded as a dictionary. Within the record that would nest the deepest values deeper than any store allows,
/// so entries with such a value are recorded as a flat list instead, in the order in which a walk meets the parts: a scalar
/// is itself, an array is `["array", count]` before its elements, and a dictionary is `["dictionary", name, …]` before its
/// values. The list has two levels of nesting, whatever the values have.
enum RecordedEntries {
    /// The recorded form of entries.
    ///
    /// - Parameters:
    ///   - entries: The entries, with values that a store holds.
    ///   - levels: How many collections of the record are around the recorded form.
    static func stored(_ entries: PropertyListDictionary, within levels: Int) -> PropertyListValue {
        let value = PropertyListValue.dictionary(entries)
        guard value.isNestedDeeper(than: PropertyListValue.maximumNesting - levels) else { return value }
        var list: [PropertyListValue] = []
        append(value, to: &list)
        return .array(list)
    }

    /// The entries of a recorded form; `nil` if it is something else.
    static func entries(_ stored: PropertyListValue?) -> PropertyListDictionary? {
        switch stored {
        case .dictionary(let entries)?: return entries
        case .array(let list)?:
            var rest = list[...]
            // One level more than a value has: the dictionary of the entries.
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
    /// - Returns: `nil` if there is no whole value, or one of more levels than that.
    private static func value(from list: inout ArraySlice<PropertyListValue>, levels: Int) -> PropertyListValue? {
        guard let first = list.popFirst() else { return nil }
        guard case .array(let parts) = first else {
            if case .dictionary = first { return nil }
            return first
        }
        guard levels > 0 else { return nil }
        switch parts.first?.stringValue.flatMap(Mark.init) {
        case .array?:
            // A count that is wrong ends with the list, so it is not taken for the size of anything.
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

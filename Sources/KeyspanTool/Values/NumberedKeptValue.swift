import Keyspan

/// A kept value with the number that users name it by: its place among those of its key, from 1 for the oldest.
struct NumberedKeptValue {
    /// The number.
    let number: Int
    /// The value.
    let value: Defaults.KeptValue

    /// Numbers values that are sorted by key and from the oldest to the newest.
    static func numbering(_ values: [Defaults.KeptValue]) -> [NumberedKeptValue] {
        var (numbered, number) = ([NumberedKeptValue](), 0)
        for value in values {
            number = value.key == numbered.last?.value.key ? number + 1 : 1
            numbered.append(NumberedKeptValue(number: number, value: value))
        }
        return numbered
    }

    /// The line for people: key, number, time and value.
    func line(by writer: OldStyleWriter) -> String {
        let date = OldStyleDate.text(of: value.date)
        return "\(writer.keyText(value.key))  \(number)  \(date)  \(content(by: writer))"
    }

    /// All of it as a property list.
    var propertyList: PropertyListValue {
        var parts: PropertyListDictionary = [
            "key": .string(value.key),
            "number": PropertyListValue(number),
            "date": .date(value.date),
            "entries": .dictionary(value.entries),
        ]
        if let absent = value.absentEntries, !absent.isEmpty {
            parts["absent"] = .array(absent.map(\.wrappedValue).sorted { $0.utf8Precedes($1) }.map { .string($0) })
        }
        return .dictionary(parts)
    }

    /// The value, or all entries with their names if it was not the one entry of the key's name.
    private func content(by writer: OldStyleWriter) -> String {
        if value.entries.count == 1, let lone = value.value { return writer.line(of: lone) }
        return value.entries.sortedByName()
            .map { "\(writer.keyText($0.key)) = \(writer.line(of: $0.value));" }
            .joined(separator: " ")
    }
}

package import KeyspanCore

/// A batch that shows whether it is whole: several keys with the same number, of which one is long and one is missing
/// every other time.
package struct NumberedBatch: Sendable {
    /// Whose keys it writes.
    package let writer: String
    /// Its number; the first one is 1.
    package let number: Int

    private static let first = ".first"

    /// Makes a batch.
    package init(writer: String, number: Int) {
        (self.writer, self.number) = (writer, number)
    }

    /// The trace of a writer's batches in a table.
    package enum Trace: Sendable, Equatable {
        /// Nothing.
        case nothing
        /// One of them, as it was written.
        case whole(number: Int)
        /// Something that no batch writes.
        case torn(String)
    }

    /// The writes.
    package var writes: PropertyListBatch {
        var batch = PropertyListBatch()
        for (key, value) in values { batch.set(value, forKey: key) }
        return batch
    }

    /// Looks for the batches of a writer.
    package static func trace(of writer: String, in table: PropertyListTable) -> Trace {
        guard let number = table[writer + first]?.integerValue?.int64 else {
            let rest = table.filter { $0.key.hasPrefix(writer + ".") }.map(\.key)
            return rest.isEmpty ? .nothing : .torn("\(writer) has only \(rest)")
        }
        let batch = NumberedBatch(writer: writer, number: Int(number))
        for (key, value) in batch.values where table[key] != value {
            return .torn("\(key) does not belong to batch \(number)")
        }
        return .whole(number: Int(number))
    }

    /// Those who have written to a table.
    static func writers(in table: PropertyListTable) -> [String] {
        table.compactMap { $0.key.hasSuffix(first) ? String($0.key.dropLast(first.count)) : nil }
    }

    private var values: [(key: String, value: PropertyListValue?)] {
        let integer = PropertyListValue(number)
        // From a few bytes to several blocks of a file system, so that an append can end anywhere.
        let text = "\(number)" + String(repeating: " ", count: number * 37 % 9_000)
        return [
            (writer + Self.first, integer),
            (writer + ".text", .string(text)),
            (writer + ".spare", number.isMultiple(of: 2) ? integer : nil),
        ]
    }
}

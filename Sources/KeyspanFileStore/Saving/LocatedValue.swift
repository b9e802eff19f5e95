package import KeyspanCore

/// A value of a file with the line in which its key is.
package struct LocatedValue: Sendable, Hashable {
    /// The value.
    package let value: PropertyListValue
    /// The line of the key, from 1.
    package let line: Int

    /// Makes a located value.
    package init(_ value: PropertyListValue, line: Int) {
        self.value = value
        self.line = line
    }

    /// The values of keys with their lines.
    ///
    /// - Parameters:
    ///   - table: All values.
    ///   - starts: Where the keys are, in their order in the text.
    ///   - bytes: The text.
    static func values(
        of table: PropertyListTable,
        at starts: [(key: String, offset: Int)],
        in bytes: [UInt8]
    ) -> TextDictionary<LocatedValue> {
        var line = 1
        var counted = 0
        return starts.reduce(into: [:]) { located, start in
            line += bytes[counted..<start.offset].count { $0 == ASCII.lineFeed }
            counted = start.offset
            located[start.key] = table[start.key].map { LocatedValue($0, line: line) }
        }
    }
}

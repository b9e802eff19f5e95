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
}

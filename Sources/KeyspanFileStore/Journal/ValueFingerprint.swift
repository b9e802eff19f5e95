package import KeyspanCore

/// A checksum by which a value is known again, in place of the value.
///
/// It covers the JSON text of the value. Two values with one fingerprint are the same one as good as certainly. Equal
/// values have the same fingerprint, unless a zero differs in its sign or a string in how its accents are composed.
package struct ValueFingerprint: Sendable, Hashable {
    /// The checksum.
    package let rawValue: UInt32

    /// Takes the fingerprint of a value of any nesting.
    package init(_ value: PropertyListValue) {
        // Not `JSONText.encode`, which refuses values nested too deep.
        var writer = JSONWriter()
        writer.writeText(value)
        rawValue = CRC32C.checksum(of: writer.bytes[...])
    }

    init(rawValue: UInt32) {
        self.rawValue = rawValue
    }
}

package import KeyspanCore

/// A checksum by which a value is known again, in place of the value.
///
/// It covers the JSON text of the value, so equal values have equal fingerprints. Different values have different ones with a probability of 1 - 2^-32.
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

package import KeyspanCore

/// One version of a file's contents, identified by its length and CRC-32C.
package struct FileVersion: Sendable, Hashable {
    /// The number of bytes.
    package let size: Int
    /// The CRC-32C of all bytes.
    package let checksum: UInt32

    /// Makes a version from the fields of a journal.
    package init(size: Int, checksum: UInt32) {
        self.size = size
        self.checksum = checksum
    }

    /// The version that has these contents.
    package init(_ contents: [UInt8]) {
        self.init(size: contents.count, checksum: CRC32C.checksum(of: contents[...]))
    }

    /// The version of a missing file.
    ///
    /// No settings file has it, because an empty file cannot be parsed.
    package static let missing = FileVersion(size: 0, checksum: 0)
}

/// A version of the file that a checkpoint replaced, and when.
package struct ReplacedVersion: Sendable, Hashable {
    /// The version.
    package let version: FileVersion
    /// When it was replaced, in milliseconds since 1970 by the clock of the machine.
    package let time: Int64

    /// Makes a replaced version.
    package init(_ version: FileVersion, at time: Int64) {
        self.version = version
        self.time = time
    }

    /// For how many milliseconds a program that has read this version may take to write its own.
    ///
    /// A person takes longer, but gets a warning from the editor.
    private static let memory: Int64 = 10_000

    /// Whether a program may still write a version made from this one; `false` if the clock was set back since.
    package func isRecent(at time: Int64) -> Bool {
        (0...Self.memory).contains(time &- self.time)
    }
}

/// A checksum that identifies a value.
///
/// It covers the JSON text of the value, so equal values have equal fingerprints. Different values have different fingerprints
/// with a probability of 1 - 2^-32.
package struct ValueFingerprint: Sendable, Hashable {
    /// The checksum.
    package let rawValue: UInt32

    /// Takes the fingerprint of a value of any nesting.
    package init(_ value: PropertyListValue) {
        // Not `JSONText.encode`, which throws for values nested too deeply.
        var writer = JSONWriter()
        writer.writeText(value)
        rawValue = CRC32C.checksum(of: writer.bytes[...])
    }

    init(rawValue: UInt32) {
        self.rawValue = rawValue
    }
}

package import KeyspanCore

/// A file format: how keys and values become bytes, and bytes keys and values.
///
/// The file engine knows nothing else of the format, so that all formats are saved by the same code.
package protocol FileCodec: Sendable {
    /// What the format is called, such as `JSON`.
    var name: String { get }

    /// Makes keys and values of all bytes of a file.
    ///
    /// - Throws: ``FileFormatError`` with the format's own error in it.
    func decode(_ bytes: [UInt8]) throws(FileFormatError) -> PropertyListTable

    /// Makes the bytes of a file.
    func encode(_ table: PropertyListTable) -> [UInt8]
}

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

    /// Finds the values of some keys in all bytes of a file, and the lines in which they are.
    ///
    /// - Returns: An entry for each key that the file has; `nil`, which is what a format gets that does not implement this,
    ///   for a format without lines.
    /// - Throws: ``FileFormatError`` as ``decode(_:)`` does.
    func locate(_ keys: Set<String>, in bytes: [UInt8]) throws(FileFormatError) -> [String: LocatedValue]?
}

extension FileCodec {
    /// `nil`: the format has no lines.
    package func locate(_ keys: Set<String>, in bytes: [UInt8]) throws(FileFormatError) -> [String: LocatedValue]? {
        nil
    }
}

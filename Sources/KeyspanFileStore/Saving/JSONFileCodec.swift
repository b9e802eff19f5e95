package import KeyspanCore

/// The JSON form of ``JSONText`` as a file format.
package struct JSONFileCodec: FileCodec {
    /// Makes the codec.
    package init() {}

    package var name: String { "JSON" }

    package func decode(_ bytes: [UInt8]) throws(FileFormatError) -> PropertyListTable {
        do {
            return try JSONText.parseTable(bytes)
        } catch {
            let place = "line \(error.line), column \(error.column)"
            throw FileFormatError(
                reason: "expected \(error.expected) but found \(error.found) in \(place)",
                remedy: error.remedy,
                underlying: error
            )
        }
    }

    package func encode(_ table: PropertyListTable) -> [UInt8] {
        JSONText.encode(table)
    }
}

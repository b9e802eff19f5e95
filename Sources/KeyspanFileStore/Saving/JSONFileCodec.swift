package import KeyspanCore

/// The JSON form of ``JSONText`` as a file format.
package struct JSONFileCodec: FileCodec {
    /// Makes the codec.
    package init() {}

    package func decode(_ bytes: [UInt8]) throws -> PropertyListTable {
        try JSONText.parseTable(bytes)
    }

    package func encode(_ table: PropertyListTable) -> [UInt8] {
        JSONText.encode(table)
    }
}

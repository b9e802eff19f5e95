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
            throw FileFormatError(error)
        }
    }

    package func locate(_ keys: Set<UTF8Text>, in bytes: [UInt8]) throws(FileFormatError) -> TextDictionary<
        LocatedValue
    >? {
        do {
            return try JSONText.locate(keys, in: bytes)
        } catch {
            throw FileFormatError(error)
        }
    }

    package func encode(_ table: PropertyListTable) -> [UInt8] {
        JSONText.encode(table)
    }
}

extension FileFormatError {
    fileprivate init(_ error: JSONTextError) {
        self.init(
            reason: "expected \(error.expected) but found \(error.found) in line \(error.line), column \(error.column)",
            remedy: error.remedy,
            underlying: error
        )
    }
}

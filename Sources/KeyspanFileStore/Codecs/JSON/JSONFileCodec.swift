@_spi(StoreAuthors) package import KeyspanCore

/// The JSON form of ``JSONText`` as a file format.
package struct JSONFileCodec: FileCodec {
    /// Makes the codec.
    package init() {}

    package var name: String { "JSON" }

    package func decode(_ bytes: [UInt8]) throws(FileFormatError) -> PropertyListTable {
        do {
            // Larger files are beyond the offsets of an index; no limit of the options is near that size.
            if bytes.count > JSONDocument.maximumSize { return try JSONText.parseTable(bytes) }
            return PropertyListTable(try JSONDocument(bytes))
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

    package func encode(_ table: PropertyListTable, upTo limit: Int) -> EncodedFile? {
        if let document = table.document as? JSONDocument {
            guard let edited = JSONEditor.apply(table.writes, to: document, upTo: limit) else { return nil }
            return EncodedFile(bytes: edited.bytes, table: PropertyListTable(edited))
        }
        var writer = JSONWriter()
        writer.limit = limit
        writer.writeText(table)
        let bytes = writer.bytes
        if bytes.count > limit { return nil }
        // Values nested too deeply for a reader stay in the table that they came in.
        return EncodedFile(bytes: bytes, table: (try? decode(bytes)) ?? table)
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

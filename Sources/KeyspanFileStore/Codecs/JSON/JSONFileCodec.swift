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
        // Without an index, no lines.
        if bytes.count > JSONDocument.maximumSize { return nil }
        do {
            return try JSONText.locate(keys, in: bytes)
        } catch {
            throw FileFormatError(error)
        }
    }

    package func encode(_ table: PropertyListTable, upTo limit: Int) -> EncodedFile? {
        if let document = table.document as? JSONDocument {
            if let edited = JSONEditor.apply(table.writes, to: document, upTo: limit) {
                return EncodedFile(bytes: edited.bytes, table: PropertyListTable(edited))
            }
            // A text beyond the offsets of an index is written anew.
            if limit <= JSONDocument.maximumSize { return nil }
        }
        // Values nested too deeply for a reader stay in the table that they came in.
        return write(table, upTo: limit).map { EncodedFile(bytes: $0, table: (try? decode($0)) ?? table) }
    }

    package func size(of table: PropertyListTable, upTo limit: Int) -> Int? {
        if let document = table.document as? JSONDocument {
            if let size = JSONEditor.size(of: document, applying: table.writes, upTo: limit) { return size }
            if limit <= JSONDocument.maximumSize { return nil }
        }
        return write(table, upTo: limit)?.count
    }

    private func write(_ table: PropertyListTable, upTo limit: Int) -> [UInt8]? {
        var writer = JSONWriter()
        writer.limit = limit
        writer.writeText(table)
        return writer.bytes.count > limit ? nil : writer.bytes
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

@_spi(StoreAuthors) package import KeyspanCore

/// The JSON form of ``JSONText`` as a file format.
package struct JSONFileCodec: FileCodec {
    private let allowsComments: Bool

    /// Makes a codec.
    ///
    /// - Parameter allowsComments: Whether the file may have comments, and commas behind last members.
    package init(allowingComments allowsComments: Bool = false) {
        self.allowsComments = allowsComments
    }

    package var name: String { "JSON" }

    package var valueForm: Defaults.ValueForm { .readable }

    package func decode(_ bytes: [UInt8]) throws(FileFormatError) -> PropertyListTable {
        do {
            // Larger files are beyond the offsets of an index; no limit of the options is near that size.
            if bytes.count > JSONDocument.maximumSize {
                return try JSONText.parseTable(bytes)
            }
            return PropertyListTable(try JSONDocument(bytes, allowingComments: allowsComments))
        } catch {
            throw FileFormatError(error)
        }
    }

    package func places(
        of paths: [ValuePath],
        in table: PropertyListTable,
        _ bytes: [UInt8]
    ) throws(FileFormatError) -> [LineAndColumn?]? {
        // Without an index, no lines.
        if bytes.count > JSONDocument.maximumSize { return nil }
        do {
            let document = try JSONDocument(bytes, allowingComments: allowsComments)
            return LineAndColumn.places(ofBytes: document.offsets(of: paths) { table.entry($0) == $1 }, in: bytes)
        } catch {
            throw FileFormatError(error)
        }
    }

    package func encode(_ table: PropertyListTable, upTo limit: Int) -> EncodedFile? {
        let (document, writes) = edit(table)
        if let edited = JSONEditor.apply(writes, to: document, upTo: limit) {
            return EncodedFile(bytes: edited.bytes, table: PropertyListTable(edited))
        }
        // A text beyond the offsets of an index is written anew.
        if limit <= JSONDocument.maximumSize { return nil }
        return write(table, upTo: limit).map { EncodedFile(bytes: $0, table: table) }
    }

    package func size(of table: PropertyListTable, upTo limit: Int) -> Int? {
        let edit = edit(table)
        if let size = JSONEditor.size(of: edit.document, applying: edit.writes, upTo: limit) { return size }
        return limit <= JSONDocument.maximumSize ? nil : write(table, upTo: limit)?.count
    }

    /// The text that a table is written over, and the writes that make the table of it.
    private func edit(
        _ table: PropertyListTable
    ) -> (document: JSONDocument, writes: [(key: String, value: PropertyListValue?)]) {
        guard let document = table.document as? JSONDocument else {
            return (JSONDocument(emptyAllowingComments: allowsComments), table.map { ($0.key, $0.value) })
        }
        return (document, table.writes)
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

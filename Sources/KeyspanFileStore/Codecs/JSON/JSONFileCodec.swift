@_spi(StoreAuthors) package import KeyspanCore

/// The JSON form of ``JSONText`` as a file format.
package struct JSONFileCodec: FileCodec {
    package let form: FileForm

    /// Makes the codec of a file.
    package init(_ form: EntryForm = EntryForm()) {
        self.form = FileForm(form)
    }

    package var name: String { "JSON" }

    package var valueForm: Defaults.ValueForm { .readable }

    package func decode(_ bytes: [UInt8]) throws(FileFormatError) -> PropertyListTable {
        do {
            // Larger files are beyond the offsets of an index; no limit of the options is near that size.
            if bytes.count > JSONDocument.maximumSize {
                return form.current.groups.separated(try JSONText.parseTable(bytes))
            }
            return PropertyListTable(try JSONDocument(bytes, as: form.current))
        } catch {
            throw FileFormatError(error)
        }
    }

    package func separated(
        _ table: PropertyListTable,
        as form: EntryForm
    ) throws(FileFormatError) -> PropertyListTable {
        guard let document = table.document as? JSONDocument else { return form.groups.separated(table) }
        var separated: PropertyListTable
        do {
            separated = PropertyListTable(try JSONDocument(document.bytes, as: form))
        } catch {
            throw FileFormatError(error)
        }
        var delta = TableDelta()
        for (key, value) in table.writes { delta.write(value, forKey: key) }
        separated.apply(form.groups.separated(delta, over: separated))
        return separated
    }

    package func locate(_ keys: Set<UTF8Text>, in bytes: [UInt8]) throws(FileFormatError) -> TextDictionary<
        LocatedValue
    >? {
        // Without an index, no lines.
        if bytes.count > JSONDocument.maximumSize { return nil }
        do {
            return try JSONText.locate(keys, in: bytes, as: form.current)
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
            let document = try JSONDocument(bytes, as: form.current)
            return LineAndColumn.places(ofBytes: document.offsets(of: paths) { table[$0] == $1 }, in: bytes)
        } catch {
            throw FileFormatError(error)
        }
    }

    package func keysHeldTwice(in table: PropertyListTable, of bytes: [UInt8]) -> [KeyHeldTwice] {
        guard let document = table.document as? JSONDocument else { return [] }
        return document.index.duplicates.prefix(KeyHeldTwice.limit).map { counting, shadowed in
            KeyHeldTwice(
                key: document.key(at: counting),
                countingLine: document.line(at: document.index.entries[counting].start),
                otherLine: document.line(at: document.index.entries[shadowed].start)
            )
        }
    }

    package func encode(_ table: PropertyListTable, upTo limit: Int) -> EncodedFile? {
        let edit = edit(table)
        if let edited = JSONEditor.apply(edit.writes, to: edit.document, upTo: limit) {
            let isInForm = edited.form == form.current
            let document = isInForm ? edited : (try? JSONDocument(edited.bytes, as: form.current)) ?? edited
            return EncodedFile(bytes: document.bytes, table: PropertyListTable(document))
        }
        // A text beyond the offsets of an index is written anew.
        if limit <= JSONDocument.maximumSize { return nil }
        return write(table, upTo: limit).map { EncodedFile(bytes: $0, table: table) }
    }

    package func members(of table: PropertyListTable) throws(FileFormatError) -> PropertyListTable {
        guard form.hasGroups, let encoded = encode(table, upTo: .max) else { return table }
        let flat = JSONFileCodec(EntryForm(allowsComments: form.current.allowsComments))
        return try flat.decode(encoded.bytes)
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
            return (JSONDocument(emptyAs: form.current), table.map { ($0.key, $0.value) })
        }
        let names = document.namesOfGroups(in: table.writes)
        if names.isEmpty { return (document, table.writes) }
        // Other programs have written a value in the place of a group, which is not one for this edit.
        var form = document.form
        form.groups.add(names)
        guard let document = try? JSONDocument(document.bytes, as: form) else {
            return (JSONDocument(emptyAs: self.form.current), table.map { ($0.key, $0.value) })
        }
        var writes: [(key: String, value: PropertyListValue?)] = []
        PropertyListTable(document).forEachDifference(to: table) { key, _, value in
            writes.append((key, value))
            return true
        }
        return (document, writes)
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

@_spi(StoreAuthors) import KeyspanCore

/// Changes inside of values that are arrays or objects.
extension JSONEditor {
    /// The text of the collection at a place with the items of another one, in which the items that both have keep their text.
    ///
    /// - Parameters:
    ///   - place: The place of the collection.
    ///   - value: The new value.
    ///   - context: The text around the collection.
    /// - Returns: `nil` if the value has to be written as a whole.
    func editedCollection(at place: Int, to value: PropertyListValue, _ context: Context) -> [UInt8]? {
        guard let old = document.value(at: place), old.isCollection, value.isCollection else { return nil }
        let bytes = document.bytes[document.index.entries[place].value]
        // A store has written it, so there is nothing of a person's to keep.
        if self.context == nil, bytes.elementsEqual(JSONWriter.text(of: old, context.layout)) { return nil }
        // One with comments alone, or members that are `null`, has text to keep.
        if bytes.dropFirst().dropLast().allSatisfy(\.isJSONSpace) { return nil }
        let editor: JSONEditor? =
            switch (old, value) {
            case (.array(let old), .array(let new)): editor(of: Array(bytes), from: old, to: new, context)
            case (.dictionary(let old), .dictionary(let new)): editor(of: Array(bytes), from: old, to: new, context)
            default: nil
            }
        guard let text = editor?.splices.appliedText() else { return nil }
        // Once for all levels: where names are special, the text of a value can be another one among other members.
        return self.context != nil || isText(text, of: value) ? text : nil
    }

    private func editor(
        of text: [UInt8],
        from old: [PropertyListValue],
        to new: [PropertyListValue],
        _ context: Context
    ) -> JSONEditor? {
        guard let inner = try? JSONDocument(elementsOf: text, allowingComments: document.allowsComments),
            inner.placeCount == old.count
        else { return nil }
        return JSONEditor(ArrayChanges(from: old, to: new), to: inner, within: context)
    }

    private func editor(
        of text: [UInt8],
        from old: PropertyListDictionary,
        to new: PropertyListDictionary,
        _ context: Context
    ) -> JSONEditor? {
        // An object with one special name is not written as its members.
        guard !TaggedForm.mustEscape(old), !TaggedForm.mustEscape(new),
            let inner = try? JSONDocument(text, allowingComments: document.allowsComments),
            inner.count == old.count
        else { return nil }
        var writes = new.map { (key: $0, value: PropertyListValue?.some($1)) }
        for (key, _) in old {
            guard inner.hasValue(forKey: key) else { return nil }
            if new[key] == nil { writes.append((key, nil)) }
        }
        return JSONEditor(writes, to: inner, upTo: .max, within: context)
    }

    private func isText(_ text: [UInt8], of value: PropertyListValue) -> Bool {
        text.withUnsafeBufferPointer { text in
            var reader = JSONReader(TextCursor(text), allowingComments: document.allowsComments)
            return (try? reader.readText()) == value
        }
    }
}

extension JSONWriter {
    fileprivate static func text(of value: PropertyListValue, _ layout: JSONLayout) -> [UInt8] {
        var writer = JSONWriter(layout)
        writer.writeValue(value)
        return writer.bytes
    }
}

extension PropertyListValue {
    fileprivate var isCollection: Bool {
        switch self {
        case .array, .dictionary: true
        case .boolean, .integer, .real, .string, .date, .data: false
        }
    }
}

extension JSONDocument {
    /// Makes a document of an array, whose elements are entries without names.
    fileprivate convenience init(elementsOf text: [UInt8], allowingComments allowsComments: Bool) throws(JSONTextError)
    {
        let (index, hasComments) = try JSONText.read(text, allowingComments: allowsComments) {
            (reader) throws(JSONFault) in (try reader.readElementIndex(), reader.hasComments)
        }
        self.init(text, index, allowingComments: allowsComments, hasComments: hasComments)
    }
}

extension JSONReader {
    /// Notes where the elements of a text with an array are, each as an entry without a name.
    fileprivate mutating func readElementIndex() throws(JSONFault) -> JSONIndex {
        var array = JSONObject(open: cursor.position, close: 0, isSorted: false)
        guard cursor.consume(ASCII.openBracket) else { throw JSONFault(.value, at: cursor.position) }
        var entries: ContiguousArray<JSONEntry> = []
        try skipSpace()
        if cursor.current != ASCII.closeBracket {
            repeat {
                let start = cursor.position
                try skipValue()
                let name = (start + 1)..<(start + 1)
                let value = start..<cursor.position
                entries.append(JSONEntry(name: name, value: value, hash: 0, hasEscapes: false, isNull: false))
            } while try consumeComma(before: ASCII.closeBracket)
        }
        array.close = cursor.position
        guard cursor.consume(ASCII.closeBracket) else { throw JSONFault(.commaOrBracket, at: cursor.position) }
        try readEnd()
        // No element is looked up by its name, so there is no table of hashes to make.
        return JSONIndex(entries, of: array, named: JSONIndex(of: array))
    }
}

import KeyspanCore

/// Reads an XML property list from its first byte to its last, with or without the `<plist>` element around the value.
///
/// Foundation's `PropertyListDecoder` is not used because it cannot tell `<real>1</real>` from `<integer>1</integer>`:
/// both decode as `Int` and as `Double`. It reads the string `$null` as nothing, too.
///
/// The parts are in extensions by what they read: the beginning, tags, and the text of elements.
struct XMLPropertyListReader {
    var cursor: ByteCursor

    /// The collections around the place that is read, outermost first: a stack of our own, so that nesting in the text
    /// costs no stack of the thread.
    private var openCollections: [GrowingCollection] = []

    /// The text of an element that is no run of bytes of the input while it is put together; kept to reuse its memory.
    var assembled: [UInt8] = []

    /// Begins at the start of a text in UTF-8.
    init(_ bytes: UnsafeBufferPointer<UInt8>) throws(XMLFault) {
        switch TextBeginning.flaw(of: bytes) {
        case .otherEncoding?: throw XMLFault(.otherEncoding, at: 0)
        case .nulBytes?: throw XMLFault(.nulBytes, at: 0)
        case nil: cursor = ByteCursor(bytes)
        }
    }

    /// Reads a whole document of any value.
    mutating func readDocument(levels: Int) throws(XMLFault) -> PropertyListValue {
        let (tag, isWrapped) = try readBeginning()
        let value = try readValue(of: tag, levels: levels)
        try readEnd(isWrapped: isWrapped)
        return value
    }

    /// Reads a whole document with a dictionary.
    ///
    /// - Parameter noteKey: Called with each key and the index of its element, in their order.
    mutating func readTable(noteKey: (String, Int) -> Void = { _, _ in }) throws(XMLFault) -> PropertyListTable {
        let (tag, isWrapped) = try readBeginning()
        guard tag.element == .dict else { throw XMLFault(.topLevelDictionary, at: tag.start) }
        var table = PropertyListTable()
        while try !isAtEnd(of: tag) {
            let (key, start) = try readKey()
            noteKey(key, start)
            let value = try readValue(of: try readOpeningTag(), levels: PropertyListValue.maximumNesting)
            guard table.updateValue(value, forKey: key) == nil else { throw XMLFault(.duplicateKey, at: start) }
        }
        try readEnd(isWrapped: isWrapped)
        return table
    }

    /// Reads an element after its opening tag, with all that is in it.
    private mutating func readValue(of tag: XMLTag, levels: Int) throws(XMLFault) -> PropertyListValue {
        var finished = try readScalarOrOpen(tag, levels: levels)
        while true {
            if let value = finished {
                guard let innermost = openCollections.indices.last else { return value }
                guard openCollections[innermost].add(value) else {
                    throw XMLFault(.duplicateKey, at: openCollections[innermost].keyOffset)
                }
            }
            finished = try readItemOrClose(levels: levels)
        }
    }

    /// Reads the next item of the innermost collection, or the collection's end.
    ///
    /// - Returns: The item or the collection; `nil` if a collection was opened.
    private mutating func readItemOrClose(levels: Int) throws(XMLFault) -> PropertyListValue? {
        let innermost = openCollections.count - 1
        let isDictionary = openCollections[innermost].isDictionary
        try skipMiscellaneous()
        if cursor.isAt("</") {
            try readClosingTag(isDictionary ? .dict : .array)
            return openCollections.removeLast().value
        }
        if isDictionary {
            (openCollections[innermost].key, openCollections[innermost].keyOffset) = try readKey()
        }
        return try readScalarOrOpen(try readOpeningTag(), levels: levels)
    }

    /// Reads a value that has no parts, or steps into a collection.
    ///
    /// - Returns: The value; `nil` for a collection.
    private mutating func readScalarOrOpen(_ tag: XMLTag, levels: Int) throws(XMLFault) -> PropertyListValue? {
        switch tag.element {
        case .dict, .array:
            guard openCollections.count < levels else { throw XMLFault(.nesting, at: tag.start) }
            let collection = GrowingCollection(isDictionary: tag.element == .dict)
            if tag.isEmpty { return collection.value }
            openCollections.append(collection)
            return nil
        case .true, .false:
            guard try readText(of: tag).isEmpty else { throw XMLFault(.content(tag.element), at: tag.start) }
            return .boolean(tag.element == .true)
        case .string: return .string(try readText(of: tag))
        case .integer: return .integer(try convertText(of: tag, XMLContent.integer))
        case .real: return .real(try readReal(of: tag))
        case .date: return .date(try convertText(of: tag, XMLContent.date))
        case .data: return .data(try convertText(of: tag, XMLContent.data))
        case .key, .plist: throw XMLFault(.unknownElement, at: tag.start)
        }
    }

    private mutating func readKey() throws(XMLFault) -> (key: String, start: Int) {
        let tag = try readOpeningTag()
        guard tag.element == .key else { throw XMLFault(.key, at: tag.start) }
        return (try readText(of: tag), tag.start)
    }
}

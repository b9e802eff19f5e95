import KeyspanCore

/// What is around the values: the beginning and the end of a document, tags, comments and processing instructions.
extension XMLPropertyListReader {
    /// Reads everything up to the text of the value's element.
    ///
    /// - Returns: The opening tag of that element, and whether `<plist>` is around it.
    mutating func readBeginning() throws(XMLFault) -> (tag: XMLTag, isWrapped: Bool) {
        try skipProlog()
        let tag = try readOpeningTag()
        guard tag.element == .plist else { return (tag, false) }
        guard !tag.isEmpty else { throw XMLFault(.emptyDocument, at: tag.start) }
        try skipMiscellaneous()
        if cursor.isAt("</plist") { throw XMLFault(.emptyDocument, at: tag.start) }
        return (try readOpeningTag(), true)
    }

    /// Reads what follows the value, which is no further one.
    mutating func readEnd(isWrapped: Bool) throws(XMLFault) {
        if isWrapped {
            try skipMiscellaneous()
            try readClosingTag(.plist)
        }
        try skipMiscellaneous()
        guard cursor.isAtEnd else { throw XMLFault(.contentAfterValue, at: cursor.position) }
    }

    /// Skips space, comments and processing instructions between elements.
    mutating func skipMiscellaneous() throws(XMLFault) {
        cursor.skipWhitespace()
        while true {
            if cursor.isAt("<!--") {
                try skipComment()
            } else if cursor.isAt("<?") {
                try skipInstruction()
            } else {
                return
            }
            cursor.skipWhitespace()
        }
    }

    /// Skips a processing instruction, which means something to other programs.
    mutating func skipInstruction() throws(XMLFault) {
        let start = cursor.position
        guard cursor.consume("<?") else { return }
        let nameStart = cursor.position
        while !cursor.isAtEnd, !cursor.current.isSpace, !cursor.isAt("?>") { _ = cursor.take() }
        let name = String(decoding: cursor.range(from: nameStart), as: UTF8.self)
        guard XMLContent.isName(name) else { throw XMLFault(.instructionName, at: nameStart) }
        // XML keeps the name for the declaration, in any case of its letters.
        if name.lowercased() == "xml" { throw XMLFault(.misplacedDeclaration, at: start) }
        guard cursor.skip(through: "?>") else { throw XMLFault(.unclosed(.instruction), at: start) }
    }

    mutating func skipComment() throws(XMLFault) {
        let start = cursor.position
        guard cursor.consume("<!--"), cursor.skip(through: "-->") else {
            throw XMLFault(.unclosed(.comment), at: start)
        }
    }

    /// Reads an opening tag, after space, comments and processing instructions.
    mutating func readOpeningTag() throws(XMLFault) -> XMLTag {
        try skipMiscellaneous()
        let start = cursor.position
        guard cursor.consume(UInt8(ascii: "<")) else { throw XMLFault(.openingTag, at: start) }
        let name = cursor.takeWord()
        guard !name.isEmpty else { throw XMLFault(.elementName, at: cursor.position) }
        guard let element = XMLElement(name) else { throw XMLFault(.unknownElement, at: start) }
        cursor.skipWhitespace()
        // Its version, which has been 1.0 since 2002.
        if element == .plist { skipAttributes() }
        let isEmpty = cursor.consume(UInt8(ascii: "/"))
        guard cursor.consume(UInt8(ascii: ">")) else { throw XMLFault(.tagEnd, at: cursor.position) }
        return XMLTag(element: element, isEmpty: isEmpty, start: start)
    }

    /// Reads the closing tag of an element, which is next.
    mutating func readClosingTag(_ element: XMLElement) throws(XMLFault) {
        let start = cursor.position
        if cursor.consume("</"), cursor.consume(element.name) {
            cursor.skipWhitespace()
            if cursor.consume(UInt8(ascii: ">")) { return }
        }
        throw XMLFault(.closingTag(element), at: start)
    }

    /// Whether the content of an element has ended; consumes its closing tag then.
    mutating func isAtEnd(of tag: XMLTag) throws(XMLFault) -> Bool {
        if tag.isEmpty { return true }
        try skipMiscellaneous()
        guard cursor.isAt("</") else { return false }
        try readClosingTag(tag.element)
        return true
    }

    private mutating func skipAttributes() {
        while !cursor.isAtEnd, cursor.current != UInt8(ascii: ">"), cursor.current != UInt8(ascii: "/"),
            cursor.current != UInt8(ascii: "<")
        {
            _ = cursor.take()
        }
    }

    /// Skips the declaration, comments, processing instructions and the document type before the first element.
    private mutating func skipProlog() throws(XMLFault) {
        _ = cursor.consume("\u{FEFF}")
        cursor.skipWhitespace()
        // Programs that put a comment before the declaration are not refused.
        while cursor.isAt("<!--") {
            try skipComment()
            cursor.skipWhitespace()
        }
        if cursor.isAtEnd { throw XMLFault(.emptyText, at: cursor.position) }
        guard cursor.current == UInt8(ascii: "<") else { throw XMLFault(.noPropertyList, at: cursor.position) }
        if isAtDeclaration { try skipDeclaration() }
        try skipMiscellaneous()
        let start = cursor.position
        guard cursor.consume("<!DOCTYPE") else { return }
        guard cursor.skip(through: ">") else { throw XMLFault(.unclosed(.documentType), at: start) }
        guard !cursor.range(from: start).contains(UInt8(ascii: "[")) else { throw XMLFault(.declarations, at: start) }
    }

    /// Whether the declaration is next, and not an instruction whose name begins like it, such as `xml-stylesheet`.
    private var isAtDeclaration: Bool {
        var rest = cursor
        guard rest.consume("<?xml") else { return false }
        return rest.current.isSpace
    }

    private mutating func skipDeclaration() throws(XMLFault) {
        let start = cursor.position
        guard cursor.skip(through: "?>") else { throw XMLFault(.unclosed(.declaration), at: start) }
        let words = String(decoding: cursor.range(from: start), as: UTF8.self).lowercased()
        guard !words.contains("encoding") || words.contains("utf-8") || words.contains("us-ascii") else {
            throw XMLFault(.declaredEncoding, at: start)
        }
    }
}

import Keyspan

/// The small part of XML that property lists are made of: elements without attributes, text, comments.
///
/// There are no entities but the five of XML itself, so a document cannot name a file or grow while it is read.
struct XMLScanner {
    /// An opening tag.
    struct Tag {
        /// The element's name.
        let name: String
        /// Whether it is closed already: `<dict/>`.
        let isEmpty: Bool
        /// Its offset.
        let start: Int
    }

    private var cursor: TextCursor

    /// Begins at the start of a text.
    init(_ text: String) {
        cursor = TextCursor(text)
    }

    /// An error at an offset, or at the next byte.
    func error(_ reason: String, at offset: Int? = nil) -> TextFormatError {
        cursor.error(reason, at: offset)
    }

    /// The error for a collection that is nested too deep for any store.
    func nestingError(at offset: Int) -> TextFormatError {
        cursor.nestingError(at: offset)
    }

    /// Skips the declaration, comments and the document type before the first element.
    mutating func skipProlog() throws(TextFormatError) {
        _ = cursor.consume("\u{FEFF}")
        try skipSpaceAndComments()
        if cursor.isAt("<?xml") { try skipDeclaration() }
        try skipSpaceAndComments()
        let start = cursor.position
        guard cursor.consume("<!DOCTYPE") else { return }
        guard let type = cursor.consume(through: ">") else { throw error("the document type has no end", at: start) }
        guard !type.contains("[") else { throw error("a document type with declarations is not read", at: start) }
    }

    /// Skips space and comments between elements.
    mutating func skipSpaceAndComments() throws(TextFormatError) {
        cursor.skipSpace()
        while cursor.isAt("<!--") {
            try skipComment()
            cursor.skipSpace()
        }
    }

    /// Makes sure that nothing follows.
    func expectEnd() throws(TextFormatError) {
        guard cursor.isAtEnd else { throw error("\(cursor.currentDescription) follows the value") }
    }

    /// Reads an opening tag, after space and comments.
    mutating func readOpeningTag() throws(TextFormatError) -> Tag {
        try skipSpaceAndComments()
        let start = cursor.position
        guard cursor.consume("<") else { throw error("“<” is expected instead of \(cursor.currentDescription)") }
        let name = cursor.consume(while: \.isAlphanumeric)
        guard !name.isEmpty else { throw error("an element is expected", at: start) }
        cursor.skipSpace()
        if name == "plist" {
            // Its version, which has been 1.0 since 2002.
            _ = cursor.consume { $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "<") }
        }
        let isEmpty = cursor.consume("/")
        guard cursor.consume(">") else {
            throw error("“>” is expected instead of \(cursor.currentDescription)")
        }
        return Tag(name: name, isEmpty: isEmpty, start: start)
    }

    /// Reads the closing tag of an element, after space and comments.
    mutating func readClosingTag(_ name: String) throws(TextFormatError) {
        try skipSpaceAndComments()
        let start = cursor.position
        if cursor.consume("</\(name)") {
            cursor.skipSpace()
            if cursor.consume(">") { return }
        }
        throw error("</\(name)> is expected", at: start)
    }

    /// Whether the content of an element has ended; consumes its closing tag then.
    mutating func isAtEnd(of tag: Tag) throws(TextFormatError) -> Bool {
        if tag.isEmpty { return true }
        try skipSpaceAndComments()
        guard cursor.isAt("</") else { return false }
        try readClosingTag(tag.name)
        return true
    }

    /// Reads the text of an element and its closing tag.
    mutating func readText(of tag: Tag) throws(TextFormatError) -> String {
        var text = ""
        if tag.isEmpty { return text }
        while true {
            // XML makes every line end a line feed, but for those that are written as references.
            text += Self.normalizeLines(cursor.consume { $0 != UInt8(ascii: "<") && $0 != UInt8(ascii: "&") })
            if cursor.current == UInt8(ascii: "&") {
                text.unicodeScalars.append(try readReference())
            } else if cursor.isAt("<!--") {
                try skipComment()
            } else if cursor.isAt("<![CDATA[") {
                text += try readCharacterData()
            } else {
                try readClosingTag(tag.name)
                return text
            }
        }
    }

    private mutating func skipDeclaration() throws(TextFormatError) {
        let start = cursor.position
        guard let declaration = cursor.consume(through: "?>") else {
            throw error("the XML declaration has no end", at: start)
        }
        let words = declaration.lowercased()
        guard !words.contains("encoding") || words.contains("utf-8") || words.contains("us-ascii") else {
            throw error("the text is in another encoding than UTF-8", at: start)
        }
    }

    private mutating func skipComment() throws(TextFormatError) {
        let start = cursor.position
        guard cursor.consume("<!--"), cursor.consume(through: "-->") != nil else {
            throw error("the comment has no end", at: start)
        }
    }

    private mutating func readCharacterData() throws(TextFormatError) -> String {
        let start = cursor.position
        guard cursor.consume("<![CDATA["), let text = cursor.consume(through: "]]>") else {
            throw error("the CDATA section has no end", at: start)
        }
        return Self.normalizeLines(text)
    }

    private mutating func readReference() throws(TextFormatError) -> Unicode.Scalar {
        let start = cursor.position
        cursor.advance()
        let name = cursor.consume { $0.isAlphanumeric || $0 == UInt8(ascii: "#") }
        guard cursor.consume(";"), let scalar = Self.scalar(ofReference: name) else {
            throw error("“&” begins no character reference; the character itself is written &amp;", at: start)
        }
        return scalar
    }

    private static func scalar(ofReference name: String) -> Unicode.Scalar? {
        switch name {
        case "amp": "&"
        case "lt": "<"
        case "gt": ">"
        case "quot": "\""
        case "apos": "'"
        case _ where name.hasPrefix("#x"): UInt32(name.dropFirst(2), radix: 16).flatMap(Unicode.Scalar.init)
        case _ where name.hasPrefix("#"): UInt32(name.dropFirst()).flatMap(Unicode.Scalar.init)
        default: nil
        }
    }

    private static func normalizeLines(_ text: String) -> String {
        guard text.utf8.contains(0x0D) else { return text }
        let bytes = Array(text.utf8)
        let kept = bytes.indices.filter { bytes[$0] != 0x0D || $0 + 1 == bytes.count || bytes[$0 + 1] != 0x0A }
        return String(decoding: kept.map { bytes[$0] == 0x0D ? 0x0A : bytes[$0] }, as: UTF8.self)
    }
}

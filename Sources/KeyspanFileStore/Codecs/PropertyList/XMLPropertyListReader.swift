@_spi(StoreAuthors) import KeyspanCore

/// Reads an XML property list from its first byte to its last, with or without the `<plist>` element around the value.
///
/// Foundation's `PropertyListDecoder` cannot distinguish `<real>1</real>` from `<integer>1</integer>`, because both decode as `Int`
/// and as `Double`, and reads the string `$null` as `nil`.
struct XMLPropertyListReader {
    var cursor: TextCursor

    /// The collections around the cursor, outermost first: a stack of the reader's own, so that deep texts do not exhaust the
    /// thread's stack.
    private var openCollections: [OpenCollection] = []

    /// A collection of which some items are still unread.
    private struct OpenCollection {
        var collection: GrowingCollection
        /// The parts of it to be found, if there are any.
        let wanted: PartTree?
    }

    /// The parts of the table to be found.
    private let wanted: PartTree?
    /// The parts of the next value to be found, if there are any.
    private var wantedNext: PartTree?
    /// The offsets of the parts: of the XML element of a key, or of an element of an array.
    private(set) var offsets: [Int?]

    /// The buffer for texts with references or comments, kept to reuse its memory.
    var assembled: [UInt8] = []

    /// Begins at the start of a text in UTF-8.
    ///
    /// - Parameters:
    ///   - bytes: The text.
    ///   - paths: Parts of the table to be found, each with a key of it as the first step.
    init(_ bytes: UnsafeBufferPointer<UInt8>, finding paths: [ValuePath] = []) throws(XMLFault) {
        wanted = paths.isEmpty ? nil : PartTree(paths)
        offsets = [Int?](repeating: nil, count: paths.count)
        switch TextBeginning.flaw(of: bytes) {
        case .otherEncoding?: throw XMLFault(.otherEncoding, at: 0)
        case .nulBytes?: throw XMLFault(.nulBytes, at: 0)
        case nil: cursor = TextCursor(bytes)
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
    mutating func readTable() throws(XMLFault) -> PropertyListTable {
        let (tag, isWrapped) = try readBeginning()
        guard tag.element == .dict else { throw XMLFault(.topLevelDictionary, at: tag.start) }
        var table = PropertyListTable()
        while try !isAtEnd(of: tag) {
            let (key, start) = try readKey()
            wantedNext = wanted?.members[key]
            wantedNext?.note(start, in: &offsets)
            let value = try readValue(of: try readOpeningTag(), levels: PropertyListValue.maximumNesting)
            guard table.updateValue(value, forKey: key) == nil else { throw XMLFault(.duplicateKey, at: start) }
        }
        try readEnd(isWrapped: isWrapped)
        return table
    }

    /// Reads the rest of an element after its opening tag.
    private mutating func readValue(of tag: XMLTag, levels: Int) throws(XMLFault) -> PropertyListValue {
        var finished = try readScalarOrOpen(tag, levels: levels)
        while true {
            if let value = finished {
                guard let innermost = openCollections.indices.last else { return value }
                guard openCollections[innermost].collection.add(value) else {
                    throw XMLFault(.duplicateKey, at: openCollections[innermost].collection.keyOffset)
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
        let isDictionary = openCollections[innermost].collection.isDictionary
        try skipMiscellaneous()
        if cursor.isAt("</") {
            try readClosingTag(isDictionary ? .dict : .array)
            return openCollections.removeLast().collection.value
        }
        var start = cursor.position
        let parts = openCollections[innermost].wanted
        if isDictionary {
            let key: String
            (key, start) = try readKey()
            (openCollections[innermost].collection.key, openCollections[innermost].collection.keyOffset) = (key, start)
            wantedNext = parts?.members[key]
        } else {
            wantedNext = parts?.elements[openCollections[innermost].collection.elementCount]
        }
        wantedNext?.note(start, in: &offsets)
        return try readScalarOrOpen(try readOpeningTag(), levels: levels)
    }

    /// Reads a scalar, or opens a collection.
    ///
    /// - Returns: The scalar or an empty collection; `nil` for an opened collection.
    private mutating func readScalarOrOpen(_ tag: XMLTag, levels: Int) throws(XMLFault) -> PropertyListValue? {
        switch tag.element {
        case .dict, .array:
            guard openCollections.count < levels else { throw XMLFault(.nesting, at: tag.start) }
            let collection = GrowingCollection(isDictionary: tag.element == .dict)
            if tag.isEmpty { return collection.value }
            openCollections.append(OpenCollection(collection: collection, wanted: wantedNext))
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

// MARK: Beginning, end, tags, comments and processing instructions

extension XMLPropertyListReader {
    /// Reads everything up to the text of the value's element.
    ///
    /// - Returns: The opening tag of that element, and whether `<plist>` encloses it.
    mutating func readBeginning() throws(XMLFault) -> (tag: XMLTag, isWrapped: Bool) {
        try skipProlog()
        let tag = try readOpeningTag()
        guard tag.element == .plist else { return (tag, false) }
        guard !tag.isEmpty else { throw XMLFault(.emptyDocument, at: tag.start) }
        try skipMiscellaneous()
        if cursor.isAt("</plist") { throw XMLFault(.emptyDocument, at: tag.start) }
        return (try readOpeningTag(), true)
    }

    /// Reads the rest of the document after its value.
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

    /// Skips a processing instruction, which only matters to other programs.
    mutating func skipInstruction() throws(XMLFault) {
        let start = cursor.position
        guard cursor.consume("<?") else { return }
        let nameStart = cursor.position
        while !cursor.isAtEnd, !cursor.current.isSpace, !cursor.isAt("?>") { _ = cursor.take() }
        let name = String(decoding: cursor.range(from: nameStart), as: UTF8.self)
        guard XMLContent.isName(name) else { throw XMLFault(.instructionName, at: nameStart) }
        // XML reserves the name for the declaration, in upper and lower case.
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
        let name = cursor.take(while: \.isAlphanumeric)
        guard !name.isEmpty else { throw XMLFault(.elementName, at: cursor.position) }
        guard let element = XMLElement(name) else { throw XMLFault(.unknownElement, at: start) }
        cursor.skipWhitespace()
        // The attribute is the version, which has been 1.0 since 2002.
        if element == .plist { skipAttributes() }
        let isEmpty = cursor.consume(UInt8(ascii: "/"))
        guard cursor.consume(UInt8(ascii: ">")) else { throw XMLFault(.tagEnd, at: cursor.position) }
        return XMLTag(element: element, isEmpty: isEmpty, start: start)
    }

    /// Reads the closing tag of an element.
    mutating func readClosingTag(_ element: XMLElement) throws(XMLFault) {
        let start = cursor.position
        if cursor.consume("</"), cursor.consume(element.name) {
            cursor.skipWhitespace()
            if cursor.consume(UInt8(ascii: ">")) { return }
        }
        throw XMLFault(.closingTag(element), at: start)
    }

    /// Whether the content of an element has ended; if so, consumes its closing tag.
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
        // Some programs put a comment before the declaration.
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

    /// Whether the declaration comes next, and not an instruction such as `xml-stylesheet`.
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

/// The opening tag of an element.
struct XMLTag {
    let element: XMLElement
    /// Whether the tag closes the element as well: `<dict/>`.
    let isEmpty: Bool
    /// The offset of the tag.
    let start: Int
}

/// The elements of property lists.
enum XMLElement: Equatable, CustomStringConvertible {
    case plist, dict, key, array, string, integer, real, `true`, `false`, date, data

    /// Finds the element of a name.
    init?(_ name: UnsafeBufferPointer<UInt8>) {
        guard let candidate = Self.candidate(for: name) else { return nil }
        guard candidate.name.withUTF8Buffer(name.elementsEqual) else { return nil }
        self = candidate
    }

    /// The name of the element.
    var name: StaticString {
        switch self {
        case .plist: "plist"
        case .dict: "dict"
        case .key: "key"
        case .array: "array"
        case .string: "string"
        case .integer: "integer"
        case .real: "real"
        case .true: "true"
        case .false: "false"
        case .date: "date"
        case .data: "data"
        }
    }

    var description: String { name.description }

    /// The only element that can have a name, judged by its length and a few letters.
    private static func candidate(for name: UnsafeBufferPointer<UInt8>) -> XMLElement? {
        switch (name.count, name.first) {
        case (3, UInt8(ascii: "k")): .key
        case (4, UInt8(ascii: "d")) where name[1] == UInt8(ascii: "i"): .dict
        case (4, UInt8(ascii: "d")): name[3] == UInt8(ascii: "e") ? .date : .data
        case (4, UInt8(ascii: "r")): .real
        case (4, UInt8(ascii: "t")): .true
        case (5, UInt8(ascii: "f")): .false
        case (5, UInt8(ascii: "a")): .array
        case (5, UInt8(ascii: "p")): .plist
        case (6, UInt8(ascii: "s")): .string
        case (7, UInt8(ascii: "i")): .integer
        default: nil
        }
    }
}

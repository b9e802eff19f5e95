#if YAML
@_spi(StoreAuthors) internal import KeyspanCore
@_spi(StoreAuthors) internal import KeyspanFileStore

/// Reads YAML texts in the form that ``YAMLFileStore`` describes.
struct YAMLText: TextFormat {
    var name: String { "YAML" }

    /// How much the aliases of a text may stand for, in the measure of `TextTree.Item.cost`: four times the largest text.
    static let maximumExpansion = 4 << 20

    func parse(_ bytes: [UInt8]) throws(TextFileError) -> ParsedText {
        if let error = TextFileError(ifNotText: bytes) { throw error }
        try Self.checkLines(of: bytes)
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        // The parser leaves out the line feed of a last line without one, which a block has in YAML 1.2.
        let isEnded = bytes.last == UInt8(ascii: "\n")
        return try (isEnded ? bytes : bytes + "\n".utf8).withUnsafeBufferPointer { (bytes) throws(TextFileError) in
            let text = bytes.starts(with: mark) ? UnsafeBufferPointer(rebasing: bytes.dropFirst(mark.count)) : bytes
            var tokens = YAMLTokens(text)
            try tokens.check()
            var reader = YAMLReader(YAMLEvents(text))
            return try reader.readText()
        }
    }

    /// The most `%TAG` directives, each of which the parser compares with all others.
    private static let mostTagDirectives = 64

    /// Refuses what the parser reads by YAML 1.1, or in quadratic time.
    private static func checkLines(of bytes: [UInt8]) throws(TextFileError) {
        var (directives, before) = (0, UInt8(ascii: "\n"))
        for (offset, byte) in bytes.enumerated() {
            defer { before = byte }
            switch byte {
            case 0xC2 where bytes[offset...].starts(with: [0xC2, 0x85]),
                0xE2 where bytes[offset...].starts(with: [0xE2, 0x80, 0xA8]),
                0xE2 where bytes[offset...].starts(with: [0xE2, 0x80, 0xA9]):
                throw TextFileError(
                    at: LineAndColumn(ofByte: offset, in: bytes),
                    expected: "a character that ends no line in any version of YAML",
                    found: "U+0085, U+2028 or U+2029",
                    remedy: "write it as an escape in double quotes: \"\\N\", \"\\L\" or \"\\P\""
                )
            case UInt8(ascii: "%") where "\r\n".utf8.contains(before):
                guard bytes[offset...].starts(with: "%TAG".utf8) else { continue }
                directives += 1
                guard directives > mostTagDirectives else { continue }
                throw TextFileError(
                    at: LineAndColumn(ofByte: offset, in: bytes),
                    expected: "at most \(mostTagDirectives) `%TAG` directives",
                    found: "one more",
                    remedy: "remove the directives, which no value needs"
                )
            default: continue
            }
        }
    }
}

/// Makes values of the events of one text.
private struct YAMLReader: ~Copyable {
    /// The node that an anchor names.
    private struct Anchor {
        let number: Int
        /// `nil` as long as the node is open.
        var item: TextTree.Item?
    }

    private var events: YAMLEvents
    private var tree = TextTree()
    private var anchors: TextDictionary<Anchor> = [:]
    private var anchorCount = 0
    /// The anchors of the open collections.
    private var openAnchors: [(name: String, number: Int)?] = []
    private var expansion = 0

    init(_ events: consuming YAMLEvents) {
        self.events = events
    }

    mutating func readText() throws(TextFileError) -> ParsedText {
        var text: ParsedText?
        var hasDocument = false
        while true {
            let event = try events.next()
            switch event.kind {
            case .streamEnd: return text ?? .empty
            case .other: break
            case .documentStart:
                if hasDocument { throw .secondDocument(at: event.place) }
                hasDocument = true
            case .alias(let name): try readAlias(of: name, at: event.place)
            case .scalar(let scalar, let anchor): try read(scalar, anchor: anchor, at: event.place)
            case .collectionStart(let isMapping, let tag, let anchor):
                try open(isMapping: isMapping, tag: tag, anchor: anchor, at: event.place)
            case .collectionEnd:
                let item = try close()
                if tree.depth == 0 {
                    text = TextTree.text(of: item)
                } else {
                    try tree.append(item, at: event.place)
                }
            }
        }
    }

    private mutating func read(
        _ scalar: YAMLScalar,
        anchor: String?,
        at place: LineAndColumn
    ) throws(TextFileError) {
        if tree.expectsName {
            let name = try scalar.name(at: place)
            note(.scalar(.string(name)), as: anchor)
            return try tree.begin(name, at: place)
        }
        if tree.depth == 0 {
            // A text of comments alone, or one that begins with `---`, has a null there.
            guard scalar.isPlain, scalar.text.isEmpty, scalar.tag == nil else { throw .topLevel("a scalar", at: place) }
            return
        }
        let item = try scalar.item(at: place)
        note(item, as: anchor)
        try tree.append(item, at: place)
    }

    private mutating func open(
        isMapping: Bool,
        tag: String?,
        anchor: String?,
        at place: LineAndColumn
    ) throws(TextFileError) {
        guard tree.depth > 0 || isMapping else { throw .topLevel("a sequence", at: place) }
        if tree.expectsName { throw .complexName(isMapping ? "a mapping" : "a sequence", at: place) }
        let own = isMapping ? "tag:yaml.org,2002:map" : "tag:yaml.org,2002:seq"
        guard tag == nil || tag == "!" || tag == own else { throw .unsupportedTag(at: place) }
        try tree.open(isMapping: isMapping, at: place)
        openAnchors.append(note(nil, as: anchor).flatMap { number in anchor.map { ($0, number) } })
    }

    private mutating func close() throws(TextFileError) -> TextTree.Item {
        let item = try tree.close()
        // A node in the collection may have taken the name.
        if let anchor = openAnchors.popLast().flatMap({ $0 }), anchors[anchor.name]?.number == anchor.number {
            anchors[anchor.name]?.item = item
        }
        return item
    }

    private mutating func readAlias(of name: String, at place: LineAndColumn) throws(TextFileError) {
        if tree.expectsName { throw .complexName("an alias", at: place) }
        guard let anchor = anchors[name] else {
            throw TextFileError(at: place, expected: "an alias of a node before it", found: "one without such a node")
        }
        guard let item = anchor.item else {
            throw TextFileError(
                at: place,
                expected: "an alias of a node before it",
                found: "one of the node that it is in",
                remedy: "a property list cannot contain itself: write the value out"
            )
        }
        expansion += item.cost
        guard expansion <= YAMLText.maximumExpansion else {
            throw TextFileError(
                at: place,
                expected: "aliases that stand for at most \(YAMLText.maximumExpansion >> 20) MiB",
                found: "one more",
                remedy: "use fewer aliases of large nodes"
            )
        }
        try tree.check(nestingOf: item, at: place)
        try tree.append(item, at: place)
    }

    /// Notes the node of an anchor; `nil` for one that is open.
    ///
    /// - Returns: The number of the anchor; `nil` without one.
    @discardableResult
    private mutating func note(_ item: TextTree.Item?, as anchor: String?) -> Int? {
        guard let anchor else { return nil }
        anchorCount += 1
        anchors[anchor] = Anchor(number: anchorCount, item: item)
        return anchorCount
    }
}

extension TextFileError {
    fileprivate static func topLevel(_ found: String, at place: LineAndColumn) -> TextFileError {
        TextFileError(at: place, expected: "a mapping at the top level", found: found)
    }

    fileprivate static func complexName(_ found: String, at place: LineAndColumn) -> TextFileError {
        TextFileError(
            at: place,
            expected: "a text as the name of a member",
            found: found,
            remedy: "a property list has texts as names only: write another one"
        )
    }

    fileprivate static func secondDocument(at place: LineAndColumn) -> TextFileError {
        TextFileError(
            at: place,
            expected: "one document",
            found: "another one",
            remedy: "put it into a file of its own"
        )
    }
}
#endif

#if YAML
internal import CYaml
@_spi(StoreAuthors) internal import KeyspanCore
@_spi(StoreAuthors) internal import KeyspanFileStore

/// The tokens of a YAML text, each compared with the rules of YAML 1.2 that the parser does not follow.
///
/// The parser reads `{?a: 1}` as the member `a`, and `&a:b c` as the text `:b c`. It also accepts texts that are no YAML at all: a
/// comment without a space before it, and lines that are indented too little. Each of them is an error here, so that a text has the
/// values of YAML 1.2 or none.
struct YAMLTokens: ~Copyable {
    private let parser: YAMLParser
    private let bytes: UnsafeBufferPointer<UInt8>
    /// The offset of a character, from which those of later ones are counted.
    private var position = (character: 0, byte: 0)
    /// The columns of the open collections in blocks.
    private var columns: [Int] = []
    /// The number of open collections in brackets and braces.
    private var flowLevel = 0
    /// More levels than a text can have.
    private static let mostLevels = 2 * PropertyListValue.maximumNesting + 2
    /// The end of the last token, and whether a colon right behind it needs no space.
    private var last = (end: 0, isLikeJSON: false)

    /// Makes the tokens of a text, which must stay valid as long as they are read.
    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
        parser = YAMLParser(bytes)
    }

    /// Reads all tokens.
    ///
    /// - Throws: ``TextFileError`` at the first one that YAML 1.2 does not have there. An error of the parser itself ends the reading, because
    ///   ``YAMLEvents`` throws it.
    mutating func check() throws(TextFileError) {
        while true {
            var token = yaml_token_t()
            guard yaml_parser_scan(parser.pointer, &token) == 1 else { return }
            defer { yaml_token_delete(&token) }
            if token.type == YAML_STREAM_END_TOKEN { return try checkSpace(before: bytes.count) }
            // The parser takes quadratic time for deeper ones, which the reader of the events refuses.
            if columns.count + flowLevel > Self.mostLevels { return }
            let start = offset(of: token.start_mark.index)
            let end = offset(of: token.end_mark.index, noting: false)
            try checkSpace(before: start)
            try check(token, from: start, to: end)
            last.end = max(last.end, end)
        }
    }

    private mutating func check(_ token: yaml_token_t, from start: Int, to end: Int) throws(TextFileError) {
        let isClosing = token.type == YAML_FLOW_SEQUENCE_END_TOKEN || token.type == YAML_FLOW_MAPPING_END_TOKEN
        // Many people put a closing bracket below the name, which is clear.
        if flowLevel > 0, !isClosing { try checkIndentation(at: start) }
        var isLikeJSON = isClosing
        switch token.type {
        case YAML_BLOCK_MAPPING_START_TOKEN, YAML_BLOCK_SEQUENCE_START_TOKEN: columns.append(token.start_mark.column)
        case YAML_BLOCK_END_TOKEN: _ = columns.popLast()
        case YAML_FLOW_SEQUENCE_START_TOKEN, YAML_FLOW_MAPPING_START_TOKEN: flowLevel += 1
        case YAML_FLOW_SEQUENCE_END_TOKEN, YAML_FLOW_MAPPING_END_TOKEN: flowLevel -= 1
        // Without a length, the token stands for the colon behind the name.
        case YAML_KEY_TOKEN where end > start: try checkEnd(of: "`?`", to: end)
        case YAML_VALUE_TOKEN where end > start:
            if flowLevel == 0 || !last.isLikeJSON && !isFlowIndicator(at: end) {
                try checkEnd(of: "`:`", to: end)
            }
        case YAML_ANCHOR_TOKEN, YAML_ALIAS_TOKEN:
            if flowLevel == 0 || !isFlowIndicator(at: end) {
                try checkEnd(of: "the name of an anchor", to: end)
            }
        case YAML_VERSION_DIRECTIVE_TOKEN: try checkEnd(of: "the version", to: end)
        case YAML_SCALAR_TOKEN:
            let style = token.data.scalar.style
            isLikeJSON = style == YAML_SINGLE_QUOTED_SCALAR_STYLE || style == YAML_DOUBLE_QUOTED_SCALAR_STYLE
            if style == YAML_LITERAL_SCALAR_STYLE || style == YAML_FOLDED_SCALAR_STYLE {
                try checkIndentation(at: start)
                try checkBlock(from: start)
            } else if isLikeJSON || flowLevel > 0 {
                try checkLines(from: start, to: end)
                if !isLikeJSON, end == start + 1, bytes[start] == UInt8(ascii: "-") {
                    throw error(at: start, "`-` alone in brackets or braces", "put it in quotes")
                }
            }
        default: break
        }
        last.isLikeJSON = isLikeJSON
    }

    /// Checks that a space, or the end of a line, follows a token.
    private func checkEnd(of what: String, to end: Int) throws(TextFileError) {
        if isBlankOrBreak(at: end) { return }
        throw error(
            at: end,
            "\(what) without a space behind it",
            "put a text that begins with `?`, `:`, `&` or `*` in quotes"
        )
    }

    /// Checks the spaces and comments between the last token and an offset.
    private func checkSpace(before end: Int) throws(TextFileError) {
        var offset = last.end
        while offset < end {
            if bytes[offset] == UInt8(ascii: "#") {
                if offset > 0, !isBlankOrBreak(at: offset - 1) { throw unseparatedComment(at: offset) }
                while offset < end, !isBreak(at: offset) { offset += 1 }
            } else if bytes[offset...].starts(with: [0xEF, 0xBB, 0xBF]) {
                throw error(at: offset, "a byte-order mark inside the text", "remove it")
            }
            offset += 1
        }
    }

    /// Checks that a token which begins a line is indented by more than the collection around it.
    private func checkIndentation(at offset: Int) throws(TextFileError) {
        guard offset > last.end,
            let lineFeed = bytes[last.end..<offset].lastIndex(where: { "\r\n".utf8.contains($0) })
        else { return }
        try checkIndentation(ofLineAt: lineFeed + 1, offset)
    }

    /// Checks that the further lines of a scalar are indented by more than the collection around it.
    private func checkLines(from start: Int, to end: Int) throws(TextFileError) {
        var offset = start
        while let lineFeed = bytes[offset..<end].firstIndex(where: { "\r\n".utf8.contains($0) }) {
            let content = bytes[lineFeed..<end].firstIndex { !" \t\r\n".utf8.contains($0) } ?? end
            if content < end {
                let line = bytes[lineFeed..<content].lastIndex { "\r\n".utf8.contains($0) } ?? lineFeed
                try checkIndentation(ofLineAt: line + 1, content)
            }
            offset = content
        }
    }

    /// Checks the spaces, not tabs, with which a line begins.
    private func checkIndentation(ofLineAt start: Int, _ content: Int) throws(TextFileError) {
        let spaces = bytes[start...].prefix { $0 == UInt8(ascii: " ") }.count
        if spaces > columns.last ?? -1 { return }
        throw error(
            at: content,
            "a line that is not indented by more spaces than the name around it",
            "indent it, or end the text or list before it"
        )
    }

    /// Checks the first lines of a text behind `|` or `>`.
    private func checkBlock(from start: Int) throws(TextFileError) {
        var end = start + 1
        while !isBlankOrBreak(at: end), bytes[end] != UInt8(ascii: "#") { end += 1 }
        let hasIndentation = bytes[start..<end].contains { (UInt8(ascii: "1")...UInt8(ascii: "9")).contains($0) }
        if end < bytes.count, bytes[end] == UInt8(ascii: "#") { throw unseparatedComment(at: end) }
        while end < bytes.count, !isBreak(at: end) { end += 1 }
        guard !hasIndentation, let content = bytes[end...].firstIndex(where: { !" \r\n".utf8.contains($0) }) else {
            return
        }
        let lines = bytes[end..<content].split(omittingEmptySubsequences: false) { "\r\n".utf8.contains($0) }
        guard let spaces = lines.last?.count, spaces > columns.last ?? -1 else { return }
        if lines.contains(where: { $0.count > spaces }) {
            throw error(
                at: content,
                "a line with fewer spaces than an empty one before it",
                "remove the spaces of the empty line"
            )
        }
    }

    // MARK: - Characters

    /// The offset of the byte of a character.
    private mutating func offset(of character: Int, noting isNoted: Bool = true) -> Int {
        var (count, byte) = position
        if character < count { (count, byte) = (0, 0) }
        while count < character, byte < bytes.count {
            repeat { byte += 1 } while byte < bytes.count && bytes[byte] & 0xC0 == 0x80
            count += 1
        }
        if isNoted { position = (count, byte) }
        return byte
    }

    private func isBreak(at offset: Int) -> Bool {
        offset < bytes.count && "\r\n".utf8.contains(bytes[offset])
    }

    private func isBlankOrBreak(at offset: Int) -> Bool {
        offset >= bytes.count || " \t\r\n".utf8.contains(bytes[offset])
    }

    private func isFlowIndicator(at offset: Int) -> Bool {
        offset < bytes.count && ",[]{}".utf8.contains(bytes[offset])
    }

    private func unseparatedComment(at offset: Int) -> TextFileError {
        error(at: offset, "a comment without a space before it", "put a space before `#`, or the text in quotes")
    }

    private func error(at offset: Int, _ found: String, _ remedy: String) -> TextFileError {
        let place = LineAndColumn(ofByte: offset, in: Array(bytes))
        return TextFileError(at: place, expected: "YAML", found: found, remedy: remedy)
    }
}
#endif

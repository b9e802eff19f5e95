#if YAML
// The parser of Yams, a target of that package without a product of its own; only this file and that of `YAMLTokens` import it. The public interface
// of Yams (`Parser.nextRoot`, `compose`, `Node`) cannot replace it without losing limits and exactness, because nodes are made first:
// - Mapping keys are compared and hashed by all they hold, so a key of nested aliases keeps it busy for hours.
// - An alias is replaced by its node. Its place is gone, a name that is an alias cannot be refused, and an alias within the node that
//   it names finds an earlier node of that name.
// - Names that are canonically equivalent count as the same one.
// The events of the same parser are read in linear time, and have the place of everything.
internal import CYaml
@_spi(StoreAuthors) internal import KeyspanFileStore

/// A step of a YAML text.
struct YAMLEvent {
    enum Kind {
        case documentStart
        case alias(of: String)
        case scalar(YAMLScalar, anchor: String?)
        case collectionStart(isMapping: Bool, tag: String?, anchor: String?)
        case collectionEnd
        case streamEnd
        /// The beginning of the text, and the ends of documents.
        case other
    }

    let kind: Kind
    let place: LineAndColumn
}

/// The parser of a YAML text.
struct YAMLParser: ~Copyable {
    /// On the heap, because the parser keeps its own address.
    let pointer: UnsafeMutablePointer<yaml_parser_t>

    /// Makes a parser.
    ///
    /// - Parameter bytes: A text in UTF-8 without a byte-order mark, which must stay valid as long as the parser is used.
    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        pointer = .allocate(capacity: 1)
        pointer.initialize(to: yaml_parser_t())
        yaml_parser_initialize(pointer)
        yaml_parser_set_encoding(pointer, YAML_UTF8_ENCODING)
        yaml_parser_set_input_string(pointer, bytes.baseAddress, bytes.count)
    }

    deinit {
        yaml_parser_delete(pointer)
        pointer.deinitialize(count: 1)
        pointer.deallocate()
    }
}

/// Reads the events of a YAML text, one after the other.
struct YAMLEvents: ~Copyable {
    private let parser: YAMLParser
    private let bytes: UnsafeBufferPointer<UInt8>

    /// Makes a reader.
    ///
    /// - Parameter bytes: A text in UTF-8 without a byte-order mark, which must stay valid as long as the reader is used.
    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
        parser = YAMLParser(bytes)
    }

    /// Reads the next event.
    ///
    /// - Throws: ``TextFileError`` if the text is not YAML there. No event must be read after that.
    mutating func next() throws(TextFileError) -> YAMLEvent {
        var event = yaml_event_t()
        guard yaml_parser_parse(parser.pointer, &event) == 1 else { throw error }
        defer { yaml_event_delete(&event) }
        return YAMLEvent(kind: Self.kind(of: event), place: Self.place(of: event.start_mark))
    }

    private static func kind(of event: yaml_event_t) -> YAMLEvent.Kind {
        let data = event.data
        switch event.type {
        case YAML_DOCUMENT_START_EVENT: return .documentStart
        case YAML_STREAM_END_EVENT: return .streamEnd
        case YAML_ALIAS_EVENT: return .alias(of: text(data.alias.anchor) ?? "")
        case YAML_SCALAR_EVENT:
            // The length counts, because a text may have NUL characters.
            let content = UnsafeBufferPointer(start: data.scalar.value, count: data.scalar.length)
            let scalar = YAMLScalar(
                text: String(decoding: content, as: UTF8.self),
                isPlain: data.scalar.style == YAML_PLAIN_SCALAR_STYLE,
                tag: text(data.scalar.tag)
            )
            return .scalar(scalar, anchor: text(data.scalar.anchor))
        case YAML_SEQUENCE_START_EVENT:
            let start = data.sequence_start
            return .collectionStart(isMapping: false, tag: text(start.tag), anchor: text(start.anchor))
        case YAML_MAPPING_START_EVENT:
            let start = data.mapping_start
            return .collectionStart(isMapping: true, tag: text(start.tag), anchor: text(start.anchor))
        case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT: return .collectionEnd
        default: return .other
        }
    }

    private static func text(_ pointer: UnsafeMutablePointer<yaml_char_t>?) -> String? {
        pointer.map { String(cString: $0) }
    }

    private static func place(of mark: yaml_mark_t) -> LineAndColumn {
        LineAndColumn(line: Int(mark.line) + 1, column: Int(mark.column) + 1)
    }

    // MARK: - Errors

    /// The error of the parser in its own words, which never contain a part of the text.
    private var error: TextFileError {
        let state = parser.pointer.pointee
        let problem = state.problem.map { String(cString: $0) } ?? "no more memory"
        if state.error == YAML_READER_ERROR {
            let place = LineAndColumn(ofByte: Int(state.problem_offset), in: Array(bytes))
            return TextFileError(
                at: place,
                expected: "YAML",
                found: "another character (\(problem))",
                remedy: "write it as an escape in double quotes, such as \"\\e\""
            )
        }
        let context = state.context.map { String(cString: $0) }
        let clause =
            switch (context, state.context_mark.line) {
            case (let context?, let line): ", \(context) that begins in line \(line + 1)"
            case (nil, _): ""
            }
        return TextFileError(
            at: Self.place(of: state.problem_mark),
            expected: "YAML",
            found: "an error (\(problem)\(clause))",
            remedy: remedy(at: Int(state.problem_mark.index), problem)
        )
    }

    private func remedy(at offset: Int, _ problem: String) -> String? {
        if problem.hasPrefix("mapping values are not allowed") {
            return "correct the indentation, or put a text with `: ` in quotes"
        }
        guard problem.contains("cannot start any token") else { return nil }
        // The offset counts characters, so it is that of the byte only in a text of ASCII.
        if bytes.indices.contains(offset), bytes[offset] == UInt8(ascii: "\t") { return "indent with spaces" }
        return "put a text that begins with a tab, `@`, `%` or a backtick in quotes"
    }
}
#endif

package import KeyspanCore

/// A format of texts that a store reads and never writes.
package protocol TextFormat: Sendable {
    /// The name of the format, such as `YAML`.
    var name: String { get }

    /// Reads a whole text in bounded time and memory, whatever it is.
    ///
    /// - Throws: ``TextFileError`` at the first place that the format does not have, or that has no form as a property list.
    func parse(_ bytes: [UInt8]) throws(TextFileError) -> ParsedText
}

/// The members at the top level of a text, and the lines of their names.
package struct ParsedText: Sendable {
    /// The members, before those of groups become entries.
    package let members: PropertyListTable
    /// Where they are.
    package let lines: MemberLines

    /// The text without members.
    package static let empty = ParsedText(members: [:], lines: MemberLines())
}

/// The lines of the members of a mapping or the elements of a sequence, with those of the values in them.
package struct MemberLines: Sendable {
    /// The line of a name or an element, from 1, with the lines in its value.
    struct Member {
        let line: Int
        /// How the file has a scalar that is not a text, if the value is written in another way.
        let text: String?
        let parts: MemberLines
    }

    private var members: TextDictionary<Member> = [:]
    private var elements: [Int: Member] = [:]

    /// The lines of no members.
    init() {}

    subscript(name: String) -> Member? {
        get { members[name] }
        set { members[name] = newValue }
    }

    /// An element, if it has parts or a text of its own.
    subscript(element: Int) -> Member? {
        get { elements[element] }
        set { if let newValue, newValue.text != nil || !newValue.parts.isEmpty { elements[element] = newValue } }
    }

    private var isEmpty: Bool { members.isEmpty && elements.isEmpty }

    /// The member to which names lead, outermost first, or an element in it.
    func member(at path: some Sequence<ValuePath.Step>) -> Member? {
        var (member, lines): (Member?, MemberLines) = (nil, self)
        for step in path {
            switch step {
            case .name(let name): member = lines[name]
            case .index(let index): member = lines[index]
            }
            guard let member else { return nil }
            lines = member.parts
        }
        return member
    }
}

/// A place in a text as a person finds it.
package struct LineAndColumn: Sendable, Hashable {
    /// The line, from 1.
    package let line: Int
    /// The column in Unicode scalars, from 1.
    package let column: Int

    /// Makes a place.
    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    /// The place of a byte, without a byte-order mark at the beginning of the text.
    package init(ofByte offset: Int, in bytes: [UInt8]) {
        let place = bytes.withUnsafeBufferPointer { TextPlace(at: min(max(offset, 0), $0.count), in: $0) }
        self.init(line: place.line, column: place.column)
    }
}

/// A text that is not of its format, or that has no form as a property list: the place, the expected content, and the content found.
///
/// The error never contains the content of a value; it may contain the name of a member.
@_spi(StoreAuthors) public struct TextFileError: Error, Sendable, Hashable {
    /// The line, counted from 1.
    @_spi(StoreAuthors) public let line: Int
    /// The column in Unicode scalars, counted from 1.
    @_spi(StoreAuthors) public let column: Int
    /// The expected content of the place, as a noun phrase.
    @_spi(StoreAuthors) public let expected: String
    /// The content found instead, as a noun phrase.
    @_spi(StoreAuthors) public let found: String
    /// The remedy, as a clause without a period, if there is a particular one.
    @_spi(StoreAuthors) public let remedy: String?

    /// Makes an error.
    package init(at place: LineAndColumn, expected: String, found: String, remedy: String? = nil) {
        line = place.line
        column = place.column
        self.expected = expected
        self.found = found
        self.remedy = remedy
    }

    /// Makes an error whose place shows the content found, of which it reveals at most one character.
    package init(expecting expected: String, atByte offset: Int, in bytes: [UInt8]) {
        let place = bytes.withUnsafeBufferPointer { TextPlace(at: min(max(offset, 0), $0.count), in: $0) }
        let position = LineAndColumn(line: place.line, column: place.column)
        self.init(at: position, expected: expected, found: place.found)
    }

    /// Makes the error for bytes that are not UTF-8 text; `nil` if they are.
    package init?(ifNotText bytes: [UInt8]) {
        let flaw = bytes.withUnsafeBufferPointer { TextBeginning.flaw(of: $0) }
        let place = LineAndColumn(line: 1, column: 1)
        switch flaw {
        case .otherEncoding:
            let remedy = "convert the text to UTF-8"
            self.init(at: place, expected: "UTF-8 text", found: "UTF-16 or UTF-32 text", remedy: remedy)
        case .nulBytes:
            let remedy = "the file was probably damaged by a power failure: restore it from a copy"
            self.init(at: place, expected: "UTF-8 text", found: "NUL bytes", remedy: remedy)
        case nil:
            if let offset = bytes.firstIndex(of: 0) {
                let place = LineAndColumn(ofByte: offset, in: bytes)
                self.init(at: place, expected: "UTF-8 text", found: "a NUL byte", remedy: "remove it")
            } else if String(validating: bytes, as: UTF8.self) == nil {
                let place = bytes.withUnsafeBufferPointer { TextPlace(at: 0, isInvalid: true, in: $0) }
                let position = LineAndColumn(line: place.line, column: place.column)
                self.init(at: position, expected: "UTF-8 text", found: place.found, remedy: "convert the text to UTF-8")
            } else {
                return nil
            }
        }
    }
}

extension TextFileError: CustomStringConvertible {
    /// The error in one sentence.
    @_spi(StoreAuthors) public var description: String {
        let advice = remedy.map { "; \($0)" } ?? ""
        return "line \(line), column \(column): expected \(expected) but found \(found)\(advice)."
    }
}

extension FileFormatError {
    init(_ error: TextFileError) {
        self.init(
            reason: "expected \(error.expected) but found \(error.found) in line \(error.line), column \(error.column)",
            remedy: error.remedy,
            underlying: error
        )
    }
}

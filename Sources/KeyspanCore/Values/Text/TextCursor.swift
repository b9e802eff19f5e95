/// A position in UTF-8 text that moves forward: what readers of text formats share.
package struct TextCursor {
    /// The text.
    package let bytes: [UInt8]
    /// The offset of the next byte.
    package private(set) var position = 0

    /// Begins at the start of a text.
    package init(_ text: String) {
        bytes = Array(text.utf8)
    }

    /// The next byte, or `nil` at the end.
    package var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    /// Whether everything was consumed.
    package var isAtEnd: Bool { position == bytes.count }

    /// Whether the next bytes are those.
    package func isAt(_ text: String) -> Bool {
        bytes[position...].starts(with: text.utf8)
    }

    /// Consumes one byte, which must be there.
    package mutating func advance() {
        position += 1
    }

    /// Consumes that text if it comes next.
    package mutating func consume(_ text: String) -> Bool {
        guard isAt(text) else { return false }
        position += text.utf8.count
        return true
    }

    /// Consumes bytes as long as they satisfy the predicate, and answers them as text.
    package mutating func consume(while predicate: (UInt8) -> Bool) -> String {
        let start = position
        while let byte = current, predicate(byte) {
            position += 1
        }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    /// Consumes everything to the end of that text, and answers what was before it; `nil` if it does not come.
    package mutating func consume(through end: String) -> String? {
        let start = position
        while !isAtEnd {
            let stop = position
            if consume(end) { return String(decoding: bytes[start..<stop], as: UTF8.self) }
            position += 1
        }
        position = start
        return nil
    }

    /// Consumes space, tabs and line ends.
    package mutating func skipSpace() {
        while let byte = current, byte.isSpace {
            position += 1
        }
    }

    /// An error at an offset, or at the next byte.
    package func error(_ reason: String, at offset: Int? = nil) -> TextFormatError {
        let before = bytes[..<(offset ?? position)]
        let line = before.count { $0 == UInt8(ascii: "\n") } + 1
        let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        let column = String(decoding: before[lineStart...], as: UTF8.self).count + 1
        return TextFormatError(reason: reason, line: line, column: column)
    }

    /// The error for a collection at an offset, or at the next byte, that is nested too deep for any store.
    package func nestingError(at offset: Int? = nil) -> TextFormatError {
        error("there are more than \(PropertyListValue.maximumNesting) nested collections", at: offset)
    }

    /// The next character as it is shown in an error.
    package var currentDescription: String {
        String(decoding: bytes[position...].prefix(16), as: UTF8.self).first.map { "“\($0)”" } ?? "the end of the text"
    }
}

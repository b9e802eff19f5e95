import Keyspan

/// A position in UTF-8 text that moves forward: what the readers of text formats share.
struct TextCursor {
    /// The text.
    let bytes: [UInt8]
    /// The offset of the next byte.
    private(set) var position = 0

    /// Begins at the start of a text.
    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    /// The next byte, or `nil` at the end.
    var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    /// Whether everything was consumed.
    var isAtEnd: Bool { position == bytes.count }

    /// Whether the next bytes are those.
    func isAt(_ text: String) -> Bool {
        bytes[position...].starts(with: text.utf8)
    }

    /// Consumes one byte, which must be there.
    mutating func advance() {
        position += 1
    }

    /// Consumes that text if it comes next.
    mutating func consume(_ text: String) -> Bool {
        guard isAt(text) else { return false }
        position += text.utf8.count
        return true
    }

    /// Consumes bytes as long as they satisfy the predicate, and answers them as text.
    mutating func consume(while predicate: (UInt8) -> Bool) -> String {
        let start = position
        while let byte = current, predicate(byte) {
            position += 1
        }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    /// Consumes everything to the end of that text, and answers what was before it; `nil` if it does not come.
    mutating func consume(through end: String) -> String? {
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
    mutating func skipSpace() {
        while let byte = current, byte.isSpace {
            position += 1
        }
    }

    /// An error at an offset, or at the next byte.
    func error(_ reason: String, at offset: Int? = nil) -> TextFormatError {
        let before = bytes[..<(offset ?? position)]
        let line = before.count { $0 == UInt8(ascii: "\n") } + 1
        let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        let column = String(decoding: before[lineStart...], as: UTF8.self).count + 1
        return TextFormatError(reason: reason, line: line, column: column)
    }

    /// The error for a collection at an offset, or at the next byte, that is nested too deep for any store.
    func nestingError(at offset: Int? = nil) -> TextFormatError {
        error("there are more than \(PropertyListValue.maximumNesting) nested collections", at: offset)
    }

    /// The next character as it is shown in an error.
    var currentDescription: String {
        String(decoding: bytes[position...].prefix(16), as: UTF8.self).first.map { "“\($0)”" } ?? "the end of the text"
    }
}

extension UInt8 {
    /// Whether this is a space, tab or line end in ASCII.
    var isSpace: Bool { self == 0x20 || (0x09...0x0D).contains(self) }

    /// Whether this is a decimal digit in ASCII.
    var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    /// Whether this is an ASCII letter or digit.
    var isAlphanumeric: Bool {
        isDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20)
    }

    /// The value of a hexadecimal digit in ASCII, or `nil` for anything else.
    var hexadecimalDigit: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

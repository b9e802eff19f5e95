/// A position in UTF-8 text that moves forward, shared by all readers of text formats in this package.
///
/// The cursor is the only type that reads the text's memory while a text is parsed. No access is out of bounds:
/// - `position` stays in `0...bytes.count`. It grows by one only after `position < count` was tested, by more only after
///   as many bytes were compared or counted.
/// - Each read is of `bytes[position]` under the same test, of eight bytes after `count - position >= 8` was tested, or of a
///   range that ends at `position` and whose start is checked by a precondition.
/// - The memory belongs to the string or array that the caller holds while the cursor exists. No cursor outlives the
///   closure that received the buffer.
@usableFromInline package struct TextCursor {
    @usableFromInline let bytes: UnsafeBufferPointer<UInt8>
    @usableFromInline var index = 0

    /// Starts at the beginning of a text.
    @inlinable
    package init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
    }

    /// The whole text.
    @inlinable package var all: UnsafeBufferPointer<UInt8> { bytes }

    /// The offset of the next byte.
    @inlinable package var position: Int { index }

    /// Whether the whole text was consumed.
    @inlinable package var isAtEnd: Bool { index == bytes.count }

    /// The next byte, or 0 at the end.
    ///
    /// A NUL byte has no meaning in the formats read here, so few callers need to distinguish the two.
    @inlinable package var current: UInt8 { index < bytes.count ? bytes[index] : 0 }

    /// Consumes the next byte and returns it, or `nil` at the end.
    @inlinable
    package mutating func take() -> UInt8? {
        guard index < bytes.count else { return nil }
        defer { index += 1 }
        return bytes[index]
    }

    /// Consumes a decimal digit and returns its value, or `nil` if none comes next.
    @inlinable
    package mutating func takeDigit() -> UInt8? {
        guard index < bytes.count else { return nil }
        let digit = bytes[index] &- 0x30
        guard digit <= 9 else { return nil }
        index += 1
        return digit
    }

    /// Consumes a number of exactly `count` digits; `nil` if other bytes come next or the number is outside the range.
    mutating func takeNumber(ofDigits count: Int, in range: ClosedRange<Int>) -> Int? {
        var number = 0
        for _ in 0..<count {
            guard let digit = takeDigit() else { return nil }
            number = number * 10 + Int(digit)
        }
        return range.contains(number) ? number : nil
    }

    /// Consumes the next byte if it is the given one.
    @inlinable
    package mutating func consume(_ byte: UInt8) -> Bool {
        guard index < bytes.count, bytes[index] == byte else { return false }
        index += 1
        return true
    }

    /// Whether the given text comes next.
    @inlinable
    package func isAt(_ text: StaticString) -> Bool {
        guard bytes.count - index >= text.utf8CodeUnitCount else { return false }
        return text.withUTF8Buffer { bytes[index...].starts(with: $0) }
    }

    /// Consumes the given text if it comes next.
    @inlinable
    package mutating func consume(_ text: StaticString) -> Bool {
        guard isAt(text) else { return false }
        index += text.utf8CodeUnitCount
        return true
    }

    /// Consumes bytes as long as they satisfy the predicate, and returns them.
    @inlinable
    package mutating func take(while predicate: (UInt8) -> Bool) -> UnsafeBufferPointer<UInt8> {
        let start = index
        while index < bytes.count, predicate(bytes[index]) {
            index += 1
        }
        return range(from: start)
    }

    /// Consumes everything up to and including the given text; nothing if the text does not occur.
    @inlinable
    package mutating func skip(through text: StaticString) -> Bool {
        let start = index
        while !isAtEnd {
            if consume(text) { return true }
            index += 1
        }
        index = start
        return false
    }

    /// Consumes spaces, tabs and line ends.
    @inlinable
    package mutating func skipSpace() {
        while index < bytes.count, bytes[index].isSpace {
            index += 1
        }
    }

    /// The bytes from an earlier position to the present one.
    @inlinable
    package func range(from start: Int) -> UnsafeBufferPointer<UInt8> {
        precondition(0 <= start && start <= index)
        return UnsafeBufferPointer(rebasing: bytes[start..<index])
    }

    /// The text from an earlier position to the present one; invalid UTF-8 is repaired.
    package func text(from start: Int) -> String {
        String(decoding: range(from: start), as: UTF8.self)
    }

    /// An error at an offset, or at the present position.
    package func error(_ reason: String, at offset: Int? = nil) -> TextFormatError {
        let before = bytes[..<(offset ?? index)]
        let line = before.count { $0 == UInt8(ascii: "\n") } + 1
        let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        let column = String(decoding: before[lineStart...], as: UTF8.self).count + 1
        return TextFormatError(reason: reason, line: line, column: column)
    }

    /// The error for a collection nested too deep for any store, at an offset or at the present position.
    package func nestingError(at offset: Int? = nil) -> TextFormatError {
        error("there are more than \(PropertyListValue.maximumNesting) nested collections", at: offset)
    }

    /// The next character as errors show it.
    package var currentDescription: String {
        String(decoding: bytes[index...].prefix(16), as: UTF8.self).first.map { "“\(String($0).visible)”" }
            ?? "the end of the text"
    }
}

extension TextCursor {
    /// Consumes the four bytes that JSON and XML count as whitespace.
    @inlinable
    package mutating func skipWhitespace() {
        var next = index
        while next < bytes.count {
            let byte = bytes[next]
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { break }
            next += 1
        }
        index = next
    }

    /// Consumes bytes up to the next of two bytes or control character (below U+0020), or up to the end.
    ///
    /// - Returns: Whether all consumed bytes are ASCII.
    @inlinable @inline(__always) @discardableResult
    package mutating func skipPlainText(upTo first: UInt8, _ second: UInt8) -> Bool {
        let highBits: UInt64 = 0x8080_8080_8080_8080
        var next = index
        var seen: UInt64 = 0
        while bytes.count - next >= 8 {
            let raw = UnsafeRawBufferPointer(bytes).loadUnaligned(fromByteOffset: next, as: UInt64.self)
            let word = UInt64(littleEndian: raw)
            let stops = Self.stops(in: word, first, second)
            guard stops == 0 else {
                index = next + stops.trailingZeroBitCount / 8
                // The bits below the lowest one of `stops`: the bytes before the stop, without the highest bit of the stop itself.
                seen |= word & ((stops & (0 &- stops)) &- 1)
                return seen & highBits == 0
            }
            seen |= word
            next += 8
        }
        while next < bytes.count, bytes[next] >= 0x20, bytes[next] != first, bytes[next] != second {
            seen |= UInt64(bytes[next])
            next += 1
        }
        index = next
        return seen & highBits == 0
    }

    /// The highest bit of the first byte that stops plain text, and of no byte before it.
    ///
    /// A byte is zero if it borrows when 1 is subtracted and its highest bit was clear; below U+0020 if it borrows when
    /// 0x20 is. The borrow of a byte may mark later bytes wrongly, never earlier ones.
    @inlinable @inline(__always)
    static func stops(in word: UInt64, _ first: UInt8, _ second: UInt8) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let first = word ^ (ones &* UInt64(first))
        let second = word ^ (ones &* UInt64(second))
        let isFirst = (first &- ones) & ~first
        let isSecond = (second &- ones) & ~second
        let isControl = (word &- ones &* 0x20) & ~word
        return (isFirst | isSecond | isControl) & (ones << 7)
    }
}

/// A text that violates its format: the violation, and its place.
package struct TextFormatError: Error, Equatable, CustomStringConvertible {
    /// The violation, as a clause without a full stop.
    package let reason: String
    /// The line, counted from 1.
    package let line: Int
    /// The column in characters, counted from 1.
    package let column: Int

    /// Makes an error from a clause and its place.
    package init(reason: String, line: Int, column: Int) {
        self.reason = reason
        self.line = line
        self.column = column
    }

    /// The violation and its place, as a clause.
    package var description: String { "\(reason) (line \(line), column \(column))" }
}

extension UInt8 {
    /// Whether this is an ASCII space, tab or line end.
    @inlinable package var isSpace: Bool { self == 0x20 || (0x09...0x0D).contains(self) }

    /// Whether this is an ASCII decimal digit.
    @inlinable package var isDigit: Bool { self &- 0x30 <= 9 }

    /// Whether this is an ASCII letter or digit.
    @inlinable package var isAlphanumeric: Bool {
        isDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20)
    }

    /// The value of an ASCII hexadecimal digit; `nil` for any other byte.
    package var hexadecimalDigit: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

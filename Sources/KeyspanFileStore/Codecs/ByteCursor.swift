import KeyspanCore

/// A position in the input: the only type that reads the input's memory while a text is parsed.
///
/// Why no access is out of bounds:
/// - `position` is private to this type and stays in `0...bytes.count`. It grows by one only after `position < count`
///   was tested, and by eight only after `count - position >= 8` was.
/// - Each read is of `bytes[position]` under the same test, of the eight bytes at `position` under the same test, or of
///   a range that ends at `position` and whose start is checked by a precondition.
/// - The memory belongs to the array that the caller of a reader holds while the cursor exists; no cursor is stored elsewhere.
struct ByteCursor {
    private let bytes: UnsafeBufferPointer<UInt8>
    private(set) var position = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { position == bytes.count }

    /// The byte here, or 0 at the end.
    ///
    /// A NUL byte has no meaning in the texts that are read, so few callers must tell them apart.
    var current: UInt8 { position < bytes.count ? bytes[position] : 0 }

    /// Steps over the byte here and answers it, or `nil` at the end.
    mutating func take() -> UInt8? {
        guard position < bytes.count else { return nil }
        defer { position += 1 }
        return bytes[position]
    }

    /// Steps over the byte here if it is that one.
    mutating func consume(_ byte: UInt8) -> Bool {
        guard position < bytes.count, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    /// Whether the next bytes are those.
    func isAt(_ text: StaticString) -> Bool {
        guard bytes.count - position >= text.utf8CodeUnitCount else { return false }
        return text.withUTF8Buffer { bytes[position...].starts(with: $0) }
    }

    /// Steps over those bytes if they come next.
    mutating func consume(_ text: StaticString) -> Bool {
        guard isAt(text) else { return false }
        position += text.utf8CodeUnitCount
        return true
    }

    /// Steps over everything to the end of those bytes; not at all if they do not come.
    mutating func skip(through text: StaticString) -> Bool {
        let start = position
        while !isAtEnd {
            if consume(text) { return true }
            position += 1
        }
        position = start
        return false
    }

    /// Steps over ASCII letters and digits, and answers them.
    mutating func takeWord() -> UnsafeBufferPointer<UInt8> {
        let start = position
        while position < bytes.count, bytes[position].isAlphanumeric {
            position += 1
        }
        return range(from: start)
    }

    /// Steps over a decimal digit and answers its value, or `nil` if there is none here.
    mutating func takeDigit() -> UInt8? {
        guard position < bytes.count else { return nil }
        let digit = bytes[position] &- ASCII.zero
        guard digit <= 9 else { return nil }
        position += 1
        return digit
    }

    /// Steps over the four bytes that JSON and XML count as whitespace.
    mutating func skipWhitespace() {
        var index = position
        while index < bytes.count {
            let byte = bytes[index]
            guard
                byte == ASCII.space || byte == ASCII.lineFeed || byte == ASCII.carriageReturn || byte == ASCII.tab
            else { break }
            index += 1
        }
        position = index
    }

    /// Stops at the next of two bytes or control character (below U+0020), or at the end.
    ///
    /// - Returns: Whether all bytes that were skipped are ASCII.
    @inline(__always) @discardableResult
    mutating func skipPlainText(upTo first: UInt8, _ second: UInt8) -> Bool {
        var index = position
        var seen: UInt64 = 0
        while bytes.count - index >= 8 {
            let raw = UnsafeRawBufferPointer(bytes).loadUnaligned(fromByteOffset: index, as: UInt64.self)
            let word = UInt64(littleEndian: raw)
            let stops = Self.stops(in: word, first, second)
            guard stops == 0 else {
                position = index + stops.trailingZeroBitCount / 8
                // The bits below the lowest one of `stops`: the bytes before the stop, and not its own highest bit.
                seen |= word & ((stops & (0 &- stops)) &- 1)
                return seen & Self.highBits == 0
            }
            seen |= word
            index += 8
        }
        while index < bytes.count, bytes[index] >= ASCII.space, bytes[index] != first, bytes[index] != second {
            seen |= UInt64(bytes[index])
            index += 1
        }
        position = index
        return seen & Self.highBits == 0
    }

    /// The bytes from an earlier position to here as text, or `nil` if they are no UTF-8.
    ///
    /// - Parameter isASCII: Whether they are known to be ASCII, which is always UTF-8. The initializer for that is much
    ///   faster than the one that can fail; for other bytes it would put in replacement characters.
    func text(from start: Int, isASCII: Bool) -> String? {
        let bytes = range(from: start)
        return isASCII ? String(decoding: bytes, as: UTF8.self) : String(validating: bytes, as: UTF8.self)
    }

    /// Appends the bytes from an earlier position to here.
    func append(from start: Int, to buffer: inout [UInt8]) {
        buffer.append(contentsOf: range(from: start))
    }

    /// The bytes from an earlier position to here.
    func range(from start: Int) -> UnsafeBufferPointer<UInt8> {
        precondition(0 <= start && start <= position)
        return UnsafeBufferPointer(rebasing: bytes[start..<position])
    }

    /// The highest bit of each of eight bytes.
    private static let highBits: UInt64 = 0x8080_8080_8080_8080

    /// The highest bit of the first byte that stops plain text, and of no byte before it.
    ///
    /// A byte is zero if it borrows when 1 is subtracted and its highest bit was clear; below U+0020 if it borrows when
    /// 0x20 is. The borrow of a byte may mark later bytes wrongly, never earlier ones.
    @inline(__always)
    private static func stops(in word: UInt64, _ first: UInt8, _ second: UInt8) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let first = word ^ (ones &* UInt64(first))
        let second = word ^ (ones &* UInt64(second))
        let isFirst = (first &- ones) & ~first
        let isSecond = (second &- ones) & ~second
        let isControl = (word &- ones &* UInt64(ASCII.space)) & ~word
        return (isFirst | isSecond | isControl) & highBits
    }
}

/// The bytes that have a meaning in JSON.
enum ASCII {
    static let quote = UInt8(ascii: "\"")
    static let backslash = UInt8(ascii: "\\")
    static let comma = UInt8(ascii: ",")
    static let colon = UInt8(ascii: ":")
    static let openBrace = UInt8(ascii: "{")
    static let closeBrace = UInt8(ascii: "}")
    static let openBracket = UInt8(ascii: "[")
    static let closeBracket = UInt8(ascii: "]")
    static let minus = UInt8(ascii: "-")
    static let plus = UInt8(ascii: "+")
    static let point = UInt8(ascii: ".")
    static let zero = UInt8(ascii: "0")
    static let nine = UInt8(ascii: "9")
    static let space = UInt8(ascii: " ")
    static let tab = UInt8(ascii: "\t")
    static let lineFeed = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")
    static let delete: UInt8 = 0x7F
}

/// The place of a fault in a text as a person finds it: line, column and the character there.
///
/// It is computed only after a fault was found.
struct TextPlace {
    let line: Int
    let column: Int

    /// The content of the place, as a noun phrase that reveals at most one character.
    let found: String

    /// The character there, or `nil` at the end of the text and for bytes that are not UTF-8.
    let scalar: Unicode.Scalar?

    /// Computes a place.
    ///
    /// - Parameters:
    ///   - offset: The index of the byte, or the number of bytes for the end of the text.
    ///   - isInvalid: Whether the place is the first byte from there on that is not UTF-8.
    ///   - bytes: The text.
    init(at offset: Int, isInvalid: Bool = false, in bytes: UnsafeBufferPointer<UInt8>) {
        let offset = isInvalid ? Self.firstInvalidByte(in: bytes[offset...]) ?? offset : offset
        let before = bytes[..<offset]
        let lineStart =
            before.lastIndex(of: ASCII.lineFeed).map { $0 + 1 } ?? TextBeginning.byteOrderMarkLength(of: bytes)
        line = 1 + before.count { $0 == ASCII.lineFeed }
        // Every scalar has exactly one byte that is not a continuation byte.
        column = 1 + before[min(lineStart, offset)...].count { $0 & 0xC0 != 0x80 }

        var iterator = bytes[offset...].makeIterator()
        var parser = Unicode.UTF8.ForwardParser()
        switch parser.parseScalar(from: &iterator) {
        case .valid(let encoded):
            let decoded = Unicode.UTF8.decode(encoded)
            scalar = decoded
            found = Self.words(for: decoded)
        case .emptyInput:
            scalar = nil
            found = "the end of the text"
        case .error:
            scalar = nil
            found = "the byte 0x\(String(bytes[offset], radix: 16, uppercase: true)), which is not UTF-8 there"
        }
    }

    private static func words(for scalar: Unicode.Scalar) -> String {
        let code = String(scalar.value, radix: 16, uppercase: true)
        let padding = String(repeating: "0", count: max(0, 4 - code.count))
        return switch scalar {
        case "\"": "a string"
        case "0"..."9", "-": "a number"
        case "!"..."~": "`\(scalar)`"
        default: "the character U+\(padding)\(code)"
        }
    }

    private static func firstInvalidByte(in bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Int? {
        var offset = bytes.startIndex
        var iterator = bytes.makeIterator()
        var parser = Unicode.UTF8.ForwardParser()
        while true {
            switch parser.parseScalar(from: &iterator) {
            case .valid(let encoded): offset += encoded.count
            case .error: return offset
            case .emptyInput: return nil
            }
        }
    }
}

/// The encoding of a text, judged by its first bytes.
enum TextBeginning {
    /// The UTF-8 byte-order mark, which RFC 8259 section 8.1 and XML let a reader skip.
    static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// The reason why bytes that other programs accept as text cannot be UTF-8.
    enum Flaw {
        /// The text is UTF-16 or UTF-32.
        case otherEncoding
        /// The bytes are zero: file systems leave such files behind after a power failure.
        case nulBytes
    }

    /// The length of a text's byte-order mark: 3 or 0.
    static func byteOrderMarkLength(of bytes: UnsafeBufferPointer<UInt8>) -> Int {
        bytes.starts(with: byteOrderMark) ? byteOrderMark.count : 0
    }

    /// Detects text that other programs wrote in another encoding, for which any other error would mislead.
    ///
    /// JSON and XML begin with two ASCII characters, or JSON is one character long, so a NUL among the first two bytes means UTF-16
    /// or UTF-32. Four NUL bytes are not text at all.
    static func flaw(of bytes: UnsafeBufferPointer<UInt8>) -> Flaw? {
        if bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE])
            || bytes.starts(with: [0, 0, 0xFE, 0xFF])
        {
            return .otherEncoding
        }
        guard bytes.prefix(2).contains(0) else { return nil }
        return bytes.prefix(4).allSatisfy { $0 == 0 } ? .nulBytes : .otherEncoding
    }
}

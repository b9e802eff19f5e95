/// Where a fault of a text is for a person: line, column and the character there.
///
/// It is looked up only once there is a fault.
struct TextPlace {
    let line: Int
    let column: Int

    /// What is there, as a noun phrase that tells at most one character.
    let found: String

    /// The character there, or `nil` at the end of the text and for bytes that are no UTF-8.
    let scalar: Unicode.Scalar?

    /// Looks up a place.
    ///
    /// - Parameters:
    ///   - offset: The index of the byte, or the number of bytes for the end of the text.
    ///   - isInvalid: Whether the text is no UTF-8 somewhere from there on; then that is the place.
    ///   - bytes: The text.
    init(at offset: Int, isInvalid: Bool = false, in bytes: UnsafeBufferPointer<UInt8>) {
        let offset = isInvalid ? Self.firstInvalidByte(in: bytes[offset...]) ?? offset : offset
        let before = bytes[..<offset]
        let lineStart =
            before.lastIndex(of: ASCII.lineFeed).map { $0 + 1 } ?? TextBeginning.byteOrderMarkLength(of: bytes)
        line = 1 + before.count { $0 == ASCII.lineFeed }
        // Every scalar has one byte that is no continuation byte.
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
            found = "the byte 0x\(String(bytes[offset], radix: 16, uppercase: true)), which is no UTF-8 there"
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

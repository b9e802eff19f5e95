/// What the first bytes of a text tell of its encoding.
enum TextBeginning {
    /// The UTF-8 byte-order mark, which RFC 8259 section 8.1 and XML let a reader skip.
    static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Why bytes cannot be UTF-8 text, although other programs take them for text.
    enum Flaw {
        /// They are UTF-16 or UTF-32.
        case otherEncoding
        /// They are no text: file systems leave such files behind after a power failure.
        case nulBytes
    }

    /// How many bytes of a text are its byte-order mark: 3 or 0.
    static func byteOrderMarkLength(of bytes: UnsafeBufferPointer<UInt8>) -> Int {
        bytes.starts(with: byteOrderMark) ? byteOrderMark.count : 0
    }

    /// Finds text that other programs wrote in another encoding, for which any other error would be a riddle.
    ///
    /// JSON and XML begin with two ASCII characters, or JSON is one character long, so that a NUL among the first two bytes
    /// tells UTF-16 and UTF-32. Four of them are no text at all.
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

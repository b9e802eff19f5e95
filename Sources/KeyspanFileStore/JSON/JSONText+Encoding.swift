/// How the encoding of a text is told from its first bytes.
extension JSONText {
    /// The UTF-8 byte-order mark, which RFC 8259 section 8.1 lets a reader skip.
    static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// How many bytes of a text are its byte-order mark: 3 or 0.
    static func byteOrderMarkLength(of bytes: UnsafeBufferPointer<UInt8>) -> Int {
        bytes.starts(with: byteOrderMark) ? byteOrderMark.count : 0
    }

    /// Refuses text that other programs wrote in another encoding, for which any other error would be a riddle.
    ///
    /// JSON begins with two ASCII characters or is one character long, so that a NUL among the first two bytes tells
    /// UTF-16 and UTF-32. Four of them are no text at all: file systems leave such files behind after a power failure.
    static func checkEncoding(of bytes: UnsafeBufferPointer<UInt8>) throws(JSONFault) {
        if bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE])
            || bytes.starts(with: [0, 0, 0xFE, 0xFF])
        {
            throw JSONFault(.otherEncoding, at: 0)
        }
        guard bytes.prefix(2).contains(0) else { return }
        throw JSONFault(bytes.prefix(4).allSatisfy { $0 == 0 } ? .nulBytes : .otherEncoding, at: 0)
    }
}

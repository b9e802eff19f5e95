import KeyspanCore

/// The bytes with a meaning in JSON or XML.
enum ASCII {
    static let quote = UInt8(ascii: "\"")
    static let backslash = UInt8(ascii: "\\")
    static let slash = UInt8(ascii: "/")
    static let asterisk = UInt8(ascii: "*")
    static let comma = UInt8(ascii: ",")
    static let colon = UInt8(ascii: ":")
    static let openBrace = UInt8(ascii: "{")
    static let closeBrace = UInt8(ascii: "}")
    static let openBracket = UInt8(ascii: "[")
    static let closeBracket = UInt8(ascii: "]")
    static let minus = UInt8(ascii: "-")
    static let zero = UInt8(ascii: "0")
    static let nine = UInt8(ascii: "9")
    static let space = UInt8(ascii: " ")
    static let tab = UInt8(ascii: "\t")
    static let lineFeed = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")
    static let delete: UInt8 = 0x7F
}

extension TextCursor {
    /// The text from an earlier position to the present one, or `nil` if it is not UTF-8.
    ///
    /// - Parameter isASCII: Whether the bytes are known to be ASCII, which is always UTF-8. The initializer for that case is much
    ///   faster than the one that can fail; it would put replacement characters into other texts.
    func text(from start: Int, isASCII: Bool) -> String? {
        let bytes = range(from: start)
        return isASCII ? String(decoding: bytes, as: UTF8.self) : String(validating: bytes, as: UTF8.self)
    }

    /// Appends the bytes from an earlier position to the present one.
    func append(from start: Int, to buffer: inout [UInt8]) {
        buffer.append(contentsOf: range(from: start))
    }
}

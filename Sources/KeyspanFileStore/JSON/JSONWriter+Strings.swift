extension JSONWriter {
    /// Writes a string in quotes.
    ///
    /// Only what RFC 8259 section 7 asks for is escaped, and U+007F, which nobody can see.
    mutating func writeString(_ string: String) {
        bytes.append(ASCII.quote)
        var string = string
        string.withUTF8 { text in
            var plain = text[...]
            while let stop = plain.firstIndex(where: Self.needsEscape) {
                bytes.append(contentsOf: plain[..<stop])
                writeEscape(for: text[stop])
                plain = text[(stop + 1)...]
            }
            bytes.append(contentsOf: plain)
        }
        bytes.append(ASCII.quote)
    }

    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < ASCII.space || byte == ASCII.quote || byte == ASCII.backslash || byte == ASCII.delete
    }

    private mutating func writeEscape(for byte: UInt8) {
        bytes.append(ASCII.backslash)
        switch byte {
        case 0x08: bytes.append(UInt8(ascii: "b"))
        case ASCII.tab: bytes.append(UInt8(ascii: "t"))
        case ASCII.lineFeed: bytes.append(UInt8(ascii: "n"))
        case 0x0C: bytes.append(UInt8(ascii: "f"))
        case ASCII.carriageReturn: bytes.append(UInt8(ascii: "r"))
        case ASCII.quote, ASCII.backslash: bytes.append(byte)
        default: bytes.append(contentsOf: "u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8)
        }
    }
}

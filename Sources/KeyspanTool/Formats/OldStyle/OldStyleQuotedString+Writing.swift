import Keyspan

extension OldStyleQuotedString {
    /// A string as `defaults read` writes it: without quotes only if it has nothing but ASCII letters and digits.
    ///
    /// What is not ASCII is written as the UTF-16 units of `\Uxxxx`, so the text can be read back exactly.
    static func text(of string: String) -> String {
        if !string.isEmpty, string.utf8.allSatisfy(\.isAlphanumeric) { return string }
        var text = "\""
        for unit in string.utf16 {
            switch unit {
            case 0x22: text += "\\\""
            case 0x5C: text += "\\\\"
            case 0x0A: text += "\\n"
            case 0x09: text += "\\t"
            case 0x0D: text += "\\r"
            case 0x20...0x7E: text.unicodeScalars.append(Unicode.Scalar(UInt8(unit)))
            default:
                let digits = String(unit, radix: 16)
                text += "\\U" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
        return text + "\""
    }
}

/// Makes control characters visible in text that a person sees, because a terminal obeys them.
///
/// Control characters are the first 32 of ASCII, U+007F, and U+0080 to U+009F. U+009B among these means the same as ESC and
/// `[`, so a stored value could move the cursor, rewrite the screen or answer for the user.
enum ControlCharacters {
    /// A text with each of them written as `\Uxxxx`, as in old-style property lists.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - kept: Control characters that stay as they are.
    static func escaped(in text: String, keeping kept: Set<Unicode.Scalar> = []) -> String {
        replaced(in: text, keeping: kept) { "\\U00\($0)" }
    }

    /// JSON with those escaped that JSON allows in a string as they are; it stays the same document.
    static func escaped(inJSON text: String) -> String {
        replaced(in: text, keeping: lineCharacters) { "\\u00\($0)" }
    }

    /// An XML property list with those escaped that XML allows as they are; it stays the same document.
    static func escaped(inXML text: String) -> String {
        replaced(in: text, keeping: lineCharacters) { "&#x\($0);" }
    }

    /// What a text of several lines has.
    static let lineCharacters: Set<Unicode.Scalar> = ["\n", "\t"]

    /// Replaces each by what the closure makes of its two hexadecimal digits.
    private static func replaced(
        in text: String,
        keeping kept: Set<Unicode.Scalar>,
        by replacement: (String) -> String
    ) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if scalar.properties.generalCategory != .control || kept.contains(scalar) {
                result.append(scalar)
            } else {
                let digits = String(scalar.value, radix: 16)
                result.append(contentsOf: replacement(digits.utf8.count < 2 ? "0" + digits : digits).unicodeScalars)
            }
        }
        return String(result)
    }
}

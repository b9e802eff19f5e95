#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// How text is shown: on a terminal with colours and visible control characters, and anywhere else exactly as it is.
struct TerminalStyle {
    /// No terminal.
    static let plain = TerminalStyle(hasColours: false)

    /// Whether text is coloured.
    let hasColours: Bool
    /// Whether a terminal shows the text.
    let isTerminal: Bool

    /// Decides once, for tests.
    init(hasColours: Bool, isTerminal: Bool? = nil) {
        self.hasColours = hasColours
        self.isTerminal = isTerminal ?? hasColours
    }

    /// Colours only for a terminal that has them: see <https://no-color.org>, and `TERM=dumb` for one that has none.
    ///
    /// - Parameters:
    ///   - descriptor: Where the text will go.
    ///   - environment: The environment of the process.
    init(descriptor: Int32, environment: [String: String] = ProcessInfo.processInfo.environment) {
        isTerminal = isatty(descriptor) == 1
        hasColours = isTerminal && Self.areWanted(in: environment)
    }

    /// Whether a user with that environment wants colours on a terminal.
    static func areWanted(in environment: [String: String]) -> Bool {
        environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
    }

    /// The name of a key.
    func key(_ text: String) -> String { painted(text, code: 36) }

    /// Something that went wrong.
    func failure(_ text: String) -> String { painted(text, code: 31) }

    /// Something that is gone.
    func removal(_ text: String) -> String { painted(text, code: 33) }

    /// A stored text, which can have several lines.
    func value(_ text: String) -> String {
        isTerminal ? ControlCharacters.escaped(in: text, keeping: ControlCharacters.lineCharacters) : text
    }

    /// The name of a domain.
    func domain(_ name: String) -> String {
        isTerminal ? ControlCharacters.escaped(in: name) : name
    }

    private func painted(_ text: String, code: Int) -> String {
        hasColours ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}

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

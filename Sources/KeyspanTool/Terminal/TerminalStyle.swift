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

/// The display of text: colors and visible control characters on a terminal, and the unchanged text anywhere else.
struct TerminalStyle {
    /// The style without a terminal.
    static let plain = TerminalStyle(hasColors: false)

    /// Whether text is colored.
    let hasColors: Bool
    /// Whether a terminal shows the text.
    let isTerminal: Bool

    /// Makes a fixed style, for tests.
    init(hasColors: Bool, isTerminal: Bool? = nil) {
        self.hasColors = hasColors
        self.isTerminal = isTerminal ?? hasColors
    }

    /// Uses colors only on a terminal that supports them: see <https://no-color.org>, and `TERM=dumb`.
    ///
    /// - Parameters:
    ///   - descriptor: The destination of the text.
    ///   - environment: The environment of the process.
    init(descriptor: Int32, environment: [String: String] = ProcessInfo.processInfo.environment) {
        isTerminal = isatty(descriptor) == 1
        hasColors = isTerminal && Self.areWanted(in: environment)
    }

    /// Whether the environment allows colors on a terminal.
    static func areWanted(in environment: [String: String]) -> Bool {
        environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
    }

    /// The name of a key.
    func key(_ text: String) -> String { painted(text, code: 36) }

    /// The mark of an error.
    func failure(_ text: String) -> String { painted(text, code: 31) }

    /// The mark of a removed key.
    func removal(_ text: String) -> String { painted(text, code: 33) }

    /// A stored text, which may have several lines.
    func value(_ text: String) -> String {
        isTerminal ? ControlCharacters.escaped(in: text, keeping: ControlCharacters.lineCharacters) : text
    }

    /// The name of a domain.
    func domain(_ name: String) -> String {
        isTerminal ? ControlCharacters.escaped(in: name) : name
    }

    private func painted(_ text: String, code: Int) -> String {
        hasColors ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}

/// Makes control characters visible in text for people, because a terminal obeys them.
///
/// Control characters are the first 32 of ASCII, U+007F, and U+0080 to U+009F. U+009B is equivalent to ESC and `[`, so a stored
/// value could move the cursor, rewrite the screen or answer for the user.
enum ControlCharacters {
    /// A text with each control character written as `\Uxxxx`, as in old-style property lists.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - kept: Control characters to leave unchanged.
    static func escaped(in text: String, keeping kept: Set<Unicode.Scalar> = []) -> String {
        replaced(in: text, keeping: kept) { "\\U00\($0)" }
    }

    /// JSON with the control characters escaped that JSON allows in strings; an equivalent document.
    static func escaped(inJSON text: String) -> String {
        replaced(in: text, keeping: lineCharacters) { "\\u00\($0)" }
    }

    /// An XML property list with the control characters escaped that XML allows; an equivalent document.
    static func escaped(inXML text: String) -> String {
        replaced(in: text, keeping: lineCharacters) { "&#x\($0);" }
    }

    /// The control characters of a text with several lines.
    static let lineCharacters: Set<Unicode.Scalar> = ["\n", "\t"]

    /// Replaces each control character; the closure receives its two hexadecimal digits.
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

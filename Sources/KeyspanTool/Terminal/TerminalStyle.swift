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

    private func painted(_ text: String, code: Int) -> String {
        hasColors ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}

/// Makes characters visible in text for people that a terminal obeys or does not show.
///
/// Control characters are the first 32 of ASCII, U+007F, and U+0080 to U+009F. U+009B is equivalent to ESC and `[`, so a stored
/// value could move the cursor, rewrite the screen or answer for the user. Format characters, such as those of bidirectional text, could
/// show a value in another order, and the separators of lines and paragraphs on several lines. The joiners of scripts and emoji stay.
enum ControlCharacters {
    /// A text with each of these characters written as `\Uxxxx`, as in old-style property lists.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - kept: Characters to leave unchanged.
    static func escaped(in text: String, keeping kept: Set<Unicode.Scalar> = []) -> String {
        replaced(in: text, keeping: kept) { units(of: $0, prefix: "\\U") }
    }

    /// JSON with these characters escaped in strings; an equivalent document.
    static func escaped(inJSON text: String) -> String {
        replaced(in: text, keeping: lineCharacters) { units(of: $0, prefix: "\\u") }
    }

    /// An XML property list with these characters escaped, as far as XML allows them; an equivalent document.
    static func escaped(inXML text: String) -> String {
        replaced(in: text, keeping: lineCharacters) { "&#x\(digits(of: $0.value, atLeast: 2));" }
    }

    /// The control characters of a text with several lines.
    static let lineCharacters: Set<Unicode.Scalar> = ["\n", "\t"]

    private static func isEscaped(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        case .format: scalar != "\u{200C}" && scalar != "\u{200D}"
        default: false
        }
    }

    private static func replaced(
        in text: String,
        keeping kept: Set<Unicode.Scalar>,
        by replacement: (Unicode.Scalar) -> String
    ) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if !isEscaped(scalar) || kept.contains(scalar) {
                result.append(scalar)
            } else {
                result.append(contentsOf: replacement(scalar).unicodeScalars)
            }
        }
        return String(result)
    }

    /// The units of UTF-16 of a character, each in four digits behind a prefix.
    private static func units(of scalar: Unicode.Scalar, prefix: String) -> String {
        scalar.utf16.map { prefix + digits(of: UInt32($0), atLeast: 4) }.joined()
    }

    private static func digits(of number: UInt32, atLeast count: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: max(0, count - digits.utf8.count)) + digits
    }
}

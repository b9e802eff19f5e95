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

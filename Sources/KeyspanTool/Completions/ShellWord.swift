import ArgumentParser
import Keyspan

/// Words as shells pass them to a program that completes them, and take them back.
///
/// Shells read bytes or code points, and never graphemes: a quote or a backquote with a combining mark behind it is still
/// one. So nothing here looks at a `Character`.
enum ShellWord {
    /// The text that a word means: without its quotes and backslashes, and with the home folder for a tilde.
    ///
    /// - Parameters:
    ///   - word: The word as it stands on the command line; a quote that is still open is closed at its end.
    ///   - shell: The shell; fish has rules of its own for what a backslash does within quotes.
    ///   - home: The home folder.
    static func unquoted(_ word: String, for shell: CompletionShell?, home: String?) -> String {
        var text = ""
        var word = word.unicodeScalars[...]
        if let home, word.first == "~", word.count == 1 || word.dropFirst().first == "/" {
            text = home
            word.removeFirst()
        }
        text.unicodeScalars.append(contentsOf: parse(word, isFish: shell == .fish).text)
        return text
    }

    /// The quote in which all of a word stands; `nil` if it opens later or is closed again.
    static func openQuote(of word: String, for shell: CompletionShell?) -> Unicode.Scalar? {
        let parsed = parse(word.unicodeScalars[...], isFish: shell == .fish)
        return parsed.closedQuotes == 0 && parsed.quote == word.unicodeScalars.first ? parsed.quote : nil
    }

    /// Reads a word as shells do: its text, the quote that is open at its end, and how many were closed before.
    ///
    /// Within single quotes a backslash means itself, but not to fish before a single quote or another backslash. Within double
    /// quotes a backquote is one of the characters that it stands before, but not to fish.
    private static func parse(
        _ word: Substring.UnicodeScalarView,
        isFish: Bool
    ) -> (text: [Unicode.Scalar], quote: Unicode.Scalar?, closedQuotes: Int) {
        var (rest, text, quote, closedQuotes) = (word, [Unicode.Scalar](), Unicode.Scalar?.none, 0)
        while let scalar = rest.popFirst() {
            switch (scalar, quote) {
            case ("\\", nil):
                if let next = rest.popFirst() { text.append(next) }
            case ("\\", "\""),
                ("\\", "'") where isFish:
                let escaped = quote == "'" ? "\\'" : isFish ? "\\\"$" : "\\\"$`"
                let isEscape = rest.first.map(escaped.unicodeScalars.contains) == true
                text.append(isEscape ? rest.removeFirst() : scalar)
            case (quote, _?): (quote, closedQuotes) = (nil, closedQuotes + 1)
            case ("'", nil), ("\"", nil): quote = scalar
            default: text.append(scalar)
            }
        }
        return (text, quote, closedQuotes)
    }

    /// A candidate as the shell has to be given it to offer exactly this text; `nil` if it cannot offer it.
    ///
    /// Candidates come from files and their keys. bash expands a list of candidates, and runs the commands in it, so every
    /// byte that could mean something to it stands within single quotes. Those hold in each of bash's locales, while a
    /// backslash can become the second byte of a character, for example in GBK.
    ///
    /// No shell can be given a line feed, fish takes what follows a tab as a description, and a terminal obeys the control
    /// characters beyond ASCII, too.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - shell: The shell; `nil` for one that is not known.
    ///   - quote: The quote in which the word to be completed stands.
    static func candidate(_ text: String, for shell: CompletionShell?, within quote: Unicode.Scalar? = nil) -> String? {
        guard
            !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }),
            isInsertedAsText(text, by: shell, within: quote)
        else { return nil }
        switch shell {
        case .bash?:
            return text.utf8.allSatisfy(isPlain) ? text : quoted(text)
        case .zsh?:
            // A colon would begin a description.
            return escaped(text) { "\\:".utf8.contains($0) }
        default:
            return text
        }
    }

    /// Whether the shell escapes all that would mean something to it when it inserts a candidate in the command line.
    ///
    /// Outside of quotes bash takes `$`, a backquote, and a tilde at the beginning for the user's own and leaves them, unless
    /// there is a file of this name: the line would run what stands between the backquotes. zsh leaves an exclamation mark,
    /// which recalls commands everywhere but in single quotes, because the generated script turns this off for itself.
    private static func isInsertedAsText(
        _ text: String,
        by shell: CompletionShell?,
        within quote: Unicode.Scalar?
    ) -> Bool {
        switch shell {
        case .bash?:
            quote != nil || text.utf8.first != UInt8(ascii: "~") && !text.utf8.contains(where: "$`".utf8.contains)
        case .zsh?: quote == "'" || !text.utf8.contains(UInt8(ascii: "!"))
        default: true
        }
    }

    /// Whether a byte means itself everywhere in bash; all beyond ASCII do.
    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x80 || byte.isAlphanumeric || "_-./+@%,:=".utf8.contains(byte)
    }

    /// A text within single quotes, in which a shell knows no character but the quote itself.
    private static func quoted(_ text: String) -> String {
        let quote = UInt8(ascii: "'")
        let bytes = text.utf8.flatMap { $0 == quote ? Array("'\\''".utf8) : [$0] }
        return String(decoding: [quote] + bytes + [quote], as: UTF8.self)
    }

    /// A text with backslashes before some of its bytes, which are of ASCII.
    private static func escaped(_ text: String, where isSpecial: (UInt8) -> Bool) -> String {
        let bytes = text.utf8.flatMap { isSpecial($0) ? [UInt8(ascii: "\\"), $0] : [$0] }
        return String(decoding: bytes, as: UTF8.self)
    }
}

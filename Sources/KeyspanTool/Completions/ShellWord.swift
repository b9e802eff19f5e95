import ArgumentParser
import Keyspan

/// Words in the form in which shells pass them to a program for completion and accept its candidates.
///
/// Shells read bytes or code points, never graphemes: a quote or a backquote with a following combining mark is still one. So
/// this code never uses `Character`.
enum ShellWord {
    /// The meaning of a word: without quotes and backslashes, and with the home folder for a tilde.
    ///
    /// - Parameters:
    ///   - word: The word on the command line; an open quote ends with it.
    ///   - shell: The shell; fish has its own rules for backslashes within quotes.
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

    /// The quote around the whole word; `nil` if it opens later or is closed again.
    static func openQuote(of word: String, for shell: CompletionShell?) -> Unicode.Scalar? {
        let parsed = parse(word.unicodeScalars[...], isFish: shell == .fish)
        return parsed.closedQuotes == 0 && parsed.quote == word.unicodeScalars.first ? parsed.quote : nil
    }

    /// Parses a word like a shell: its text, the quote that is open at its end, and the number of closed quotes.
    ///
    /// Within single quotes a backslash is literal, except in fish before a single quote or another backslash. Within double
    /// quotes it escapes a backquote, except in fish.
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

    /// The form of a candidate that makes the shell offer exactly this text; `nil` if the shell cannot offer it.
    ///
    /// Candidates come from files and their keys. bash expands a list of candidates and runs the commands in it, so single quotes
    /// surround every byte that is special to bash. They work in all of bash's locales, while a backslash can become the second
    /// byte of a character, for example in GBK.
    ///
    /// No shell accepts a line feed, fish treats the text after a tab as a description, and a terminal obeys control characters
    /// beyond ASCII too.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - shell: The shell; `nil` if unknown.
    ///   - quote: The quote around the word to complete.
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

    /// Whether the shell escapes all special characters when it inserts a candidate in the command line.
    ///
    /// Outside quotes, bash assumes that the user typed `$`, a backquote or a leading tilde, and does not escape them unless a file
    /// has this name: the line would run the text between the backquotes. zsh does not escape an exclamation mark, which recalls
    /// commands everywhere except in single quotes, because the generated script turns that off for itself.
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

    /// Whether a byte is literal everywhere in bash, like all bytes beyond ASCII.
    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x80 || byte.isAlphanumeric || "_-./+@%,:=".utf8.contains(byte)
    }

    /// A command of the tool for a message, whose words a shell takes as they are.
    ///
    /// - Parameters:
    ///   - command: The command with its subcommand.
    ///   - operands: Its domain and its key, which may begin with a hyphen.
    ///   - options: Its options.
    static func command(_ command: String, _ operands: [String], options: [String] = []) -> String {
        let isTerminated = operands.contains { $0.utf8.first == UInt8(ascii: "-") }
        let words = isTerminated ? options + ["--"] + operands : operands + options
        let texts = words.map { !$0.isEmpty && $0.utf8.allSatisfy(isPlain) ? $0 : quoted($0) }
        return "`keyspan \(command) \(texts.joined(separator: " "))`"
    }

    /// A text within single quotes, in which only the quote itself is special.
    private static func quoted(_ text: String) -> String {
        let quote = UInt8(ascii: "'")
        let bytes = text.utf8.flatMap { $0 == quote ? Array("'\\''".utf8) : [$0] }
        return String(decoding: [quote] + bytes + [quote], as: UTF8.self)
    }

    /// A text with backslashes before some of its ASCII bytes.
    private static func escaped(_ text: String, where isSpecial: (UInt8) -> Bool) -> String {
        let bytes = text.utf8.flatMap { isSpecial($0) ? [UInt8(ascii: "\\"), $0] : [$0] }
        return String(decoding: bytes, as: UTF8.self)
    }
}

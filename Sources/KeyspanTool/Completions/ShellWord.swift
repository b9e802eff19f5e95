import ArgumentParser

/// Words as shells pass them to a program that completes them, and take them back.
enum ShellWord {
    /// The text that a word means: without its quotes and backslashes, and with the home folder for a tilde.
    ///
    /// - Parameters:
    ///   - word: The word as it stands on the command line; a quote that is still open is closed at its end.
    ///   - home: The home folder.
    static func unquoted(_ word: String, home: String?) -> String {
        var text = ""
        if let home, word == "~" || word.hasPrefix("~/") { text = home }
        var rest = text.isEmpty ? word[...] : word.dropFirst()
        var quote: Character?
        while let character = rest.popFirst() {
            switch (character, quote) {
            case ("\\", nil): text.append(contentsOf: rest.popFirst().map { "\($0)" } ?? "")
            case ("\\", "\""): text.append(rest.first.map("\\\"$`".contains) == true ? rest.removeFirst() : "\\")
            case (quote, _?): quote = nil
            case ("'", nil), ("\"", nil): quote = character
            default: text.append(character)
            }
        }
        return text
    }

    /// A candidate as the shell has to be given it to offer exactly this text; `nil` if it cannot be given it.
    ///
    /// What is offered comes from files, and bash runs what stands in `$( )` in a list of candidates: nothing may reach
    /// it unescaped. No shell can be given a line feed, and fish takes what follows a tab as a description.
    static func candidate(_ text: String, for shell: CompletionShell?) -> String? {
        guard !text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) else { return nil }
        switch shell {
        case .bash?:
            return String(text.flatMap { isPlain($0) ? [$0] : ["\\", $0] })
        case .zsh?:
            // A colon would begin a description.
            return String(text.flatMap { "\\:".contains($0) ? ["\\", $0] : [$0] })
        default:
            return text
        }
    }

    /// Whether a character means itself everywhere in bash; all beyond ASCII do.
    private static func isPlain(_ character: Character) -> Bool {
        !character.isASCII || character.isLetter || character.isNumber || "_-./+@%,:=".contains(character)
    }
}

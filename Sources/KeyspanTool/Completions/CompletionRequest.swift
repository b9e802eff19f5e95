import ArgumentParser
import KeyspanCore

/// A shell's request to complete a word, with the words before it.
struct CompletionRequest: Equatable {
    /// The words after the commands' names and before the word to complete.
    let words: [String]
    /// The typed beginning of the word to complete.
    let prefix: String
    /// The quote in which the word stands.
    let quote: Unicode.Scalar?

    /// Reads the command line that a shell has passed.
    ///
    /// - Parameters:
    ///   - line: All words of the command line, unchanged.
    ///   - index: The index of the word to complete.
    ///   - prefix: The parser's idea of its beginning, which is right for the last word.
    ///   - commands: The number of command names after the program's: two for `kept restore`.
    ///   - shell: The shell.
    ///   - isQuoted: Whether the words still have their quotes.
    ///   - home: The home folder, for a tilde.
    init(
        line: [String],
        index: Int,
        prefix: String,
        commands: Int,
        shell: CompletionShell?,
        isQuoted: Bool,
        home: String?
    ) {
        let text: (String) -> String = { isQuoted ? ShellWord.unquoted($0, for: shell, home: home) : $0 }
        words = line.prefix(index).dropFirst(1 + commands).filter { $0 != "--" }.map(text)
        let word = index < line.count - 1 ? line[index] : prefix
        self.prefix = text(word)
        quote = isQuoted ? ShellWord.openQuote(of: word, for: shell) : nil
    }

    /// Reads the command line of the shell that started this process.
    init(line: [String], index: Int, prefix: String, commands: Int) {
        // fish before version 4 passes its words without quotes.
        let major = CompletionShell.requestingVersion?.split(separator: ".").first.flatMap { Int($0) }
        self.init(
            line: line,
            index: index,
            prefix: prefix,
            commands: commands,
            shell: CompletionShell.requesting,
            isQuoted: CompletionShell.requesting != .fish || major ?? 4 >= 4,
            home: ToolContext.current.variable("HOME")?.text
        )
    }

    /// The words that are neither options nor values of options.
    var operands: [String] {
        var (operands, isValue) = ([String](), false)
        for word in words {
            if isValue || word.utf8.first == UInt8(ascii: "-") {
                isValue = !isValue && Self.optionsWithValue.contains(word)
            } else {
                operands.append(word)
            }
        }
        return operands
    }

    private static let optionsWithValue = ["--output", "--format", "--default", "--value", "--schema"]
}

import ArgumentParser

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A word that a shell asks to complete, and the words before it.
struct CompletionRequest: Equatable {
    /// The words after the commands' names and before the one to be completed.
    let words: [String]
    /// What there is of the word to be completed.
    let prefix: String
    /// The quote in which the word stands.
    let quote: Unicode.Scalar?

    /// Reads the command line that a shell has passed.
    ///
    /// - Parameters:
    ///   - line: All words, as they stand on the command line.
    ///   - index: The place of the word to be completed.
    ///   - prefix: What the parser takes for its beginning, which is right if it is the last word.
    ///   - commands: How many commands' names there are after the program's: two for `kept restore`.
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

    /// Reads the command line of the shell that has started this process.
    init(line: [String], index: Int, prefix: String, commands: Int) {
        // fish passes its words without quotes until its version 4.
        let major = CompletionShell.requestingVersion?.split(separator: ".").first.flatMap { Int($0) }
        self.init(
            line: line,
            index: index,
            prefix: prefix,
            commands: commands,
            shell: CompletionShell.requesting,
            isQuoted: CompletionShell.requesting != .fish || major ?? 4 >= 4,
            home: ProcessInfo.processInfo.environment["HOME"]
        )
    }

    /// The words that are no options and no values of options.
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

    private static let optionsWithValue = ["--format", "--number"]
}

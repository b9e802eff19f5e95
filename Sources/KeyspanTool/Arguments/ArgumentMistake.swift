import ArgumentParser
import KeyspanCore

/// The answers to arguments that cannot be understood: the mistake, and the probable intention.
enum ArgumentMistake {
    /// The error in arguments that the parser answers with help or the version; `nil` if the user has asked for them.
    ///
    /// - Parameters:
    ///   - arguments: The arguments of the process.
    ///   - root: The root command.
    static func mistakenHelp(in arguments: [String], of root: any ParsableCommand.Type) -> ToolError? {
        if arguments.first == "help" { return unknownTopic(in: arguments.dropFirst(), of: root) }
        guard !isOfShell(arguments) else { return nil }
        if let first = arguments.first, first.utf8.first != UInt8(ascii: "-"), subcommand(first, of: root) == nil {
            return unknownCommand(first, of: root)
        }
        if arguments.contains(where: requests.contains) { return nil }
        // The parser reads -host as -h, -o, -s and -t.
        guard let cluster = arguments.first(where: isCluster) else { return nil }
        return DefaultsArgument(in: arguments)?.error
            ?? .usage("\(terminator(before: cluster)) See `keyspan help`.")
    }

    /// The sentence for a word that begins like an option.
    static func terminator(before word: String) -> String {
        "Unknown option \(word.quoted); write `--` before a key or a word that begins with a hyphen, as in `keyspan get greeter -- -key`."
    }

    /// The error for arguments that the parser rejects.
    ///
    /// - Parameters:
    ///   - message: The message of the parser.
    ///   - arguments: The arguments of the process.
    ///   - root: The root command.
    static func error(
        for message: String,
        arguments: [String],
        of root: any ParsableCommand.Type
    ) -> ToolError {
        if let argument = DefaultsArgument(in: arguments) { return argument.error }
        let command = arguments.first.flatMap { subcommand($0, of: root) }
        // `help` is the parser's own command.
        if let first = arguments.first, command == nil, first != "help", first.utf8.first != UInt8(ascii: "-") {
            return unknownCommand(first, of: root)
        }
        let topic = command.flatMap { $0.configuration.commandName }.map { " \($0)" } ?? ""
        let mayBeKey = message.hasPrefix("Missing expected argument") || message.hasPrefix("Unknown option")
        if let command, mayBeKey, !message.contains("Did you mean"),
            let word = unknownOption(in: arguments, of: command, root)
        {
            return .usage("\(terminator(before: word)) See `keyspan help\(topic)`.")
        }
        // It may be a part of that value.
        if message.contains("nexpected argument"), arguments.contains(where: { $0.hasUTF8Prefix("--default") }) {
            return .usage("A word follows the value of --default; quote a value that contains spaces.")
        }
        let words = message.split { $0.isNewline }.joined(separator: " ")
        if let question = words.firstRange(of: ". Did you mean ") {
            let rest = words[question.upperBound...]
            return .usage("\(words[..<question.lowerBound]); did you mean \(rest) See `keyspan help\(topic)`.")
        }
        let sentence = words.utf8.last == UInt8(ascii: ".") ? String(words.unicodeScalars.dropLast()) : words
        return .usage("\(sentence); see `keyspan help\(topic)`.")
    }

    /// The first word before a terminator that begins like an option and that a command does not know; `nil` if it knows all.
    private static func unknownOption(
        in arguments: [String],
        of command: any ParsableCommand.Type,
        _ root: any ParsableCommand.Type
    ) -> String? {
        let innermost = arguments.dropFirst().reduce(command) { subcommand($1, of: $0) ?? $0 }
        let help = root.helpMessage(for: innermost).split { !$0.isLetter && $0 != "-" }.map(String.init)
        return arguments.prefix { $0 != "--" }.first { word in
            guard word.utf8.first == UInt8(ascii: "-"), word.utf8.count > 1 else { return false }
            return !help.contains(String(word.prefix { $0 != "=" }))
        }
    }

    /// Whether a completion script requests candidates, which the parser answers in the same way.
    static func isOfShell(_ arguments: [String]) -> Bool {
        arguments.first?.utf8.starts(with: "---".utf8) == true
    }

    private static let requests: Set = ["-h", "--help", "--version"]

    private static func isCluster(_ argument: String) -> Bool {
        let bytes = argument.utf8
        return bytes.count > 2 && bytes.starts(with: "-".utf8) && !bytes.starts(with: "--".utf8)
    }

    /// The error for the first word after `help` that does not name a command.
    private static func unknownTopic(
        in words: ArraySlice<String>,
        of root: any ParsableCommand.Type
    ) -> ToolError? {
        var command = root
        for word in words where word.utf8.first != UInt8(ascii: "-") {
            // `help help` is the parser's own command, which has no subcommands.
            if command == root, word == "help" { return nil }
            guard let next = subcommand(word, of: command) else { return unknownCommand(word, of: command) }
            command = next
        }
        return nil
    }

    private static func subcommand(
        _ word: String,
        of command: any ParsableCommand.Type
    ) -> (any ParsableCommand.Type)? {
        command.configuration.subcommands.first { $0.configuration.commandName == word }
    }

    private static func unknownCommand(_ word: String, of command: any ParsableCommand.Type) -> ToolError {
        let known = command.configuration.subcommands.compactMap { $0.configuration.commandName }
        guard let nearest = Suggestion.nearest(to: word, among: known) else {
            return .usage("Unknown command `\(word.visible)`; `keyspan help` lists all commands.")
        }
        return .usage("Unknown command `\(word.visible)`; did you mean `\(nearest)`? See `keyspan help`.")
    }
}

import ArgumentParser

/// Looks for what the argument parser takes for a request for help although the user has asked for something else.
enum HelpRequest {
    /// What is wrong with arguments that the parser answers with help or the version; `nil` if the user has asked for it.
    ///
    /// - Parameters:
    ///   - arguments: The arguments of the process.
    ///   - root: The command to which they belong.
    static func mistake(in arguments: [String], of root: any ParsableCommand.Type) -> ToolError? {
        if arguments.first == "help" { return unknownCommand(in: arguments.dropFirst(), of: root) }
        guard !isOfShell(arguments), !arguments.contains(where: requests.contains) else { return nil }
        // The parser reads -host as -h, -o, -s and -t.
        guard let cluster = arguments.first(where: isCluster) else { return nil }
        return .usage("Unknown option \(cluster.debugDescription); see `keyspan help`.")
    }

    /// Whether a completion script asks for candidates, which the parser answers in the same way.
    private static func isOfShell(_ arguments: [String]) -> Bool {
        arguments.first?.utf8.starts(with: "---".utf8) == true
    }

    private static let requests: Set = ["-h", "--help", "--version"]

    private static func isCluster(_ argument: String) -> Bool {
        let bytes = argument.utf8
        return bytes.count > 2 && bytes.starts(with: "-".utf8) && !bytes.starts(with: "--".utf8)
    }

    /// The first of the words after `help` that names no command.
    private static func unknownCommand(
        in words: ArraySlice<String>,
        of root: any ParsableCommand.Type
    ) -> ToolError? {
        var command = root
        for word in words where word.utf8.first != UInt8(ascii: "-") {
            // `help help` is the parser's own, which has no commands.
            if command == root, word == "help" { return nil }
            guard let next = command.configuration.subcommands.first(where: { $0.configuration.commandName == word })
            else {
                return .usage("There is no command \(word.debugDescription); `keyspan help` lists them all.")
            }
            command = next
        }
        return nil
    }
}

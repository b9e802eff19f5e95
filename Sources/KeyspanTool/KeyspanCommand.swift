import ArgumentParser
import Keyspan

/// The root of the tool: its subcommands, and how their errors are told.
@main
struct KeyspanCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keyspan",
        abstract: "Read and change settings that programs keep in JSON and property-list files.",
        discussion: """
            The grammar is that of the defaults command of macOS.

            A domain is a name, such as com.example.app, whose file is $XDG_CONFIG_HOME/keyspan/<name>.json (or \
            ~/.config/keyspan/<name>.json), or the path of a file that ends in .json or .plist. A command that changes a \
            domain returns when the change is on the disk.

            A .plist file may be XML or binary, and stays what it is; a new one is binary. XML has no fractions of a \
            second and no control characters. A .plist file in the folder has no name, and is reached by its path.

            On a terminal, control characters in stored text are shown as \\U001b and the like, because a terminal would \
            obey them. Files and pipes get exactly what is stored.

            Exit status: 0; 1 if a domain or key does not exist or a file could not be read or written; 64 if the \
            arguments cannot be understood.
            """,
        version: "0.1.0",
        subcommands: [
            ReadCommand.self, ReadTypeCommand.self, WriteCommand.self, RenameCommand.self, DeleteCommand.self,
            DomainsCommand.self, FindCommand.self, ImportCommand.self, ExportCommand.self, WatchCommand.self,
            KeptCommand.self,
        ]
    )

    /// Runs the command that the arguments name, and ends the process.
    static func main() {
        FileSizeSignal.ignore()
        // If standard error takes nothing, there is no other place to say it.
        Defaults.onProblem { problem in try? report("\(problem)") }
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch let error as ToolError {
            // If standard error takes nothing, the status still tells.
            try? report(error.message)
            exit(withError: ExitCode(error.status.rawValue))
        } catch {
            // Help and the version come here as well, and are no errors.
            guard exitCode(for: error) == .validationFailure else {
                let mistake = HelpRequest.mistake(in: Array(CommandLine.arguments.dropFirst()), of: Self.self)
                guard exitCode(for: error) == .success, let mistake else { exit(withError: error) }
                try? report(mistake.message)
                exit(withError: ExitCode(mistake.status.rawValue))
            }
            try? report(usageSentence(for: error, arguments: CommandLine.arguments.dropFirst()))
            exit(withError: ExitCode.validationFailure)
        }
    }

    /// The parser's message about arguments as one sentence, and where to read on.
    private static func usageSentence(for error: any Error, arguments: ArraySlice<String>) -> String {
        let words = message(for: error).split { $0.isNewline }.joined(separator: " ")
        let commands = configuration.subcommands.compactMap { $0.configuration.commandName }
        let command = arguments.first.flatMap { commands.contains($0) ? " \($0)" : nil } ?? ""
        return "\(words.hasSuffix(".") ? String(words.dropLast()) : words); see `keyspan help\(command)`."
    }

    /// Writes a sentence to standard error, on one line and without control characters: paths and names can have them.
    static func report(_ sentence: String) throws(ToolError) {
        let stream = StandardStream.error
        try stream.writeLine("\(stream.style.failure("keyspan:")) \(ControlCharacters.escaped(in: sentence))")
    }
}

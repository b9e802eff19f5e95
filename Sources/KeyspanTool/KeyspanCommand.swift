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

/// Why a command did not do what it was asked, in one sentence, and the exit status that says so to a script.
struct ToolError: Error, Equatable {
    /// The exit statuses of the tool besides 0.
    enum Status: Int32 {
        /// A domain or key that does not exist, or a failure of the file system; the status of `defaults` for both.
        case failure = 1
        /// Arguments that cannot be understood: `EX_USAGE` of `sysexits.h`.
        case usage = 64
    }

    /// The exit status.
    let status: Status
    /// What is wrong and what to do about it, as a sentence with its full stop.
    let message: String

    /// Arguments that cannot be understood.
    static func usage(_ message: String) -> ToolError {
        ToolError(status: .usage, message: message)
    }

    /// Something that does not exist or could not be done.
    static func failure(_ message: String) -> ToolError {
        ToolError(status: .failure, message: message)
    }
}

extension ToolError: CustomStringConvertible {
    var description: String { message }
}

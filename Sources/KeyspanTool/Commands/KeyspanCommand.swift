import ArgumentParser
import Keyspan
import KeyspanCore

#if Etcd
import KeyspanEtcd
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The root command of the tool: its subcommands, and how it reports their errors.
@main
struct KeyspanCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keyspan",
        abstract: "Read and change settings that programs keep in JSON and property-list files.",
        discussion: """
            The grammar is that of the defaults command of macOS.

            A domain is a name, such as com.example.app, whose file is $XDG_CONFIG_HOME/keyspan/<name>.json (or \
            ~/.config/keyspan/<name>.json), or the path of a file that ends in .json, .jsonc or .plist. A command that changes a \
            domain returns when the change is on the disk.

            \(DomainArgumentHelp.discussionOfClusters)

            The name of a program is a domain as well if the program has a standard store, whose file is \
            $XDG_CONFIG_HOME/<program>/defaults.json. If a name is both, it is the file in the folder keyspan, and the \
            standard store is listed by its path.

            A .plist file may be XML or binary, and stays what it is; a new one is binary. XML has no fractions of a \
            second and no control characters. A .plist file in the folder has no name, and is reached by its path.

            A key or a word that begins with a hyphen stands behind `--`, for all commands alike, as in `keyspan set greeter \
            -- -key value`.

            Arguments and names of files are UTF-8: others are refused, or left out with a warning where all domains are \
            read, and never changed to be UTF-8.

            On a terminal, control and format characters in stored text are shown as \\U001b and the like, because a terminal \
            would obey them. Files and pipes receive the stored text unchanged.

            Exit status of all commands: 0 if all was done, 1 if domains differ or a domain violates its schema, 2 if \
            something could not be done, 3 if a domain or key does not exist or nothing was found, 64 if the arguments \
            cannot be understood, and 141, by SIGPIPE, if nobody reads the output.
            """,
        version: "0.1.0",
        subcommands: [
            ReadCommand.self, ReadTypeCommand.self, WriteCommand.self, GetCommand.self, SetCommand.self,
            IncrementCommand.self, RenameCommand.self, DeleteCommand.self, DomainsCommand.self, FindCommand.self,
            DiffCommand.self, ValidateCommand.self, EditCommand.self, ImportCommand.self, ExportCommand.self,
            WatchCommand.self,
            KeptCommand.self,
        ]
    )

    /// Runs the command that the arguments name and ends the process.
    static func main() {
        StandardStream.reserveDescriptors()
        WriteSignals.ignore()
        TerminationSignals.begin()
        refuseInvalidArguments()
        Defaults.onProblem { report($0) }
        let status = run(Array(CommandLine.arguments.dropFirst()))
        if status == ToolError.Status.closedPipe.rawValue { TerminationSignals.end(by: SIGPIPE) }
        exit(withError: ExitCode(status))
    }

    /// Runs the command that the arguments name.
    ///
    /// - Returns: The exit status.
    static func run(_ arguments: [String]) -> Int32 {
        do {
            var command = try parseAsRoot(arguments)
            try command.run()
            return ExitCode.success.rawValue
        } catch let error as ToolError {
            return status(reporting: error, shortening: arguments)
        } catch {
            let code = exitCode(for: error)
            // Help and the version arrive here as well, though they are not errors.
            let mistake: ToolError? =
                switch code {
                case .validationFailure:
                    ArgumentMistake.error(for: message(for: error), arguments: arguments, of: Self.self)
                case .success: ArgumentMistake.mistakenHelp(in: arguments, of: Self.self)
                default: nil
                }
            if let mistake { return status(reporting: mistake, shortening: arguments) }
            let text = fullMessage(for: error)
            if text.isEmpty { return code.rawValue }
            do throws(ToolError) {
                try (code == .success ? StandardStream.output : .error).writeLine(text)
            } catch {
                if code == .success { return status(reporting: error) }
            }
            return code.rawValue
        }
    }

    /// Reports an error, and returns the exit status for it.
    private static func status(reporting error: ToolError, shortening arguments: [String] = []) -> Int32 {
        if !error.message.isEmpty { report(error.message, shortening: arguments) }
        // An absent key may be one of the entries that could not be read.
        let isKnown = error.status != .absent || !ToolContext.current.isIncomplete
        return (isKnown ? error.status : .failure).rawValue
    }

    /// Ends a command that has printed contents with a failure if they are incomplete, which was reported.
    static func checkCompleteness() throws(ToolError) {
        if ToolContext.current.isIncomplete { throw .failure("") }
    }

    /// Ends the process with status 64 if an argument is not UTF-8: Swift has replaced bytes in it, so it names another file.
    private static func refuseInvalidArguments() {
        let arguments = OutsideText.arguments.dropFirst()
        guard let argument = arguments.first(where: { $0.text == nil }) else { return }
        // A completion reports no errors; they would appear within the command line.
        if !ArgumentMistake.isOfShell(arguments.map(\.repaired)) {
            report("The argument \(argument) is not UTF-8; rename the file, or give a text that is UTF-8.")
        }
        exit(withError: ExitCode(ToolError.Status.usage.rawValue))
    }

    /// Reports a problem that the library has met.
    static func report(_ problem: Defaults.Problem) {
        #if Etcd
        if case .storeNotice(_, let notice as EtcdNotice) = problem, notice.kind == .unreadableEntry {
            ToolContext.current.isIncomplete = true
        }
        #endif
        report("\(problem)")
    }

    /// Writes a sentence to standard error, on one line and without the control characters that paths and names can contain.
    ///
    /// If standard error accepts no output, there is nowhere else to report, and a command that has done its work does not fail.
    ///
    /// - Parameters:
    ///   - sentence: The sentence.
    ///   - arguments: The arguments of the process, of which the sentence repeats at most 60 characters, or a whole path.
    static func report(_ sentence: String, shortening arguments: [String] = []) {
        let stream = StandardStream.error
        var sentence = sentence
        for argument in arguments {
            let limit = argument.utf8.contains(UInt8(ascii: "/")) ? Int(PATH_MAX) : 60
            for text in [argument.quoted.dropFirst().dropLast(), argument.visible[...]] where text.utf8.count > limit {
                sentence = sentence.replacing(text, with: text.prefix(limit) + "…")
            }
        }
        try? stream.writeLine("\(stream.style.failure("keyspan:")) \(ControlCharacters.escaped(in: sentence))")
    }
}

import Foundation

/// One run of the built `keyspan`, with files in place of its streams so that no pipe can fill up.
final class ToolProcess {
    /// The exit status and the output of a process.
    struct Result {
        /// The exit status, or 128 and the number of the signal, as shells have it.
        let status: Int32
        let output: String
        let error: String
    }

    /// The tool, in the folder in which the package was built.
    static let executable: String = {
        #if canImport(Darwin)
        let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") } ?? .main
        return bundle.bundleURL.deletingLastPathComponent().appendingPathComponent("keyspan").path
        #else
        return Bundle.main.bundleURL.appendingPathComponent("keyspan").path
        #endif
    }()

    private let streams: TemporaryFolder
    private let identifier: pid_t

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - program: The path of the program.
    ///   - arguments: Its arguments.
    ///   - environment: All of its environment.
    ///   - input: The text on standard input.
    ///   - terminal: The terminal that its output and errors go to, if it is one.
    ///   - pipe: The pipe that its output goes to, if it is one.
    init(
        _ program: String,
        _ arguments: [String],
        environment: [String: String],
        input: String = "",
        terminal: PseudoTerminal? = nil,
        pipe: OutputPipe? = nil
    ) throws {
        streams = try TemporaryFolder()
        try streams.write(input, to: "input")
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        #else
        var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for name in ["output", "error"] {
            try streams.write("", to: name)
        }
        let output = pipe?.path ?? terminal?.path ?? streams.path("output")
        let error = terminal?.path ?? streams.path("error")
        let creation = O_WRONLY | O_CREAT | O_TRUNC
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, streams.path("input"), O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, creation, 0o600)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, error, creation, 0o600)
        let words = ([program] + arguments).map { strdup($0) } + [nil]
        let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { (words + variables).forEach { free($0) } }
        var identifier: pid_t = 0
        let code = posix_spawn(&identifier, program, &actions, nil, words, variables)
        guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EINVAL) }
        self.identifier = identifier
    }

    /// Sends it a signal.
    func send(_ signal: Int32) {
        kill(identifier, signal)
    }

    /// Waits for its end.
    func finish() throws -> Result {
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7F
        return Result(
            status: signal == 0 ? status >> 8 & 0xFF : 128 + signal,
            output: try streams.text(of: "output"),
            error: try streams.text(of: "error")
        )
    }
}

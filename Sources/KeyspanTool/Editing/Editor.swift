import KeyspanCore
import KeyspanFileStore

#if canImport(Glibc)
@preconcurrency import Glibc
#elseif canImport(Musl)
@preconcurrency import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The user's editor: `$VISUAL`, or else `$EDITOR`, or else vi.
struct Editor {
    /// The command with its options, as the user has set it.
    let command: String

    /// The editor in the environment of the process; a variable that is empty does not count.
    ///
    /// - Throws: ``ToolError`` with status 64 if the variable is not UTF-8.
    init() throws(ToolError) {
        for name in ["VISUAL", "EDITOR"] {
            guard let value = ToolContext.current.variable(name), !value.bytes.isEmpty else { continue }
            guard let text = value.text else {
                throw .usage("The variable \(name) is not UTF-8; set it to the command of an editor.")
            }
            command = text
            return
        }
        command = "vi"
    }

    /// Opens a file, and returns when the editor has ended.
    ///
    /// A shell runs the command, which may have options, as in `code --wait`, and becomes the editor, so that signals reach that. It stays
    /// the shell for a command that is more than a program with its arguments.
    ///
    /// - Throws: ``ToolError`` if the editor could not be run or has reported a failure.
    func open(_ path: String) throws(ToolError) {
        let firstWord = command.split(separator: " ").first.map { String($0) } ?? ""
        let isProgram =
            !command.utf8.contains(where: Set(";&|()=\n".utf8).contains) && !Self.shellWords.contains(firstWord)
        let script = "\(isProgram ? "exec " : "")\(command) \"$@\""
        let mode = TerminalMode(of: StandardStream.input)
        let status = try Self.run(["/bin/sh", "-c", script, command, path])
        guard status != 127 else {
            throw .failure(
                "The editor \(command.quoted) cannot be run; set VISUAL or EDITOR to the command of one."
            )
        }
        if status != 0 { mode?.restore() }
        // An editor that ends well has used the signals of keys itself, as one for lines does.
        if status == 0 { return TerminationSignals.forgetKeys() }
        guard TerminationSignals.arrived != nil else {
            throw .failure("The editor \(command.quoted) failed with status \(status); run it again.")
        }
    }

    /// The words that can begin a command and belong to the shell, which `exec` would look for among the programs.
    private static let shellWords: Set<String> = [
        "!", ".", ":", "builtin", "command", "eval", "exec", "exit", "source", "time",
    ]

    /// Runs a program with the streams and the environment of this process, and with the signals that are held.
    ///
    /// - Returns: The exit status, or 128 and the number of the signal that ended the program.
    private static func run(_ words: [String]) throws(ToolError) -> Int32 {
        #if canImport(Darwin)
        var attributes: posix_spawnattr_t?
        let environment = _NSGetEnviron().pointee
        #else
        var attributes = posix_spawnattr_t()
        let environment = environ
        #endif
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // A program inherits ignored signals, and an editor expects these with their usual effect.
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in WriteSignals.all { sigaddset(&signals, number) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
        // The parent may have had it ignored, and then nothing could be awaited.
        signal(SIGCHLD, SIG_DFL)
        let arguments = words.map { strdup($0) } + [nil]
        defer { arguments.forEach { free($0) } }
        var identifier: pid_t = 0
        let code = posix_spawn(&identifier, words[0], nil, &attributes, arguments, environment)
        guard code == 0 else {
            throw .failure("\(words[0]) cannot be run (\(String(cString: strerror(code)))); install a shell.")
        }
        TerminationSignals.passOn(to: identifier)
        var information = siginfo_t()
        // Its number is in use until the second wait.
        while waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
        TerminationSignals.endPassingOn()
        var status: Int32 = 0
        guard waitpid(identifier, &status, 0) == identifier else {
            throw .failure("The editor cannot be awaited (\(String(cString: strerror(errno)))); run it again.")
        }
        let signal = status & 0x7F
        return signal == 0 ? status >> 8 & 0xFF : 128 + signal
    }
}

/// The mode of a terminal, which an editor that fails may leave without echo and without signals of keys.
private struct TerminalMode {
    private let terminal: Int32
    private var settings = termios()

    /// The present mode; `nil` without a terminal.
    init?(of stream: StandardStream) {
        terminal = stream.file.descriptor
        guard tcgetattr(terminal, &settings) == 0 else { return nil }
    }

    /// Gives the terminal this mode, unless it belongs to another program by now, as it does to one in the foreground.
    func restore() {
        let group = tcgetpgrp(terminal)
        guard group < 0 || group == getpgrp() else { return }
        var settings = settings
        tcsetattr(terminal, TCSANOW, &settings)
    }
}

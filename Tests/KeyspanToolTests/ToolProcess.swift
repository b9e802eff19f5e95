import Foundation
import KeyspanTestSupport

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
    ///   - environment: All of its environment, but for the options of a sanitizer with which all was built.
    ///   - input: The text on standard input.
    ///   - terminal: The terminal that its output and errors go to, if it is one.
    ///   - pipe: The pipe that its output goes to, if it is one.
    ///   - keyboard: The terminal that its input comes from, if it is one.
    init(
        _ program: String,
        _ arguments: [String],
        environment: [String: String],
        input: String = "",
        terminal: PseudoTerminal? = nil,
        pipe: OutputPipe? = nil,
        keyboard: PseudoTerminal? = nil
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
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, keyboard?.path ?? streams.path("input"), O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, creation, 0o600)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, error, creation, 0o600)
        let words = ([program] + arguments).map { strdup($0) } + [nil]
        let sanitizer = ProcessInfo.processInfo.environment.filter { $0.key.hasSuffix("SAN_OPTIONS") }
        let variables = environment.merging(sanitizer) { own, _ in own }.map { strdup("\($0.key)=\($0.value)") } + [nil]
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

/// The output of a program that goes on running, to be awaited line by line.
final class OutputPipe {
    /// No line came within the time that only keeps a failing test from waiting for ever, or the program has ended.
    struct NoLine: Error {
        /// The text after the last whole line.
        let rest: String
    }

    /// The path that the program opens for its output.
    let path: String
    private let folder: TemporaryFolder
    private let descriptor: Int32
    private var bytes: [UInt8] = []

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("pipe")
        guard mkfifo(path, 0o600) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        // Without waiting for the program, which waits for this end.
        descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    }

    deinit {
        close(descriptor)
    }

    /// The next line without its end, once it is there.
    func line() throws -> String {
        while true {
            if let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
                defer { bytes.removeSubrange(...end) }
                return String(decoding: bytes[..<end], as: UTF8.self)
            }
            guard try waitAndRead() else { throw NoLine(rest: String(decoding: bytes, as: UTF8.self)) }
        }
    }

    /// All that the program writes from now on, until it ends.
    func rest() throws -> String {
        while try waitAndRead() {}
        defer { bytes = [] }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Reads what is there as soon as something is; answers whether there was something.
    private func waitAndRead() throws -> Bool {
        var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&event, 1, 60_000) == 1 else { throw NoLine(rest: String(decoding: bytes, as: UTF8.self)) }
        var chunk = [UInt8](repeating: 0, count: 4096)
        let count = read(descriptor, &chunk, chunk.count)
        bytes += chunk.prefix(max(count, 0))
        return count > 0
    }
}

/// A terminal without a screen, to see what a program writes to a real one.
final class PseudoTerminal {
    /// The device that the program opens.
    let path: String
    private let controller: Int32
    // Kept open so that what was written stays to be read after the program has ended.
    private let device: Int32

    init() throws {
        controller = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        guard controller >= 0, let path = Self.devicePath(of: controller) else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
        self.path = path
        device = open(path, O_RDWR | O_NOCTTY)
    }

    /// Unlocks the device of a terminal and names it.
    private static func devicePath(of controller: Int32) -> String? {
        #if os(Linux)
        // unlockpt(3) and ptsname(3), which Swift does not see on Linux, are these two requests: TIOCSPTLCK, TIOCGPTN.
        var (lock, number): (Int32, UInt32) = (0, 0)
        guard ioctl(controller, 0x4004_5431, &lock) == 0, ioctl(controller, 0x8004_5430, &number) == 0 else {
            return nil
        }
        return "/dev/pts/\(number)"
        #else
        guard grantpt(controller) == 0, unlockpt(controller) == 0, let name = ptsname(controller) else { return nil }
        return String(cString: name)
        #endif
    }

    deinit {
        close(device)
        close(controller)
    }

    /// Types a line, which waits for the program to read it.
    func type(_ line: String) throws {
        let bytes = Array("\(line)\n".utf8)
        guard write(controller, bytes, bytes.count) == bytes.count else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
    }

    /// The output of a program that has ended, with a terminal's line ends converted to line feeds.
    func text() -> String {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(controller, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).replacingOccurrences(of: "\r\n", with: "\n")
    }
}

import Foundation
import KeyspanCore

/// A child process whose exit is collected once, so that no signal ever reaches a reused process id.
final class ChildProcess: Sendable {
    /// The process group that a child starts in.
    enum Group {
        /// The group of the test process.
        case inherited
        /// A new group, whose number is the id of the child.
        case new
        /// The group of another process, which must still exist.
        case existing(pid_t)
    }

    /// The environment of every child: no variable of the developer may change what etcd or its clients do.
    static let environment = [
        "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "HOME": NSTemporaryDirectory(),
        "ETCDCTL_API": "3",
    ]

    /// The process id.
    let identifier: pid_t
    private let exit = Locked<Int32?>(nil)

    /// Starts a program.
    ///
    /// The child inherits the three streams and no other descriptor. An inherited socket would keep a connection open that
    /// this process has closed.
    ///
    /// - Parameters:
    ///   - words: The program, looked up on `PATH`, and its arguments.
    ///   - environment: All of its environment.
    ///   - input: The descriptor of standard input.
    ///   - output: The descriptor of standard output.
    ///   - error: The descriptor of standard error.
    ///   - group: The process group that it starts in.
    init(
        _ words: [String],
        environment: [String: String] = ChildProcess.environment,
        input: Int32,
        output: Int32,
        error: Int32,
        group: Group = .inherited
    ) throws {
        #if canImport(Darwin)
        var (actions, attributes): (posix_spawn_file_actions_t?, posix_spawnattr_t?) = (nil, nil)
        var flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_CLOEXEC_DEFAULT
        #else
        var (actions, attributes) = (posix_spawn_file_actions_t(), posix_spawnattr_t())
        var flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        #endif
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        for (target, source) in [input, output, error].enumerated() {
            posix_spawn_file_actions_adddup2(&actions, source, Int32(target))
        }
        #if !canImport(Darwin)
        for descriptor in try Self.inheritedDescriptors() {
            posix_spawn_file_actions_addclose(&actions, descriptor)
        }
        #endif
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        for signal in [SIGHUP, SIGINT, SIGPIPE, SIGTERM] {
            sigaddset(&signals, signal)
        }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        switch group {
        case .inherited: break
        case .new: flags |= POSIX_SPAWN_SETPGROUP
        case .existing(let leader):
            flags |= POSIX_SPAWN_SETPGROUP
            posix_spawnattr_setpgroup(&attributes, leader)
        }
        posix_spawnattr_setflags(&attributes, Int16(flags))
        let arguments = words.map { strdup($0) } + [nil]
        let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { (arguments + variables).forEach { free($0) } }
        var identifier: pid_t = 0
        let code = posix_spawnp(&identifier, words[0], &actions, &attributes, arguments, variables)
        guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EINVAL) }
        self.identifier = identifier
    }

    /// The exit status, or 128 plus the number of the signal, once the process has ended.
    var exitStatus: Int32? {
        exit.withLock { collect(into: &$0, WNOHANG) }
    }

    /// Sends a signal, unless the process has ended.
    func send(_ signal: Int32) {
        exit.withLock { exit in
            guard collect(into: &exit, WNOHANG) == nil else { return }
            kill(identifier, signal)
        }
    }

    /// Stops the process with SIGSTOP and blocks the calling thread until all its threads have stopped.
    func freeze() {
        exit.withLock { exit in
            guard collect(into: &exit, WNOHANG) == nil else { return }
            kill(identifier, SIGSTOP)
            _ = collect(into: &exit, WUNTRACED)
        }
    }

    /// Kills the process with SIGKILL and blocks the calling thread until it has ended.
    func kill() {
        exit.withLock { exit in
            guard collect(into: &exit, WNOHANG) == nil else { return }
            kill(identifier, SIGKILL)
            _ = collect(into: &exit, 0)
        }
    }

    /// Blocks the calling thread until the process has ended.
    ///
    /// - Returns: The exit status, or `nil` if the process still runs after the time limit.
    func waitForExit(within limit: Duration) -> Int32? {
        let deadline = ContinuousClock.now + limit
        while true {
            if let status = exitStatus { return status }
            guard ContinuousClock.now < deadline else { return nil }
            usleep(2_000)
        }
    }

    /// Collects the exit of the process, if it has ended; a stop is no exit.
    private func collect(into exit: inout Int32?, _ options: Int32) -> Int32? {
        if let exit { return exit }
        var (status, found): (Int32, pid_t) = (0, 0)
        repeat {
            found = waitpid(identifier, &status, options)
        } while found < 0 && errno == EINTR
        guard found != 0, found < 0 || status & 0xFF != 0x7F else { return nil }
        let signal = status & 0x7F
        // Without a child to wait for, someone else has collected the status.
        exit = found < 0 ? -1 : signal == 0 ? status >> 8 & 0xFF : 128 + signal
        return exit
    }

    /// Sends a signal to a process or, with a negative number, to a group.
    private func kill(_ identifier: pid_t, _ signal: Int32) {
        _ = Foundation.kill(identifier, signal)
    }

    #if !canImport(Darwin)
    /// The open descriptors that a child would inherit beside the three streams.
    private static func inheritedDescriptors() throws -> [Int32] {
        let names = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        return names.compactMap { Int32($0) }.filter { descriptor in
            let flags = fcntl(descriptor, F_GETFD)
            return descriptor > STDERR_FILENO && flags >= 0 && flags & FD_CLOEXEC == 0
        }
    }
    #endif
}

#if os(macOS) || os(Linux) || os(FreeBSD)
package import Foundation
import KeyspanCore

/// A child process of a test.
///
/// Its streams are files, so that no pipe can fill up and its output survives the process. It is killed when this object goes away, and its
/// exit is collected once, so that no signal reaches a reused process identifier.
package final class TestProcess: Sendable {
    /// The process group that a process starts in.
    package enum Group {
        /// The group of the test process.
        case inherited
        /// A new group, whose number is the identifier of the process.
        case new
        /// The group of another process, which must still exist.
        case existing(pid_t)
    }

    /// The exit status and the output of a process that has ended.
    package struct Result: Sendable {
        /// The exit status, or 128 plus the number of the signal, as shells have it.
        package let status: Int32
        package let output: String
        package let error: String
    }

    /// A process did not end in time, or not as it should have.
    package struct Failure: Error, CustomStringConvertible {
        package let words: [String]
        /// The exit status, or `nil` if the process still ran at its time limit.
        package let status: Int32?
        package let output: String
        package let error: String

        package var description: String {
            let outcome = status.map { "ended with status \($0)" } ?? "still ran at its time limit"
            return "\(words.joined(separator: " ")) \(outcome): \(output) \(error)"
        }
    }

    /// The environment of the test process.
    package static var environment: [String: String] { ProcessInfo.processInfo.environment }

    package let words: [String]
    package let identifier: pid_t
    private let streams: [ScratchFile]
    private let isLeader: Bool
    private let exit = Locked<Int32?>(nil)

    /// The path of a program of this package, which is built beside the tests.
    package static func product(_ name: String) -> String {
        #if canImport(Darwin)
        let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") } ?? .main
        return bundle.bundleURL.deletingLastPathComponent().appending(path: name).path
        #else
        return Bundle.main.bundleURL.appending(path: name).path
        #endif
    }

    /// Whether all of some programs are on `PATH`.
    package static func isInstalled(_ programs: String...) -> Bool {
        let folders = (environment["PATH"] ?? "").split(separator: ":")
        return programs.allSatisfy { program in
            folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(program)") }
        }
    }

    /// Starts a program, which inherits its three streams and no other descriptor.
    ///
    /// - Parameters:
    ///   - words: The program, looked up on `PATH`, and its arguments.
    ///   - environment: All of its environment, except the options of a sanitizer that everything was built with.
    ///   - input: The bytes on its standard input.
    ///   - descriptors: Descriptors of this process that take the place of its streams: 0, 1 and 2.
    ///   - group: The process group that it starts in.
    package init(
        _ words: [String],
        environment: [String: String] = TestProcess.environment,
        input: [UInt8] = [],
        descriptors: [Int32: Int32] = [:],
        group: Group = .inherited
    ) throws {
        self.words = words
        streams = [try ScratchFile(input), try ScratchFile(), try ScratchFile()]
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
        for (target, stream) in streams.enumerated() {
            posix_spawn_file_actions_adddup2(&actions, descriptors[Int32(target)] ?? stream.descriptor, Int32(target))
        }
        #if !canImport(Darwin)
        // An inherited socket would keep a connection open that this process has closed.
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
        case .inherited: isLeader = false
        case .new:
            isLeader = true
            flags |= POSIX_SPAWN_SETPGROUP
        case .existing(let leader):
            isLeader = false
            flags |= POSIX_SPAWN_SETPGROUP
            posix_spawnattr_setpgroup(&attributes, leader)
        }
        posix_spawnattr_setflags(&attributes, Int16(flags))
        let sanitizers = Self.environment.filter { $0.key.hasSuffix("SAN_OPTIONS") }
        let variables = environment.merging(sanitizers) { own, _ in own }
        let arguments = words.map { strdup($0) } + [nil]
        let assignments = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { (arguments + assignments).forEach { free($0) } }
        var identifier: pid_t = 0
        let code = posix_spawnp(&identifier, words[0], &actions, &attributes, arguments, assignments)
        guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EINVAL) }
        self.identifier = identifier
    }

    deinit {
        kill()
    }

    /// The standard output so far.
    package var output: String { streams[1].text }

    /// The standard error so far.
    package var error: String { streams[2].text }

    /// The whole lines of its output that begin with a text, without it.
    package func lines(_ beginning: String = "") -> [String] {
        output.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast()
            .filter { $0.starts(with: beginning.utf8) }
            .map { String(decoding: $0.dropFirst(beginning.utf8.count), as: UTF8.self) }
    }

    /// The exit status, or 128 plus the number of the signal, once it has ended.
    package var exitStatus: Int32? {
        exit.withLock { collect(into: &$0, WNOHANG) }
    }

    /// Sends a signal, unless it has ended.
    package func send(_ signal: Int32) {
        exit.withLock { exit in
            guard collect(into: &exit, WNOHANG) == nil else { return }
            _ = Foundation.kill(identifier, signal)
        }
    }

    /// Stops it with SIGSTOP and blocks the thread until all its threads have stopped.
    package func freeze() {
        exit.withLock { exit in
            guard collect(into: &exit, WNOHANG) == nil else { return }
            _ = Foundation.kill(identifier, SIGSTOP)
            // One that was stopped before is not reported again.
            for _ in 0..<1_000 where !isStopped(collecting: &exit) { usleep(1_000) }
        }
    }

    /// Whether it has stopped now, or ended.
    private func isStopped(collecting exit: inout Int32?) -> Bool {
        if exit != nil { return true }
        var status: Int32 = 0
        guard waitpid(identifier, &status, WNOHANG | WUNTRACED) == identifier else { return false }
        guard status & 0xFF != 0x7F else { return true }
        let signal = status & 0x7F
        exit = signal == 0 ? status >> 8 & 0xFF : 128 + signal
        return true
    }

    /// Kills it with SIGKILL, with the group that it leads, and blocks the thread until it has ended.
    package func kill() {
        exit.withLock { exit in
            guard collect(into: &exit, WNOHANG) == nil else { return }
            _ = Foundation.kill(isLeader ? -identifier : identifier, SIGKILL)
            _ = collect(into: &exit, 0)
        }
    }

    /// Blocks the thread until it has ended.
    ///
    /// - Returns: The exit status, or `nil` if it still runs after the limit.
    package func waitForExit(within limit: Duration = .seconds(120)) -> Int32? {
        let end = ContinuousClock.now + limit
        while true {
            if let status = exitStatus { return status }
            guard ContinuousClock.now < end else { return nil }
            usleep(3_000)
        }
    }

    /// Blocks the thread until it has ended by itself, whatever its status.
    ///
    /// - Throws: ``Failure`` if it still runs after the limit, and is killed then.
    package func finish(within limit: Duration = .seconds(120)) throws -> Result {
        guard let status = waitForExit(within: limit) else {
            kill()
            throw Failure(words: words, status: nil, output: output, error: error)
        }
        return Result(status: status, output: output, error: error)
    }

    /// Runs a program to its end, and blocks the thread until then.
    ///
    /// - Returns: Its output.
    /// - Throws: ``Failure`` unless its status is 0.
    @discardableResult
    package static func run(
        _ words: [String],
        environment: [String: String] = TestProcess.environment,
        input: [UInt8] = [],
        within limit: Duration = .seconds(120)
    ) throws -> String {
        let result = try TestProcess(words, environment: environment, input: input).finish(within: limit)
        guard result.status == 0 else {
            throw Failure(words: words, status: result.status, output: result.output, error: result.error)
        }
        return result.output
    }

    /// Collects the exit, if it has ended; a stop does not count as one.
    private func collect(into exit: inout Int32?, _ options: Int32) -> Int32? {
        if let exit { return exit }
        var (status, found): (Int32, pid_t) = (0, 0)
        repeat {
            found = waitpid(identifier, &status, options)
        } while found < 0 && errno == EINTR
        guard found != 0, found < 0 || status & 0xFF != 0x7F else { return nil }
        let signal = status & 0x7F
        // Without a child to wait for, other code has collected the status.
        exit = found < 0 ? -1 : signal == 0 ? status >> 8 & 0xFF : 128 + signal
        return exit
    }

    #if !canImport(Darwin)
    /// The open descriptors that a process would inherit beside the three streams.
    private static func inheritedDescriptors() throws -> [Int32] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { Int32($0) }.filter {
            let flags = fcntl($0, F_GETFD)
            return $0 > STDERR_FILENO && flags >= 0 && flags & FD_CLOEXEC == 0
        }
    }
    #endif
}

/// A file without a name, which vanishes when this object goes away or the process is killed.
private final class ScratchFile: Sendable {
    let descriptor: Int32

    init(_ bytes: [UInt8] = []) throws {
        var path = Array("\(NSTemporaryDirectory())/keyspan-XXXXXX".utf8CString)
        descriptor = try check(mkstemp(&path))
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        // Whatever the processes write stands behind what others wrote.
        _ = fcntl(descriptor, F_SETFL, O_APPEND)
        unlink(path)
        try bytes.withUnsafeBytes { _ = try check(write(descriptor, $0.baseAddress, $0.count)) }
        try check(lseek(descriptor, 0, SEEK_SET))
    }

    deinit {
        close(descriptor)
    }

    /// All that is in the file, read without changing the position of the process that writes.
    var text: String {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = pread(descriptor, &chunk, chunk.count, off_t(bytes.count))
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += chunk[..<count]
        }
    }
}
#endif

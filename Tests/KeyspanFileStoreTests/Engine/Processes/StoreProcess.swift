#if os(macOS) || os(Linux) || os(FreeBSD)
import KeyspanCore
import KeyspanFileStoreProcess
import KeyspanTestSupport

#if canImport(Darwin)
import Foundation
import KeyspanTestSupport
#endif

/// A process of its own that uses a store, with files in place of its streams: what it wrote survives it, and no pipe can
/// fill up.
final class StoreProcess: Sendable {
    /// The end of a process.
    enum Ending: Equatable {
        case exited(Int32)
        case killed(Int32)
    }

    /// A process ended, or said something, that it should not have.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let invocation: Invocation
    private let streams: TemporaryFolder
    private let identifier: pid_t
    private let ending = Locked<Ending?>(nil)

    /// The program, in the folder in which the package was built.
    private static let executable: String = {
        #if canImport(Darwin)
        let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") } ?? .main
        return bundle.bundleURL.deletingLastPathComponent().appending(path: "KeyspanFileStoreProcess").path
        #else
        let runner = CommandLine.arguments[0]
        return "\(runner[..<(runner.lastIndex(of: "/") ?? runner.startIndex)])/KeyspanFileStoreProcess"
        #endif
    }()

    /// Starts a process.
    init(_ invocation: Invocation) throws {
        self.invocation = invocation
        streams = try TemporaryFolder()
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        #else
        var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (name, descriptor) in [("output", STDOUT_FILENO), ("error", STDERR_FILENO)] {
            try streams.write([], to: name)
            posix_spawn_file_actions_addopen(&actions, descriptor, streams.path(name), O_WRONLY | O_APPEND, 0)
        }
        let words = ([Self.executable] + invocation.arguments).map { strdup($0) } + [nil]
        defer { words.forEach { free($0) } }
        var identifier: pid_t = 0
        let code = posix_spawn(&identifier, Self.executable, &actions, nil, words, environ)
        guard code == 0 else { throw Failure(description: "\(Self.executable): \(String(cString: strerror(code)))") }
        self.identifier = identifier
    }

    deinit {
        guard ending.withLock({ $0 }) == nil else { return }
        kill(identifier, SIGKILL)
        waitpid(identifier, nil, 0)
    }

    /// Sends it a signal.
    func send(_ signal: Int32) {
        kill(identifier, signal)
    }

    /// The rest of each output line with this beginning; an unfinished line does not count.
    func lines(_ beginning: String) throws -> [String] {
        let text = String(decoding: try streams.bytes(of: "output"), as: UTF8.self)
        guard let end = text.lastIndex(of: "\n") else { return [] }
        return text[..<end].split(separator: "\n").filter { $0.hasPrefix(beginning) }.map {
            String($0.dropFirst(beginning.count))
        }
    }

    /// The numbers that it wrote behind this beginning.
    func numbers(_ beginning: String) throws -> [Int] {
        try lines(beginning).compactMap { Int($0) }
    }

    /// The standard error of the process.
    var problems: String {
        get throws { String(decoding: try streams.bytes(of: "error"), as: UTF8.self) }
    }

    /// Returns when it has written so many lines with this beginning.
    func wait(for beginning: String, count: Int = 1) async throws {
        while try lines(beginning).count < count {
            if let ending = look(), try lines(beginning).count < count {
                throw Failure(description: "\(invocation): \(ending), \(try problems)")
            }
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    /// Returns when it has ended.
    func wait() async throws -> Ending {
        while true {
            if let ending = look() { return ending }
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    /// Asks it to exit, or waits until it does by itself.
    ///
    /// - Throws: ``Failure`` if it ends in another way, or has found a fault.
    func finish(asking signal: Int32? = nil) async throws {
        if let signal { send(signal) }
        let ending = try await wait()
        let faults = try lines(Report.fault)
        guard ending == .exited(0), faults.isEmpty else {
            throw Failure(description: "\(invocation): \(ending), \(faults.prefix(5)) \(try problems)")
        }
    }

    private func look() -> Ending? {
        ending.withLock { ending in
            if ending != nil { return ending }
            var status: Int32 = 0
            guard waitpid(identifier, &status, WNOHANG) == identifier else { return nil }
            let signal = status & 0x7F
            ending = signal == 0 ? .exited(status >> 8 & 0xFF) : .killed(signal)
            return ending
        }
    }
}
#endif

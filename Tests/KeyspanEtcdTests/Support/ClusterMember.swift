import Foundation
import KeyspanCore

// The benchmarks have links to its files instead.
#if canImport(KeyspanTestSupport)
import KeyspanTestSupport
#endif

/// One member of a test cluster: an etcd process that can be killed, frozen and restarted.
///
/// The methods that wait for a process block the calling thread, for milliseconds.
final class ClusterMember: Sendable {
    /// Where a member runs.
    struct Place: Sendable {
        let client: IPv4Endpoint
        let peer: IPv4Endpoint
        /// The words before `etcd` in its command, such as those that enter a network namespace.
        var launcher: [String] = []
    }

    private struct State {
        var process: TestProcess?
        var isFrozen = false
        /// Whether the last end of the process was asked for.
        var isKilled = false
    }

    /// The name of the member in the cluster, such as `m1`.
    let name: String
    let place: Place
    /// The file with all that the member has logged.
    let log: String
    private let command: [String]
    private let group: pid_t
    private let state = Locked(State())

    /// Describes a member, which does not run yet.
    ///
    /// - Parameters:
    ///   - name: The name of the member in the cluster.
    ///   - place: Where it runs.
    ///   - arguments: The arguments of etcd.
    ///   - watchdog: The process group that it joins and the folder for its log.
    init(name: String, place: Place, arguments: [String], watchdog: Watchdog) {
        self.name = name
        self.place = place
        log = "\(watchdog.folder)/\(name).log"
        command = place.launcher + ["etcd"] + arguments
        group = watchdog.group
    }

    /// The address for clients, such as `127.0.0.1:2379`.
    var endpoint: String { "\(place.client)" }

    /// Whether the process exists; a frozen member is running.
    var isRunning: Bool { processIdentifier != nil }

    /// Whether the member runs and is not frozen.
    var isResponsive: Bool { isRunning && !state.withLock(\.isFrozen) }

    /// Whether the process ended by itself.
    var hasCrashed: Bool { state.withLock { $0.process?.exitStatus != nil && !$0.isKilled } }

    /// The id of the process, if it runs.
    var processIdentifier: pid_t? {
        state.withLock { state in
            guard let process = state.process, process.exitStatus == nil else { return nil }
            return process.identifier
        }
    }

    /// Kills the member with SIGKILL and waits for its end; its data folder stays.
    func kill() {
        state.withLock { Self.kill(&$0) }
    }

    /// Stops the member with SIGSTOP: connections stay open, but nothing answers.
    ///
    /// Returns when all threads of the member have stopped.
    func freeze() {
        state.withLock { state in
            state.process?.freeze()
            state.isFrozen = true
        }
    }

    /// Continues a frozen member with SIGCONT.
    func thaw() {
        state.withLock { state in
            state.process?.send(SIGCONT)
            state.isFrozen = false
        }
    }

    /// Starts the member on the same data folder and addresses, after killing it if it runs.
    ///
    /// It is not ready when this method returns: see ``TestCluster/waitUntilHealthy(within:)``.
    func restart() throws {
        try state.withLock { state in
            Self.kill(&state)
            let output = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
            guard output >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
            defer { close(output) }
            state.process = try TestProcess(
                command,
                environment: TestCluster.environment,
                descriptors: [1: output, 2: output],
                group: .existing(group)
            )
            state.isKilled = false
        }
    }

    /// The last lines of the log, for errors.
    func logTail(lines: Int = 20) -> String {
        let text = String(decoding: (try? Data(contentsOf: URL(filePath: log))) ?? Data(), as: UTF8.self)
        return text.split(separator: "\n").suffix(lines).joined(separator: "\n")
    }

    private static func kill(_ state: inout State) {
        state.process?.kill()
        state.isFrozen = false
        state.isKilled = true
    }
}

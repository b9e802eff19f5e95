import Foundation
import KeyspanCore

// The benchmarks have links to its files instead.
#if canImport(KeyspanTestSupport)
import KeyspanTestSupport
#endif

/// A real etcd cluster for one test, whose members can be killed, frozen and restarted.
///
/// ```swift
/// @Suite(.enabled(if: TestCluster.isInstalled)) struct FailoverTests {
///     @Test func `a new leader takes over`() throws {
///         let cluster = try TestCluster()
///         defer { cluster.stop() }
///         let leader = try cluster.leader()
///         leader.kill()
///         let next = try cluster.leader(besides: leader)
///         try cluster.etcdctl("put", "key", "value")
///     }
/// }
/// ```
///
/// Several clusters can run at the same time, also in several test processes. Members end with the test process, even if that
/// is killed. Methods that wait for processes say so: they block the calling thread, which should not be one of the
/// cooperative pool while other tests need it.
final class TestCluster: Sendable {
    /// How to start the members.
    struct Options: Sendable {
        /// The number of members.
        var size = 3
        /// Arguments of every member, such as `--quota-backend-bytes 16777216`; they win over those of the cluster.
        var arguments: [String] = []
        /// The certificates, if clients connect with TLS; the members talk to each other without it.
        var tls: ClusterTLS?
    }

    /// The cluster did not get where the test needs it.
    struct Failure: Error, CustomStringConvertible {
        /// The condition that was not met, and the end of the log of each member.
        let description: String
    }

    /// Whether etcd and etcdctl are on `PATH`.
    static let isInstalled = TestProcess.isInstalled("etcd", "etcdctl")

    /// The environment of etcd and etcdctl: no variable of the developer may change what they do.
    static let environment = [
        "PATH": TestProcess.environment["PATH"] ?? "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "HOME": NSTemporaryDirectory(),
        "ETCDCTL_API": "3",
    ]

    let members: [ClusterMember]
    let tls: ClusterTLS?
    /// The user and the password of etcdctl, such as `root:secret`, once the cluster has users.
    let user = Locked<String?>(nil)
    private let watchdog: Watchdog
    private let ports: [LoopbackPort]

    /// Starts a cluster on free loopback ports and blocks the calling thread until it is healthy.
    convenience init(_ options: Options = Options()) throws {
        let ports = try (0..<2 * options.size).map { _ in try LoopbackPort() }
        let places = (0..<options.size).map { index in
            ClusterMember.Place(client: ports[2 * index].endpoint, peer: ports[2 * index + 1].endpoint)
        }
        try self.init(options, places: places, ports: ports, watchdog: Watchdog())
    }

    /// Starts a cluster at chosen places and blocks the calling thread until it is healthy.
    ///
    /// - Parameters:
    ///   - options: How to start the members.
    ///   - places: Where each member runs.
    ///   - ports: The reservations of the ports, if they are on loopback.
    ///   - watchdog: The folder and the process group, which belong to the cluster from now on.
    init(_ options: Options, places: [ClusterMember.Place], ports: [LoopbackPort] = [], watchdog: Watchdog) throws {
        let named = places.enumerated().map { ("m\($0.offset + 1)", $0.element) }
        let peers = named.map { "\($0)=http://\($1.peer)" }.joined(separator: ",")
        let scheme = options.tls == nil ? "http" : "https"
        members = named.map { name, place in
            let arguments = [
                "--name", name, "--data-dir", "\(watchdog.folder)/\(name)",
                "--listen-client-urls", "\(scheme)://\(place.client)",
                "--advertise-client-urls", "\(scheme)://\(place.client)",
                "--listen-peer-urls", "http://\(place.peer)",
                "--initial-advertise-peer-urls", "http://\(place.peer)",
                "--initial-cluster", peers, "--initial-cluster-state", "new",
                // A member of another cluster that once had the same port is turned away.
                "--initial-cluster-token", watchdog.folder,
                "--heartbeat-interval", "50", "--election-timeout", "500",
            ]
            return ClusterMember(
                name: name,
                place: place,
                arguments: arguments + (options.tls?.serverArguments ?? []) + options.arguments,
                watchdog: watchdog
            )
        }
        tls = options.tls
        self.watchdog = watchdog
        self.ports = ports
        do {
            for member in members { try member.restart() }
            try waitUntilHealthy()
        } catch {
            stop()
            throw error
        }
    }

    deinit {
        stop()
    }

    /// The addresses for clients, in the order of the members.
    var endpoints: [String] { members.map(\.endpoint) }

    /// The folder with the data and the logs of the members, removed at the end.
    var folder: String { watchdog.folder }

    /// Kills all members, removes their data, and blocks the calling thread until that is done.
    func stop() {
        for member in members { member.kill() }
        watchdog.end()
    }

    /// Blocks the calling thread until every running member that is not frozen answers a linearizable read.
    func waitUntilHealthy(within timeout: Duration = .seconds(120)) throws {
        let deadline = ContinuousClock.now + timeout
        while true {
            if let crashed = members.first(where: \.hasCrashed) {
                throw failure("\(crashed.name) ended by itself")
            }
            let responsive = members.filter(\.isResponsive)
            if !responsive.isEmpty,
                try administer(
                    ["--command-timeout", "2s", "endpoint", "health"],
                    at: responsive,
                    as: user.withLock { $0 }
                ).status == 0
            {
                return
            }
            guard ContinuousClock.now < deadline else { throw failure("the cluster is not healthy after \(timeout)") }
            // Paces the attempts, each of which starts a process.
            usleep(20_000)
        }
    }

    /// An error with the end of the log of each member.
    func failure(_ reason: String) -> Failure {
        let logs = members.map { "--- \($0.name) at \($0.endpoint)\($0.isRunning ? "" : ", ended")\n\($0.logTail())" }
        return Failure(description: "\(reason)\n\(logs.joined(separator: "\n"))")
    }
}

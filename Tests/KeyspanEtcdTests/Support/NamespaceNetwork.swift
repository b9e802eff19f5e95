#if os(Linux)
import Foundation
import KeyspanTestSupport

/// Network namespaces on a bridge, whose packets can be dropped in one direction each.
///
/// The bridge has the address 10.77.X.254, the namespaces 10.77.X.1 and so on; nothing routes from them to other networks. The
/// names of all parts hold the id of the test process, so that a later run can remove what a killed run has left.
final class NamespaceNetwork: Sendable {
    /// All subnets are in use.
    struct NoSubnet: Error {}

    /// Whether this process may make such networks: it is root, ip and iptables are installed, and one could be made.
    static let isAvailable: Bool = {
        guard geteuid() == 0, TestProcess.isInstalled("ip", "iptables") else { return false }
        do {
            let network = try NamespaceNetwork(size: 2)
            let watchdog = try Watchdog(cleanup: network.removal)
            defer { watchdog.end() }
            try network.build()
            try network.drop(from: network.address(of: 0), to: 1)
            return true
        } catch {
            return false
        }
    }()

    /// The names begin with these.
    private static let (namespacePrefix, linkPrefix) = ("keyspan", "ks")

    private let size: Int
    private let subnet: Int
    private let reservation: Int32

    /// Chooses a subnet, and removes what killed runs have left; makes nothing yet.
    ///
    /// Blocks the calling thread while leftovers are removed.
    ///
    /// - Parameter size: The number of namespaces.
    init(size: Int) throws {
        self.size = size
        Self.removeLeftovers()
        let used = try TestProcess.run(["ip", "-oneline", "-4", "address", "show"])
        for subnet in (0...255).map({ (Int(getpid()) + $0) % 256 }) where !used.contains(" 10.77.\(subnet).") {
            // A UDP port holds the number among test processes, until the kernel frees it. 127.0.0.0/8 is all loopback.
            let number = IPv4Endpoint(host: "127.77.\(subnet).254", port: 7_777)
            guard let reservation = try? number.reserve() else { continue }
            (self.subnet, self.reservation) = (subnet, reservation)
            return
        }
        throw NoSubnet()
    }

    deinit {
        close(reservation)
    }

    /// The address of the host, from which clients connect.
    var hostAddress: String { "10.77.\(subnet).254" }

    /// The address of a namespace.
    func address(of index: Int) -> String { "10.77.\(subnet).\(index + 1)" }

    /// The words that run a command in a namespace, which stays one process.
    func launcher(of index: Int) -> [String] { ["ip", "netns", "exec", namespace(index)] }

    /// The shell commands that kill what runs in the namespaces, and remove them and the bridge.
    var removal: String { Self.removal(process: getpid(), subnet: subnet) }

    /// Makes the bridge and the namespaces; blocks the calling thread until that is done.
    func build() throws {
        let bridge = "\(Self.linkPrefix)\(getpid())-\(subnet)"
        var lines = [
            "ip link add \(bridge) type bridge",
            "ip address add \(hostAddress)/24 dev \(bridge)",
            "ip link set \(bridge) up",
        ]
        for index in 0..<size {
            let (name, link) = (namespace(index), "\(bridge)-\(index)")
            lines += [
                "ip netns add \(name)",
                "ip link add \(link) type veth peer name eth0 netns \(name)",
                "ip link set \(link) master \(bridge) up",
                "ip -n \(name) address add \(address(of: index))/24 dev eth0",
                "ip -n \(name) link set lo up",
                "ip -n \(name) link set eth0 up",
            ]
        }
        try TestProcess.run(["sh", "-e", "-c", lines.joined(separator: "\n")])
    }

    /// Drops what arrives in a namespace from an address.
    func drop(from address: String, to index: Int) throws {
        try filter(index, "INPUT", "-s", address)
    }

    /// Drops what a namespace sends to an address outside the namespaces.
    func drop(from index: Int, to address: String) throws {
        try filter(index, "OUTPUT", "-d", address)
    }

    /// Lets all packets pass again.
    func heal() throws {
        for index in 0..<size {
            try TestProcess.run(launcher(of: index) + ["iptables", "-w", "-F"])
        }
    }

    private func namespace(_ index: Int) -> String { "\(Self.namespacePrefix)-\(getpid())-\(subnet)-\(index)" }

    private func filter(_ index: Int, _ chain: String, _ side: String, _ address: String) throws {
        try TestProcess.run(launcher(of: index) + ["iptables", "-w", "-A", chain, side, address, "-j", "DROP"])
    }

    /// Removes the networks of processes that no longer live, also if their watchdogs were killed.
    private static func removeLeftovers() {
        let namespaces = (try? FileManager.default.contentsOfDirectory(atPath: "/run/netns")) ?? []
        let links = (try? FileManager.default.contentsOfDirectory(atPath: "/sys/class/net")) ?? []
        let owners =
            namespaces.compactMap { owner($0, prefix: "\(namespacePrefix)-") }
            + links.compactMap { owner($0, prefix: linkPrefix) }
        for owner in Set(owners) where kill(owner.process, 0) != 0 && errno == ESRCH {
            // If it fails, someone else is removing the same, or the numbers of the subnet stay in use.
            _ = try? TestProcess.run(["sh", "-c", removal(process: owner.process, subnet: owner.subnet)])
        }
    }

    private struct Owner: Hashable {
        let process: pid_t
        let subnet: Int
    }

    /// The process and the subnet in the name of a part.
    private static func owner(_ name: String, prefix: String) -> Owner? {
        guard name.hasPrefix(prefix) else { return nil }
        let numbers = name.dropFirst(prefix.count).split(separator: "-").map { Int32($0) }
        guard (2...3).contains(numbers.count), let process = numbers[0], let subnet = numbers[1] else { return nil }
        return Owner(process: process, subnet: Int(subnet))
    }

    private static func removal(process: pid_t, subnet: Int) -> String {
        // A namespace lives on while processes run in it, and its link with it: hence the links are removed by name.
        """
        for path in /run/netns/\(namespacePrefix)-\(process)-\(subnet)-*; do
            [ -e "$path" ] || continue
            for running in $(ip netns pids "${path##*/}"); do kill -s KILL "$running"; done
            ip netns delete "${path##*/}"
        done
        for path in /sys/class/net/\(linkPrefix)\(process)-\(subnet) /sys/class/net/\(linkPrefix)\(process)-\(subnet)-*; do
            [ -e "$path" ] && ip link delete "${path##*/}"
        done
        """
    }
}
#endif

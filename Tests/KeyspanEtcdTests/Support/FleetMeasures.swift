#if os(Linux)
import Foundation
import KeyspanTestSupport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The cost of a fault for a cluster, for the line that a test prints.
extension ClusterMember {
    /// The processor time of the process so far, in seconds; 0 if it does not run.
    var processorSeconds: Double {
        guard let processIdentifier,
            let line = try? String(contentsOfFile: "/proc/\(processIdentifier)/stat", encoding: .utf8)
        else { return 0 }
        // After the name in parentheses, which may have spaces, the user's time is the 12th field and the system's the 13th.
        let fields = line.split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else { return 0 }
        return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// The number of calls of a method that the process has answered, with success or not; 0 if it does not run.
    func calls(of method: String) -> Int {
        guard let url = URL(string: "http://\(endpoint)/metrics"),
            let text = try? String(contentsOf: url, encoding: .utf8)
        else { return 0 }
        return text.split(separator: "\n")
            .filter { $0.hasPrefix("grpc_server_handled_total{") && $0.contains("grpc_method=\"\(method)\"") }
            .reduce(0) { $0 + (Int($1.split(separator: " ").last ?? "") ?? 0) }
    }
}

extension TestCluster {
    /// The number of open TCP connections of this process to the members.
    func connectionCount() throws -> Int {
        let ports = Set(members.map { String(format: "%04X", $0.place.client.port) })
        let files = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        let sockets = Set(
            files.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)") }
        )
        // Foundation reads the first page of such a file only.
        let table = try TestProcess.run(["cat", "/proc/net/tcp"])
        return table.split(separator: "\n").dropFirst().count { line in
            let fields = line.split(separator: " ")
            guard fields.count > 9 else { return false }
            // The fields are the remote address with the port, the state, which is 01 for an established connection, and the inode.
            return ports.contains(String(fields[2].suffix(4))) && fields[3] == "01"
                && sockets.contains("socket:[\(fields[9])]")
        }
    }
}
#endif

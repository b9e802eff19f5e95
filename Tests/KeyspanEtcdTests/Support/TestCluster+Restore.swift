import Foundation
import KeyspanTestSupport

/// Backups of a cluster and the return to one. All methods block the calling thread.
extension TestCluster {
    /// Saves a backup of all that is committed now.
    ///
    /// - Returns: The path of the backup.
    func saveBackup() throws -> String {
        let (path, endpoint) = ("\(folder)/\(UUID().uuidString).backup", endpoints[0])
        // A linearizable read makes this member apply everything that another one has committed.
        try etcdctl("get", "keyspan-backup", endpoints: [endpoint])
        try etcdctl("snapshot", "save", path, endpoints: [endpoint])
        return path
    }

    /// Kills the members and starts them with the contents of a backup.
    ///
    /// The token and the addresses of the members are those from before, so the restored cluster has the same cluster ID, and only its
    /// contents show that it is another history.
    func restore(from backup: String) throws {
        for member in members { member.kill() }
        let peers = members.map { "\($0.name)=http://\($0.place.peer)" }.joined(separator: ",")
        for member in members {
            let data = "\(folder)/\(member.name)"
            try FileManager.default.removeItem(atPath: data)
            let words = [
                "etcdctl", "snapshot", "restore", backup, "--data-dir", data, "--name", member.name,
                "--initial-cluster", peers, "--initial-advertise-peer-urls", "http://\(member.place.peer)",
                "--initial-cluster-token", folder,
            ]
            try TestProcess.run(words, environment: Self.environment)
        }
        for member in members { try member.restart() }
        try waitUntilHealthy()
    }
}

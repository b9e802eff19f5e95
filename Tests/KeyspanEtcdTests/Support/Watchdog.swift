import Foundation
import KeyspanCore

// The benchmarks have links to its files instead.
#if canImport(KeyspanTestSupport)
import KeyspanTestSupport
#endif

/// The folder and the process group of a cluster, which do not outlive the test process, even if that is killed.
///
/// Two small processes wait for the end of a pipe whose other end only the test process has. The kernel closes that end
/// however the process dies. One of the two leads the process group that the members join as they start, so that no member
/// ever runs outside it; the other one then kills the group, frozen members included, and removes what is left.
final class Watchdog: Sendable {
    /// The folder, removed at the end.
    let folder: String
    private let leader: TestProcess
    private let remover: TestProcess
    private let lifeline: Locked<Int32?>

    /// The process group of the members.
    var group: pid_t { leader.identifier }

    /// Makes the folder and the group.
    ///
    /// - Parameter cleanup: Shell commands that run once all processes of the group have ended.
    init(cleanup: String = ":") throws {
        let folder = "\(NSTemporaryDirectory())keyspan-etcd-\(getpid())-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
        self.folder = folder
        // A pair of sockets in place of a pipe: on Linux it closes on exec from the start.
        var ends: [Int32] = [-1, -1]
        #if canImport(Darwin)
        let kind = SOCK_STREAM
        #else
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        #endif
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
        ends.forEach { _ = fcntl($0, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[1]) }
        do {
            let environment = TestCluster.environment
            leader = try TestProcess(["cat"], environment: environment, descriptors: [0: ends[1]], group: .new)
            remover = try TestProcess(
                ["sh", "-c", Self.script(cleanup: cleanup), "sh", "\(leader.identifier)", folder],
                environment: environment,
                descriptors: [0: ends[1]],
                group: .new
            )
        } catch {
            close(ends[0])
            try? FileManager.default.removeItem(atPath: folder)
            throw error
        }
        lifeline = Locked(ends[0])
    }

    deinit {
        end()
    }

    /// Kills the group, removes the folder, and blocks the calling thread until that is done.
    func end() {
        let end = lifeline.withLock { lifeline in
            defer { lifeline = nil }
            return lifeline
        }
        guard let end else { return }
        close(end)
        leader.kill()
        if remover.waitForExit() == nil { remover.kill() }
    }

    /// The script of the second process, with the group and the folder as its arguments.
    ///
    /// A killed member may still be about to create a file, so the folder is removed when all have ended. The wait is bounded
    /// because a member remains visible if nobody collects its exit.
    private static func script(cleanup: String) -> String {
        """
        cat >/dev/null
        kill -s KILL -- "-$1"
        tries=0
        while kill -s 0 -- "-$1" && [ $tries -lt 100 ]; do
            tries=$((tries + 1))
            sleep 0.02
        done
        \(cleanup)
        rm -rf -- "$2"
        """
    }
}

#if Etcd || Remote
import Foundation

/// The files and connections that this process may have open.
enum OpenFiles {
    /// Allows as many as the system lets a process have, up to a number that is enough for a fleet.
    static func raiseLimit() throws {
        var limit = rlimit()
        #if canImport(Darwin)
        let files = RLIMIT_NOFILE
        #else
        let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #endif
        guard getrlimit(files, &limit) == 0 else { throw BenchmarkError.systemCall("getrlimit") }
        limit.rlim_cur = max(limit.rlim_cur, min(limit.rlim_max, 65_536))
        guard setrlimit(files, &limit) == 0 else { throw BenchmarkError.systemCall("setrlimit") }
    }
}
#endif

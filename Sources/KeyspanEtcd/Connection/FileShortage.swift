#if Etcd
internal import GRPCCore
internal import NIOCore

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// The lack of a file descriptor, because of which a connection cannot be made.
enum FileShortage: CustomStringConvertible {
    /// The process has as many open files as it may.
    case ofProcess
    /// The system has as many open files as it can.
    case ofSystem

    /// Interprets an `errno`; `nil` for any other.
    init?(errno code: Int32) {
        switch code {
        case EMFILE: self = .ofProcess
        case ENFILE: self = .ofSystem
        default: return nil
        }
    }

    /// Looks for the shortage among the causes of an error.
    init?(behind error: any Error) {
        var next: (any Error)? = error
        while let error = next {
            if let error = error as? IOError {
                self.init(errno: error.errnoCode)
                return
            }
            next = (error as? RPCError)?.cause ?? (error as? RuntimeError)?.cause
        }
        return nil
    }

    /// The shortage that exists now; `nil` if there is none.
    ///
    /// Functions of the system that need a file for their own work do not always say that they have none.
    static var present: FileShortage? {
        let descriptor = socket(AF_UNIX, streamKind, 0)
        guard descriptor < 0 else {
            close(descriptor)
            return nil
        }
        return FileShortage(errno: errno)
    }

    #if canImport(Glibc)
    private static var streamKind: Int32 { Int32(SOCK_STREAM.rawValue) }
    #else
    private static var streamKind: Int32 { SOCK_STREAM }
    #endif

    /// The shortage with its remedy.
    var description: String {
        switch self {
        case .ofProcess:
            "the process has reached its limit of \(Self.limit)open files; raise it, for example with ulimit -n"
        case .ofSystem: "the system has reached its limit of open files; close some, or raise it"
        }
    }

    /// The limit of the process, with a space behind it.
    private static var limit: String {
        var limit = rlimit()
        #if canImport(Glibc)
        let status = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        #else
        let status = getrlimit(RLIMIT_NOFILE, &limit)
        #endif
        return status == 0 ? "\(limit.rlim_cur) " : ""
    }
}
#endif

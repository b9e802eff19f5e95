#if Etcd
internal import GRPCCore

/// The failure of a call to a member of the cluster.
struct CallError: Error, Sendable, CustomStringConvertible {
    /// The kinds of failures that callers tell apart.
    enum Kind: Sendable {
        /// The member did not answer, or lost its leader: a write may have happened all the same.
        case unavailable
        /// The member has too much to do, or cannot agree now; nothing happened.
        case busy
        /// The space of the cluster is used up; nothing was written.
        case noSpace
        /// The request has more operations or bytes than the cluster takes.
        case tooLarge
        /// User or password are wrong, or missing.
        case unauthorized
        /// The user may not do that.
        case notPermitted
        /// The token of the session has ended.
        case tokenEnded
        /// The lease has ended.
        case leaseEnded
        /// The revision is no longer kept.
        case compacted
        /// Something else is wrong with the request; another attempt does not help.
        case rejected
    }

    let kind: Kind
    /// The member that was asked.
    let endpoint: String
    /// The reason in the member's own words, or those of the connection; never a value.
    let reason: String
    /// Whether no answer came within the time of the call.
    var isSilence = false

    var description: String { "\(endpoint): \(reason)" }

    /// Whether a store that is opened had better fail than wait.
    var isFinal: Bool { kind == .unauthorized || kind == .notPermitted || kind == .rejected }

    /// Whether another member may answer better.
    var isFaultOfMember: Bool { kind == .unavailable || kind == .busy }

    /// Whether the cluster refuses the user.
    var isOfUser: Bool { kind == .unauthorized || kind == .notPermitted }

    /// The same failure as one of another kind.
    func withKind(_ kind: Kind) -> CallError {
        CallError(kind: kind, endpoint: endpoint, reason: reason, isSilence: isSilence)
    }

    /// The failure of a call whose time is over.
    static func silence(of endpoint: String, for timeout: Duration) -> CallError {
        CallError(kind: .unavailable, endpoint: endpoint, reason: "no answer in \(timeout)", isSilence: true)
    }
}

extension CallError {
    /// Interprets an error of gRPC by its code and, where etcd uses one code for several failures, by its message.
    ///
    /// - SeeAlso: The messages are those of etcd's package `api/v3/v3rpc/rpctypes`, the same from 3.4 to 3.6.
    init(_ error: any Error, of endpoint: String) {
        if let shortage = FileShortage(behind: error) {
            self.init(kind: .unavailable, endpoint: endpoint, reason: shortage.description)
            return
        }
        guard let error = error as? RPCError else {
            self.init(kind: .unavailable, endpoint: endpoint, reason: "\(error)")
            return
        }
        let message = error.message
        let kind: Kind =
            switch error.code {
            case .resourceExhausted where message.contains("database space exceeded"): .noSpace
            case .resourceExhausted where message.contains("too many requests"): .busy
            case .resourceExhausted: .tooLarge
            case .invalidArgument where message.contains("too many operations"): .tooLarge
            case .invalidArgument where message.contains("request is too large"): .tooLarge
            case .invalidArgument where message.contains("authentication failed"): .unauthorized
            // A call without a token, or with one from before a change of the users.
            case .invalidArgument where message.contains("user name is empty"): .tokenEnded
            case .invalidArgument where message.contains("revision of auth store is old"): .tokenEnded
            case .unauthenticated: .tokenEnded
            case .permissionDenied: .notPermitted
            case .outOfRange where message.contains("compacted"): .compacted
            case .notFound where message.contains("lease not found"): .leaseEnded
            case .unavailable where message.contains("no leader"): .busy
            case .invalidArgument, .outOfRange, .notFound, .unimplemented, .failedPrecondition: .rejected
            default: .unavailable
            }
        let reason = message.isEmpty ? "\(error.code)" : message
        self.init(kind: kind, endpoint: endpoint, reason: reason, isSilence: error.code == .deadlineExceeded)
    }
}
#endif

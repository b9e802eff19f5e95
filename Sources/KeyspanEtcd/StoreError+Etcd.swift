#if Etcd
@_spi(StoreAuthors) public import KeyspanCore

extension StoreError.Code {
    /// No member of the cluster answered in time; nothing was written.
    public static let unreachable = StoreError.Code("unreachable")
    /// The cluster was asked to write, and whether it did could not be found out in time.
    ///
    /// The batch was written as a whole or not at all. If it is, readers see it as soon as the store is connected again.
    public static let outcomeUnknown = StoreError.Code("outcomeUnknown", effect: .unknown)
    /// The cluster has committed the batch, and the store could not show it in time, because its connection broke.
    ///
    /// Readers see it as soon as the store is connected again, in the order of the cluster's changes. It must not be written again.
    public static let notShown = StoreError.Code("notShown", effect: .applied)
    /// The cluster refused the user, or the user may not do that; nothing was written.
    public static let unauthorized = StoreError.Code("unauthorized")
    /// The cluster refused a request; nothing was written.
    public static let refused = StoreError.Code("refused")
}

extension CallError {
    /// The code and the remedy of a refusal that has nothing to do with the connection; `nil` for other failures.
    fileprivate var refusal: (code: StoreError.Code, remedy: String)? {
        switch kind {
        case .unavailable, .busy, .compacted, .leaseEnded: nil
        case .noSpace: (.notApplied, "compact and defragment the cluster, or raise its quota, and disarm its alarm")
        case .tooLarge:
            (.tooLarge, "write fewer or smaller values at once, or raise the limits of the cluster and of the options")
        case .unauthorized, .notPermitted, .tokenEnded:
            (.unauthorized, "correct the credentials, or grant the user that prefix")
        case .rejected: (.refused, "see the reason")
        }
    }

    /// The remedy for people who wait for the cluster.
    var remedy: String? { refusal?.remedy }
}

extension StoreError {
    /// The error for a call that a member has refused or not answered; nothing was written.
    static func refused(_ error: CallError, store: String) -> StoreError {
        StoreError(
            error.refusal?.code ?? .unreachable,
            store: store,
            reason: "the cluster refused (\(error))",
            remedy: error.refusal?.remedy ?? "look after the cluster and the network, and write again",
            underlying: error
        )
    }

    /// The error for a write that was not sent in time: the cause, unless that is the connection.
    static func unreachable(store: String, timeout: Duration, _ cause: CallError?) -> StoreError {
        if let cause, cause.refusal != nil { return .refused(cause, store: store) }
        return StoreError(
            .unreachable,
            store: store,
            reason:
                "no member of the cluster answered within \(timeout)\(cause.map { " (\($0))" } ?? ""), and nothing was written",
            remedy: "look after the cluster and the network, and write again",
            underlying: cause
        )
    }

    /// The error for a store that nobody waits for anymore.
    static func openingCanceled(store: String) -> StoreError {
        StoreError(
            .unreachable,
            store: store,
            reason: "the task that opened the store was canceled before a member answered",
            remedy: "open the store in a task that is not canceled"
        )
    }

    /// The error for a store that cannot be opened, neither from the cluster nor from its cache file.
    static func notOpened(
        store: String,
        timeout: Duration,
        cache path: String,
        _ obstacle: String,
        _ cause: CallError?
    ) -> StoreError {
        StoreError(
            .unreachable,
            store: store,
            reason:
                "no member of the cluster answered within \(timeout)\(cause.map { " (\($0))" } ?? ""), and the cache file \(path) \(obstacle)",
            remedy: "look after the cluster and the network, or name the cache file of this prefix and cluster",
            underlying: cause
        )
    }

    static func outcomeUnknown(store: String, timeout: Duration, _ cause: CallError?) -> StoreError {
        StoreError(
            .outcomeUnknown,
            store: store,
            reason:
                "whether the cluster has written could not be found out within \(timeout)\(cause.map { " (\($0))" } ?? "")",
            remedy: (cause?.refusal.map { "\($0.remedy); then " } ?? "")
                + "read the values once the store is connected again, and repeat the write if it is missing",
            underlying: cause
        )
    }

    static func notShown(store: String, timeout: Duration) -> StoreError {
        StoreError(
            .notShown,
            store: store,
            reason: "the cluster has committed the batch, and the store could not show it within \(timeout)",
            remedy: "do not write it again; readers see it once the store is connected again"
        )
    }

    static func tooManyOperations(_ count: Int, limit: Int, store: String) -> StoreError {
        StoreError(
            .tooLarge,
            store: store,
            reason: "the batch has \(count) operations, and one transaction of the cluster takes \(limit)",
            remedy:
                "write fewer keys at once, or raise the cluster's --max-txn-ops and maximumOperations of the options"
        )
    }

    static func tooManyBytes(_ count: Int, limit: Int, key: String?, store: String) -> StoreError {
        StoreError(
            .tooLarge,
            store: store,
            key: key,
            reason: "the batch has \(count) bytes, and one request to the cluster takes \(limit)",
            remedy:
                "write less at once, or raise the cluster's --max-request-bytes and maximumRequestSize of the options"
        )
    }

    static func reservedName(_ key: String, store: String) -> StoreError {
        StoreError(
            .invalidKey,
            store: store,
            key: key,
            reason: "names that begin with \(KeySpace.reserved.quoted) are the store's own",
            remedy: "give the key another name"
        )
    }

    static func unreadableEntry(_ key: String, store: String) -> StoreError {
        StoreError(
            .unsupportedValue,
            store: store,
            key: key,
            reason: "the cluster has an entry of that name which is not JSON text, and it is left alone",
            remedy: "correct it with etcdctl, or remove it"
        )
    }

    /// The error for writes that readers see and the cluster does not have.
    static func notDurable(_ error: StoreError, store: String) -> StoreError {
        StoreError(
            .notDurable,
            store: store,
            key: error.key,
            reason: error.reason,
            remedy: error.remedy,
            underlying: error
        )
    }

    /// A conflict whose deciding value readers do not see yet.
    static func conflict(key: String, store: String, unseenBecause cause: CallError) -> StoreError {
        let conflict = StoreError.conflict(key: key, store: store)
        return StoreError(
            .conflict,
            store: store,
            key: key,
            reason: conflict.reason,
            remedy: conflict.remedy,
            underlying: cause
        )
    }

    static func tooManyPending(_ limit: Int, store: String, _ cause: CallError?) -> StoreError {
        StoreError(
            cause?.refusal?.code ?? .unreachable,
            store: store,
            reason: "\(limit) keys wait to be sent to the cluster already\(cause.map { " (\($0))" } ?? "")",
            remedy: cause?.refusal?.remedy ?? "look after the cluster and the network, and write again",
            underlying: cause
        )
    }

    /// The error for a replacement of all keys that others have always overtaken.
    static func overtaken(store: String, timeout: Duration) -> StoreError {
        StoreError(
            .notApplied,
            store: store,
            reason:
                "others have changed the prefix between all attempts within \(timeout), and nothing was written: the batch is too large for "
                + "the form that does not depend on them",
            remedy:
                "write fewer keys at once, or raise the cluster's --max-txn-ops and maximumOperations of the options"
        )
    }

    /// The error for a write to a store after its end.
    static func closed(store: String) -> StoreError {
        StoreError(
            .notApplied,
            store: store,
            reason: "the store was closed, and takes no writes",
            remedy: "open another store, or close this one later"
        )
    }
}
#endif

#if Etcd
@_spi(StoreAuthors) public import KeyspanCore

/// Something about an ``EtcdStore`` that a person should know; `Defaults.Problem.storeNotice` has it.
public struct EtcdNotice: Sendable, CustomStringConvertible {
    /// The subject of a notice.
    ///
    /// A `switch` needs a `default`, because kinds may be added.
    public enum Kind: String, Sendable, Hashable {
        /// The text of an entry with the prefix cannot be read as a value, or its name cannot be that of a key; it is left alone.
        case unreadableEntry
        /// A write that was in effect here already was refused, or its outcome cannot be known, and readers see the value of the cluster; or
        /// the store was released before it was sent.
        case writeRefused
        /// The store follows no member of the cluster; its values stay in effect.
        case disconnected
        /// The cluster is another one than the store, or its cache file, knew, or was restored from a backup; its values are in effect now.
        case clusterReplaced
        /// The file with the last known values cannot be read or written.
        case cacheFailed
    }

    /// The subject.
    public let kind: Kind
    /// The name of the store.
    public let store: String
    /// The key that the notice is about; `nil` for a notice about the store.
    public let key: String?
    /// The event, as a clause without a period.
    public let reason: String
    /// The remedy, as a clause without a period.
    public let remedy: String
    /// The error that led to the notice, if there is one.
    public let underlying: (any Error)?

    /// The notice in one sentence, without any value.
    public var description: String {
        let place = key.map { "key \($0.quoted) of \(store)" } ?? store
        return "\(place): \(reason); \(remedy)."
    }
}

@_spi(StoreAuthors) extension EtcdNotice: ProblemDetails {
    public var severity: Defaults.Problem.Severity {
        switch kind {
        case .clusterReplaced: .notice
        case .unreadableEntry, .disconnected, .cacheFailed: .warning
        case .writeRefused: .error
        }
    }

    public var fields: [String: String] {
        var fields = ["kind": kind.rawValue, "store": store]
        fields["key"] = key
        fields.add(underlying)
        return fields
    }
}

extension EtcdNotice {
    /// The text of an entry cannot be read as a value.
    static func unreadable(_ name: String, store: String, _ error: any Error) -> EtcdNotice {
        EtcdNotice(
            kind: .unreadableEntry,
            store: store,
            key: name,
            reason: "the entry is not JSON text that a key can have (\(error)), so the key has no value",
            remedy: "correct it with etcdctl, or remove it",
            underlying: error
        )
    }

    /// An entry has a name that no key can have.
    static func foreign(_ key: String, store: String) -> EtcdNotice {
        EtcdNotice(
            kind: .unreadableEntry,
            store: store,
            key: nil,
            reason: "the entry \(key) has a name that no key can have",
            remedy: "give the store a prefix of its own, or remove the entry",
            underlying: nil
        )
    }

    static func writeRefused(keys: [String], store: String, _ error: any Error) -> EtcdNotice {
        EtcdNotice(
            kind: .writeRefused,
            store: store,
            key: keys.count == 1 ? keys.first : nil,
            reason:
                "a write\(keys.count == 1 ? "" : " of \(keys.count) keys") has failed (\(error)), and readers see the values of the cluster",
            remedy: "remove the cause and write again",
            underlying: error
        )
    }

    static func writesLost(count: Int, store: String) -> EtcdNotice {
        EtcdNotice(
            kind: .writeRefused,
            store: store,
            key: nil,
            reason: "the store was released, and writes of \(count) keys could not be sent to the cluster in time",
            remedy: "call synchronize() before the store is released",
            underlying: nil
        )
    }

    static func disconnected(store: String, _ error: CallError) -> EtcdNotice {
        EtcdNotice(
            kind: .disconnected,
            store: store,
            key: nil,
            reason: error.remedy == nil
                ? "no member of the cluster answers (\(error)), and the values stay as they are"
                : "the cluster refuses the store (\(error)), and the values stay as they are",
            remedy: "\(error.remedy ?? "look after the cluster"); the store connects as soon as it can",
            underlying: error
        )
    }

    static func clusterReplaced(store: String, from old: Int64, to new: Int64) -> EtcdNotice {
        EtcdNotice(
            kind: .clusterReplaced,
            store: store,
            key: nil,
            reason: "the cluster is another one or was restored: it is at revision \(new) after \(old)",
            remedy: "expect this after a restore from a backup",
            underlying: nil
        )
    }

    static func cacheFailed(store: String, path: String, _ error: StoreError) -> EtcdNotice {
        EtcdNotice(
            kind: .cacheFailed,
            store: store,
            key: nil,
            reason: "the file \(path) with the last known values cannot be used: \(error.reason)",
            remedy: error.remedy,
            underlying: error
        )
    }
}
#endif

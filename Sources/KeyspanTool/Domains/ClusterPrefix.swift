#if Etcd
import KeyspanCore
import KeyspanEtcd

/// A prefix of an etcd cluster, as the URL of a domain names it: `etcd://10.0.0.1:2379,10.0.0.2:2379/greeter/`.
struct ClusterPrefix: Equatable {
    /// The members of the cluster, as the user wrote them.
    let endpoints: [String]
    /// Whether the URL demands TLS.
    let isSecured: Bool
    /// The beginning of the names of all entries: the path of the URL without its first slash, unchanged.
    @UTF8Text private(set) var prefix: String

    /// Reads a URL that begins with `etcd://`, or with `etcds://` for TLS; contacts no cluster.
    ///
    /// - Throws: ``ToolError`` with status 64 if the URL has no path or has a password.
    init(url: String) throws(ToolError) {
        isSecured = url.hasUTF8Prefix("etcds://")
        let rest = url.utf8.dropFirst((isSecured ? "etcds://" : "etcd://").utf8.count)
        // By bytes, because a slash forms one `Character` with a following combining mark.
        let authority = rest.prefix { $0 != UInt8(ascii: "/") }
        // The argument itself is not repeated: it is in the list of processes, and should not be in logs as well.
        guard !authority.contains(UInt8(ascii: "@")) else {
            throw .usage("An etcd:// domain cannot have a user or a password; set ETCDCTL_USER to <user>:<password>.")
        }
        guard !authority.isEmpty, authority.endIndex < rest.endIndex else {
            throw .usage(
                "\(url.quoted) cannot be a domain; give it as etcd://<host>:<port>/<prefix>, with commas between "
                    + "several members, as in etcd://10.0.0.1:2379,10.0.0.2:2379/greeter/."
            )
        }
        endpoints = authority.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map {
            String(Substring($0))
        }
        prefix = String(Substring(rest[authority.endIndex...].dropFirst()))
    }

    /// Throws for a prefix that the library refuses, before a command reads its input or asks.
    ///
    /// Commands that read refuse it as well: `get app port --default 80` would not find the key in `etcd://host/app`, and print the default.
    ///
    /// - Throws: ``ToolError`` with status 64, unless a variable allows it.
    func checkIsWhole() throws(ToolError) {
        guard let danger = EtcdStore.danger(ofPrefix: prefix),
            try !EtcdStoreOptions(variable: ToolContext.current.variable).allowsPrefixWithoutSeparator
        else { return }
        let remedy = prefix.isEmpty ? "give a prefix such as greeter/" : "add a slash"
        throw .usage(
            "The prefix of the domain is refused: \(danger); \(remedy), or allow it with KEYSPAN_ETCD_PREFIX_AS_TEXT=1."
        )
    }

    /// Opens the store of the prefix, which writes only what the cluster commits.
    ///
    /// - Throws: ``ToolError`` if no member answers in time or the cluster refuses the user, and with status 64 for members or variables
    ///   that cannot be understood.
    func open() throws(ToolError) -> EtcdStore {
        let options = try EtcdStoreOptions(isSecured: isSecured, variable: ToolContext.current.variable)
        if let credentials = options.credentials, options.security == .plaintext, !credentials.allowsPlaintext {
            throw .failure(
                "The password of ETCDCTL_USER would be sent without TLS, where everyone on the way can read it; set "
                    + "ETCDCTL_CACERT, or allow it with KEYSPAN_ETCD_PLAINTEXT_PASSWORD=1."
            )
        }
        let store: EtcdStore
        do {
            store = try EtcdStore(endpoints: endpoints, prefix: prefix, options: options)
        } catch {
            switch error.code {
            case .unreachable: throw unreachable(error, isSecured: options.security != .plaintext)
            // Members that cannot be understood: a refusal by the cluster has another code.
            case .refused: throw .usage("\(error)")
            default: throw failure(error)
            }
        }
        if options.security == .plaintext, let other = endpoints.first(where: { !Self.isOnThisHost($0) }),
            Self.reported.withLock({ $0.insert(other) })
        {
            KeyspanCommand.report(
                "The connection to \(other) has no TLS, so everyone on the way can read and change all values, secrets as well; "
                    + "set ETCDCTL_CACERT, or write etcds:// in place of etcd:// for the authorities that the system trusts."
            )
        }
        return store
    }

    /// The members of which a run has reported that the connection has no TLS: a command may open a prefix more than once.
    private static let reported = Locked<Set<UTF8Text>>([])

    /// Whether a member is on this host, by its address or name.
    static func isOnThisHost(_ endpoint: String) -> Bool {
        let port = endpoint.utf8.lastIndex(of: UInt8(ascii: ":")) ?? endpoint.endIndex
        let host = endpoint.hasUTF8Prefix("[") && endpoint.hasUTF8Suffix("]") ? endpoint : String(endpoint[..<port])
        let isIPv4 = host.utf8.allSatisfy { $0.isDigit || $0 == UInt8(ascii: ".") }
        return host.lowercased() == "localhost" || host == "[::1]" || isIPv4 && host.hasUTF8Prefix("127.")
    }

    /// The failure to open the store: the error of the library speaks of a write.
    private func unreachable(_ error: StoreError, isSecured: Bool) -> ToolError {
        let cause = error.underlying.map { " (\($0))" } ?? ""
        let security =
            isSecured
            ? "the files of ETCDCTL_CACERT, ETCDCTL_CERT and ETCDCTL_KEY"
            : "ETCDCTL_CACERT, without which there is no TLS"
        return .failure(
            "No member of the cluster at \(endpoints.joined(separator: ",")) answers\(cause); check the addresses, "
                + "\(security), and the cluster with `etcdctl endpoint health`."
        )
    }

    /// The failure of a command because of an error of the store.
    func failure(_ error: StoreError) -> ToolError {
        guard error.code == .tooLarge else { return .failure("\(error)") }
        // Its own remedy names options of the library.
        return .failure(
            "\(error.store): \(error.reason), so nothing was changed; write less at once, or raise --max-txn-ops or "
                + "--max-request-bytes of the cluster, and set KEYSPAN_ETCD_MAX_TXN_OPS or KEYSPAN_ETCD_MAX_REQUEST_BYTES to the same number."
        )
    }
}
#endif

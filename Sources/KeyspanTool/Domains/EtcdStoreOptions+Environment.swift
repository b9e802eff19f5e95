#if Etcd
import KeyspanCore
import KeyspanEtcd
@_spi(StoreAuthors) import KeyspanFileStore

extension EtcdStoreOptions {
    /// The options for one command, with TLS and a user as in the variables of etcdctl.
    ///
    /// - Parameters:
    ///   - isSecured: Whether there is TLS without a variable for it as well, with the authorities that the system trusts.
    ///   - variable: The value of an environment variable; an empty one does not count.
    /// - Throws: ``ToolError`` if a file cannot be read, and with status 64 if a variable cannot be understood. Its value may be a secret
    ///   and is not repeated.
    init(isSecured: Bool = false, variable: @escaping (String) -> OutsideText?) throws(ToolError) {
        let environment = ClusterEnvironment(variable: variable)
        self.init()
        // A person waits: two members that do not answer are left for a third one within the whole time.
        (timeout, callTimeout) = (.seconds(5), .seconds(2))
        security = try environment.security()
        if isSecured, security == .plaintext { security = .tls() }
        credentials = try environment.credentials()
        allowsPrefixWithoutSeparator = try environment.text("KEYSPAN_ETCD_PREFIX_AS_TEXT") == "1"
        if let count = try environment.number("KEYSPAN_ETCD_MAX_TXN_OPS") { maximumOperations = count }
        if let count = try environment.number("KEYSPAN_ETCD_MAX_REQUEST_BYTES") { maximumRequestSize = count }
    }
}

/// The environment variables for access to a cluster.
private struct ClusterEnvironment {
    let variable: (String) -> OutsideText?

    /// TLS if a file for it is named, else none.
    func security() throws(ToolError) -> EtcdSecurity {
        let authority = try file("ETCDCTL_CACERT")
        let (certificates, key) = (try file("ETCDCTL_CERT"), try file("ETCDCTL_KEY"))
        guard (certificates == nil) == (key == nil) else {
            throw .usage(
                "Only one of the variables ETCDCTL_CERT and ETCDCTL_KEY is set; set both, or neither without a certificate "
                    + "of the client."
            )
        }
        let identity = certificates.flatMap { certificates in
            key.map { EtcdSecurity.Identity(certificates: certificates, key: $0) }
        }
        if authority == nil, identity == nil { return .plaintext }
        return .tls(authority: authority.map { .file($0) } ?? .system, identity: identity)
    }

    /// The user, whose password follows a colon or is in a variable of its own.
    func credentials() throws(ToolError) -> EtcdCredentials? {
        guard let user = try text("ETCDCTL_USER") else { return nil }
        let allowsPlaintext = try text("KEYSPAN_ETCD_PLAINTEXT_PASSWORD") == "1"
        if let password = try text("ETCDCTL_PASSWORD") {
            return EtcdCredentials(user: user, password: password, allowsPlaintext: allowsPlaintext)
        }
        let parts = user.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty else {
            throw .usage("The variable ETCDCTL_USER has no user and password; set it to <user>:<password>.")
        }
        return EtcdCredentials(
            user: String(Substring(parts[0])),
            password: String(Substring(parts[1])),
            allowsPlaintext: allowsPlaintext
        )
    }

    /// A positive number.
    func number(_ name: String) throws(ToolError) -> Int? {
        guard let text = try text(name) else { return nil }
        guard let number = Int(text), number > 0 else {
            throw .usage("The variable \(name) is not a positive number; correct it, or unset it.")
        }
        return number
    }

    /// The path of a file that can be read: the transport would only say that no member answers.
    private func file(_ name: String) throws(ToolError) -> String? {
        guard let path = try text(name) else { return nil }
        do {
            try InterruptRetryingFileSystem().closeFile(InterruptRetryingFileSystem().openFile(path, for: .reading))
        } catch {
            throw .failure(
                "The file \(path) of \(name) cannot be read (\(error.text)); correct the variable, or unset it."
            )
        }
        return path
    }

    func text(_ name: String) throws(ToolError) -> String? {
        guard let value = variable(name), !value.bytes.isEmpty else { return nil }
        guard let text = value.text else { throw .usage("The variable \(name) is not UTF-8; correct it, or unset it.") }
        return text
    }
}
#endif

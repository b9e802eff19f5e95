#if Etcd
internal import Dispatch
internal import GRPCNIOTransportHTTP2Posix
@_spi(StoreAuthors) public import KeyspanCore

/// How the connections to an etcd cluster are protected.
///
/// ```swift
/// // With the trait Etcd
/// let security = EtcdSecurity.tls(
///     authority: .file("/etc/greeter/ca.pem"),
///     identity: .init(certificates: "/etc/greeter/client.pem", key: "/etc/greeter/client-key.pem")
/// )
/// ```
public struct EtcdSecurity: Sendable, Hashable {
    /// The certificates of those whom a client trusts to name the members.
    public enum Authority: Sendable, Hashable {
        /// The authorities that the system trusts.
        case system
        /// The certificates in a file in PEM form.
        case file(String)
    }

    /// The certificate of the client and its key, for clusters that ask for one.
    public struct Identity: Sendable, Hashable {
        /// The path of the certificates in PEM form, the client's own first.
        public var certificates: String
        /// The path of the private key in PEM form.
        public var key: String

        /// Names the files of an identity.
        ///
        /// - Parameters:
        ///   - certificates: The path of the certificates in PEM form, the client's own first.
        ///   - key: The path of the private key in PEM form.
        public init(certificates: String, key: String) {
            (self.certificates, self.key) = (certificates, key)
        }
    }

    private enum Form: Hashable {
        case plaintext
        case tls(Authority, Identity?)
    }

    private let form: Form

    /// No protection: everyone on the way can read and change everything.
    public static let plaintext = EtcdSecurity(form: .plaintext)

    /// TLS, with which the member has to show a certificate for the name or the address in its endpoint.
    ///
    /// The files are read at each connection, so that certificates can be renewed while the program runs.
    ///
    /// - Parameters:
    ///   - authority: The authority whose certificates of members are trusted.
    ///   - identity: The certificate of the client, if the cluster asks for one.
    public static func tls(authority: Authority = .system, identity: Identity? = nil) -> EtcdSecurity {
        EtcdSecurity(form: .tls(authority, identity))
    }

    /// Whether nothing is protected.
    var isPlaintext: Bool { form == .plaintext }

    /// The same for the transport.
    var transportSecurity: HTTP2ClientTransport.Posix.TransportSecurity {
        switch form {
        case .plaintext: .plaintext
        case .tls(let authority, let identity):
            .tls { tls in
                if case .file(let path) = authority {
                    tls.trustRoots = .certificates([.file(path: path, format: .pem)])
                }
                if let identity {
                    tls.certificateChain = [.file(path: identity.certificates, format: .pem)]
                    tls.privateKey = .file(path: identity.key, format: .pem)
                }
            }
        }
    }
}

/// The user and the password with which a store asks the cluster.
///
/// A password that changes while a program runs comes from a closure:
///
/// ```swift
/// // With the trait Etcd
/// options.credentials = EtcdCredentials(user: "greeter") {
///     try String(contentsOfFile: "/run/secrets/etcd-password", encoding: .utf8).trimmingCharacters(in: .newlines)
/// }
/// ```
public struct EtcdCredentials: Sendable, Hashable {
    private enum Password: Hashable {
        case text(UTF8Text)
        case source(PasswordSource)
    }

    /// The user.
    @UTF8Text public private(set) var user: String
    private let password: Password
    /// Whether the password may go over a connection without TLS, where everyone on the way can read it.
    public var allowsPlaintext: Bool

    /// Makes credentials.
    ///
    /// - Parameters:
    ///   - user: The user.
    ///   - password: The password.
    ///   - allowsPlaintext: Whether the password may go over a connection without TLS. Otherwise such a store does not open.
    public init(user: String, password: String, allowsPlaintext: Bool = false) {
        self.allowsPlaintext = allowsPlaintext
        self.password = .text(UTF8Text(wrappedValue: password))
        self.user = user
    }

    /// Makes credentials with a password that is asked for at each authentication.
    ///
    /// The stores of a process authenticate once for all of them, and again when the cluster has refused the password or no longer takes
    /// their token. Copies of these credentials are equal; other credentials with the same closure are not, and their stores have a connection
    /// of their own.
    ///
    /// - Parameters:
    ///   - user: The user.
    ///   - allowsPlaintext: Whether the password may go over a connection without TLS. Otherwise such a store does not open.
    ///   - password: Returns the present password. It may block its thread. Its error is the reason of the stores' errors, so it must not
    ///     contain the password.
    public init(
        user: String,
        allowsPlaintext: Bool = false,
        password: @escaping @Sendable () throws -> String
    ) {
        self.allowsPlaintext = allowsPlaintext
        self.password = .source(PasswordSource(password))
        self.user = user
    }

    /// The password to send now.
    ///
    /// - Parameters:
    ///   - timeout: The longest time to wait for a closure.
    ///   - executor: Where the time is measured.
    func currentPassword(upTo timeout: Duration, on executor: CallExecutor) async throws -> String {
        switch password {
        case .text(let text): text.wrappedValue
        case .source(let source): try await source.password(upTo: timeout, on: executor)
        }
    }
}

/// A closure that returns the present password, on a thread that nothing else waits for.
private final class PasswordSource: Sendable, Hashable {
    private let read: @Sendable () throws -> String
    private let queue = DispatchQueue(label: "keyspan.etcd.password")
    private let present = Locked<Reading?>(nil)

    init(_ read: @escaping @Sendable () throws -> String) {
        self.read = read
    }

    func password(upTo timeout: Duration, on executor: CallExecutor) async throws -> String {
        let reading = begin()
        _ = await reading.isOver.wait(upTo: timeout, on: executor)
        guard let result = reading.result.withLock({ $0 }) else { throw Silence(timeout: timeout) }
        return try result.get()
    }

    /// Begins to read, unless that goes on already: the calls of a closure that hangs do not pile up, and one that takes long is awaited by the
    /// next authentication too.
    private func begin() -> Reading {
        let (reading, isNew) = present.withLock { present in
            if let present { return (present, false) }
            let new = Reading()
            present = new
            return (new, true)
        }
        guard isNew else { return reading }
        queue.async { [self] in
            let result = Result { try read() }
            present.withLock { $0 = nil }
            reading.result.withLock { $0 = result }
            reading.isOver.set()
        }
        return reading
    }

    private final class Reading: Sendable {
        let isOver = Flag()
        let result = Locked<Result<String, any Error>?>(nil)
    }

    private struct Silence: Error, CustomStringConvertible {
        let timeout: Duration
        var description: String { "its closure has not returned within \(timeout)" }
    }

    static func == (left: PasswordSource, right: PasswordSource) -> Bool { left === right }

    func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}

extension EtcdCredentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The user, without the password.
    public var description: String { "user \(user.debugDescription)" }

    /// The user, without the password.
    public var debugDescription: String { description }

    /// The user, without the password.
    public var customMirror: Swift.Mirror { Swift.Mirror(self, children: ["user": user]) }
}
#endif

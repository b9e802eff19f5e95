import Foundation
import KeyspanCore

// The benchmarks have links to its files instead.
#if canImport(KeyspanTestSupport)
import KeyspanTestSupport
#endif

/// The paths of a certificate and its private key, both in PEM.
struct TestCertificate: Sendable {
    let certificate: String
    let key: String
}

/// The certificates of a cluster whose clients connect with TLS.
struct ClusterTLS: Sendable {
    let authority: TestAuthority
    /// The certificate that all members present.
    let server: TestCertificate
    /// The certificate with which etcdctl connects; if it is `nil`, the members ask clients for none.
    var client: TestCertificate?

    /// The arguments of etcd.
    var serverArguments: [String] {
        let own = ["--cert-file", server.certificate, "--key-file", server.key]
        return client == nil ? own : own + ["--trusted-ca-file", authority.certificate, "--client-cert-auth"]
    }

    /// The arguments of etcdctl.
    var clientArguments: [String] {
        let trust = ["--cacert", authority.certificate]
        guard let client else { return trust }
        return trust + ["--cert", client.certificate, "--key", client.key]
    }
}

/// A certificate authority for one test, made with the `openssl` command in a folder that this object removes at its end.
///
/// All methods block the calling thread for some ten milliseconds.
final class TestAuthority: Sendable {
    /// Whether openssl is on `PATH`.
    static let isInstalled = TestProcess.isInstalled("openssl")

    /// The path of the certificate of the authority, in PEM.
    let certificate: String
    /// The path of the list of revoked certificates.
    let revocations: String
    private let folder: TemporaryFolder
    /// Guards the database of openssl, a file.
    private let database = Locked(())

    /// Makes the key and the certificate of an authority.
    init(name: String = "Keyspan test authority") throws {
        folder = try TemporaryFolder()
        (certificate, revocations) = (folder.path("authority.pem"), folder.path("revoked.pem"))
        try folder.write(Self.configuration(folder.path), to: "openssl.cnf")
        try folder.write("", to: "index.txt")
        try folder.write("01\n", to: "serial")
        try openssl(
            ["req", "-x509", "-subj", "/CN=\(name)", "-days", "30", "-extensions", "authority"]
                + newKey(folder.path("authority.key")) + ["-out", certificate]
        )
        try openssl(["ca", "-gencrl", "-out", revocations])
    }

    /// Issues a certificate for a server at `127.0.0.1` and `localhost`.
    ///
    /// It is also good for a client: etcd connects to itself with it, for its HTTP gateway.
    func serverCertificate() throws -> TestCertificate {
        let extensions = "extendedKeyUsage=serverAuth,clientAuth\nsubjectAltName=DNS:localhost,IP:127.0.0.1"
        return try issue("server", .seconds(86_400), extensions)
    }

    /// Issues a certificate for a client.
    ///
    /// - Parameters:
    ///   - name: The common name, which etcd takes as the user name if authentication is on.
    ///   - lifetime: The time until it expires, in whole seconds; a negative one makes an expired certificate.
    func clientCertificate(
        name: String = "client",
        lifetime: Duration = .seconds(86_400)
    ) throws -> TestCertificate {
        try issue(name, lifetime, "extendedKeyUsage=clientAuth")
    }

    /// Issues a certificate whose validity began two days ago and ends after the lifetime.
    private func issue(_ name: String, _ lifetime: Duration, _ extensions: String) throws -> TestCertificate {
        let path = folder.path(UUID().uuidString)
        let issued = TestCertificate(certificate: "\(path).pem", key: "\(path).key")
        try Data("\(extensions)\nkeyUsage=critical,digitalSignature\n".utf8).write(to: URL(filePath: "\(path).ext"))
        try openssl(["req", "-new", "-subj", "/CN=\(name)", "-out", "\(path).csr"] + newKey(issued.key))
        // `openssl x509` counts in days; `openssl ca` takes dates with seconds, in all versions.
        let dates = ["-startdate", Self.date(.seconds(-2 * 86_400)), "-enddate", Self.date(lifetime)]
        let files = ["-extfile", "\(path).ext", "-in", "\(path).csr", "-out", issued.certificate]
        try database.withLock { _ in try openssl(["ca", "-batch", "-notext"] + dates + files) }
        return issued
    }

    /// Takes a certificate back: servers that look at the list refuse it from now on.
    func revoke(_ certificate: TestCertificate) throws {
        try database.withLock { _ in
            try openssl(["ca", "-revoke", certificate.certificate])
            try openssl(["ca", "-gencrl", "-out", revocations])
        }
    }

    private func newKey(_ path: String) -> [String] {
        ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", path]
    }

    private func openssl(_ words: [String]) throws {
        try TestProcess.run(["openssl", words[0], "-config", "\(folder.path)/openssl.cnf"] + words.dropFirst())
    }

    /// A time from now on, as openssl reads it.
    private static func date(_ offset: Duration) -> String {
        Date(timeIntervalSinceNow: Double(offset.components.seconds)).ISO8601Format().filter(\.isNumber) + "Z"
    }

    private static func configuration(_ folder: String) -> String {
        """
        [ca]
        default_ca = test
        [test]
        database = \(folder)/index.txt
        serial = \(folder)/serial
        new_certs_dir = \(folder)
        certificate = \(folder)/authority.pem
        private_key = \(folder)/authority.key
        default_md = sha256
        policy = policy
        unique_subject = no
        default_crl_days = 30
        [policy]
        commonName = supplied
        [req]
        distinguished_name = name
        [name]
        [authority]
        basicConstraints = critical,CA:TRUE
        keyUsage = critical,keyCertSign,cRLSign
        subjectKeyIdentifier = hash
        """
    }
}

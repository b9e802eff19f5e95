import KeyspanCore
import KeyspanEtcd
import KeyspanTestSupport

/// Users of a cluster. All methods block the calling thread.
extension TestCluster {
    /// The credentials of the user that ``addUsers(prefix:)`` makes for stores.
    static func credentials(password: String = "pass") -> EtcdCredentials {
        EtcdCredentials(user: "ann", password: password, allowsPlaintext: true)
    }

    /// Makes a user `root` for etcdctl and a user `ann` for stores of a prefix, and turns authentication on.
    func addUsers(prefix: String) throws {
        try etcdctl("user", "add", "root:secret")
        try etcdctl("user", "grant-role", "root", "root")
        try etcdctl("role", "add", "stores")
        try etcdctl("role", "grant-permission", "stores", "readwrite", "--prefix", prefix)
        try etcdctl("user", "add", "ann:pass")
        try etcdctl("user", "grant-role", "ann", "stores")
        try etcdctl("auth", "enable")
        user.withLock { $0 = "root:secret" }
    }

    /// Changes the password of the user for stores.
    func changePassword(to password: String) throws {
        try etcdctl("user", "passwd", "ann", "--interactive=false", input: "\(password)\n")
    }
}

import ArgumentParser

extension ArgumentHelp {
    /// The help of an argument that names a domain.
    static var domain: ArgumentHelp { ArgumentHelp(stringLiteral: "\(DomainArgumentHelp.forms).") }
}

/// The explanation of what an argument for a domain can be.
enum DomainArgumentHelp {
    #if Etcd
    /// The forms of an argument, as the beginning of a sentence.
    static let forms = "A name, the path of a .json, .jsonc or .plist file, or etcd://<host>:<port>/<prefix>"

    /// The explanation of prefixes of clusters.
    static let discussionOfClusters = """
        A domain can be a prefix of an etcd cluster as well: etcd://<host>:<port>/<prefix>, with commas between several \
        members, as in etcd://10.0.0.1:2379,10.0.0.2:2379/greeter/. The prefix is the text after the slash, unchanged. One \
        that does not end in a slash, a dot or a colon is refused, because the names of other programs may begin alike, unless \
        KEYSPAN_ETCD_PREFIX_AS_TEXT is 1. The key port of \
        that domain is the entry greeter/port, whose text is JSON on one line. A key is always one entry, so that a key with dots is never nested, and a dictionary is one value. A command that \
        changes a prefix is one transaction, and returns when the cluster has committed it; a document for `import` with \
        more keys than a transaction takes is refused as a whole. A command fails if no member answers within 5 seconds.

        Access to a cluster is as etcdctl has it. ETCDCTL_CACERT is the file of the authorities that may name the members, \
        and ETCDCTL_CERT and ETCDCTL_KEY are the files of the client's certificate and of its key; each of them turns TLS on, and \
        so does etcds:// in place of etcd://, with the authorities that the system trusts. Without TLS, a sentence says so for a \
        member on another host. \
        ETCDCTL_USER is a user with a password, as <user>:<password>, or a user whose password is in ETCDCTL_PASSWORD. A \
        password is sent without TLS only if KEYSPAN_ETCD_PLAINTEXT_PASSWORD is 1. KEYSPAN_ETCD_MAX_TXN_OPS and \
        KEYSPAN_ETCD_MAX_REQUEST_BYTES are the --max-txn-ops and the --max-request-bytes of a cluster, if it has others than \
        128 and 1572864.
        """
    #else
    /// The forms of an argument, as the beginning of a sentence.
    static let forms = "A name, or the path of a .json, .jsonc or .plist file"

    /// The explanation of prefixes of clusters.
    static let discussionOfClusters = """
        A build with the trait Etcd (`swift build --traits Etcd`) also takes a prefix of an etcd cluster as a domain: \
        etcd://<host>:<port>/<prefix>.
        """
    #endif
}

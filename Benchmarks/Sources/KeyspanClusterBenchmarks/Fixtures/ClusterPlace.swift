#if Etcd
import Foundation
import KeyspanEtcd

/// The members of a cluster and a prefix that nobody else uses.
final class ClusterPlace: Sendable {
    /// The addresses of the members.
    let members: [String]
    /// The beginning of all keys of this run.
    let prefix = "keyspan-benchmarks/\(String(UInt64.random(in: 0 ... .max), radix: 36))/"

    /// Chooses a cluster.
    init(_ members: [String]) throws {
        guard !members.isEmpty else { throw BenchmarkError("there is no member") }
        self.members = members
    }

    /// The member that clients which write are connected to.
    var writing: [String] { [members[0]] }

    /// Another member, if there is one, that clients which watch are connected to.
    var watching: [String] { [members[1 % members.count]] }

    /// A prefix within that of the run.
    func newPrefix() -> String { "\(prefix)\(String(UInt64.random(in: 0 ... .max), radix: 36))/" }

    /// Opens a store at a member.
    func open(
        _ prefix: String,
        at members: [String],
        _ configure: (inout EtcdStoreOptions) -> Void = { _ in }
    ) throws -> EtcdStore {
        var options = EtcdStoreOptions()
        configure(&options)
        return try EtcdStore(endpoints: members, prefix: prefix, options: options)
    }

    /// Removes all keys of the run, as far as the cluster answers.
    func clear() {
        guard let client = try? RawClient(at: writing) else { return }
        try? client.remove(prefix)
    }

    /// The name of a key: 25 bytes, as in the other benchmarks.
    static func name(_ index: Int) -> String {
        "com.example.app.key." + String(format: "%05d", index)
    }
}
#endif

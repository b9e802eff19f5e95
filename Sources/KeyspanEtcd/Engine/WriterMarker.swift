#if Etcd
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// An entry that a store writes along with each of its transactions, so that it can find out later which of them took effect.
///
/// Each transaction expects the marker as the one before it left it. An attempt that arrives late, after another one with the same writes
/// or after the store gave it up, finds another marker and does nothing.
///
/// The marker is written once before the first transaction, so that each transaction expects one that is there. Once a marker is removed,
/// with its lease or by an operator, no attempt with it takes effect anymore, however late it arrives: its revision does not come again.
struct WriterMarker: Sendable {
    /// The time after which a cluster forgets the marker of a store that is gone.
    static let lifetime: Int64 = 3600

    let key: Data
    /// The number of the lease, which the store chooses so that a request for it can be repeated.
    let lease: Int64
    private let created: ContinuousClock.Instant
    /// The revision of the last change of the marker; 0 before the first one.
    private(set) var revision: Int64 = 0
    /// The number of the transaction.
    private var number: UInt64 = 0

    /// Makes a marker of a new name, which the cluster does not have yet.
    init(in space: KeySpace, created: ContinuousClock.Instant) {
        let identifier = String(UInt64.random(in: .min ... .max), radix: 36)
        key = space.key(of: "\(KeySpace.reserved)writers/\(identifier)")
        lease = .random(in: 1 ... .max)
        self.created = created
    }

    /// Whether the cluster has the marker, as far as is known.
    var isEstablished: Bool { revision > 0 }

    /// Whether the lease lasts long enough for another transaction, however long its outcome is unknown.
    func isFresh(at now: ContinuousClock.Instant) -> Bool {
        now - created < .seconds(Self.lifetime / 2)
    }

    /// The text before the first transaction.
    static let beginning = Data("0".utf8)

    /// The text that the present transaction writes.
    var text: Data { Data("\(number)".utf8) }

    /// The text that gives the present transaction up.
    var refusal: Data { Data("\(number) given up".utf8) }

    /// Begins the next transaction.
    mutating func begin() { number += 1 }

    /// Notes that the marker was written.
    mutating func note(_ revision: Int64) { self.revision = max(self.revision, revision) }

    /// The condition of each attempt.
    var isUnchanged: Etcdserverpb_Compare { .lastChange(of: key, is: revision) }

    /// The transaction that writes the marker for the first time.
    var establishing: Etcdserverpb_TxnRequest { changing(by: write(Self.beginning)) }

    /// The transaction that gives the present one up.
    var givingUp: Etcdserverpb_TxnRequest { changing(by: write(refusal)) }

    /// The transaction that gives the present one up together with the marker.
    var removal: Etcdserverpb_TxnRequest { changing(by: .deletion(from: key, to: Data())) }

    private func changing(by operation: Etcdserverpb_RequestOp) -> Etcdserverpb_TxnRequest {
        var request = Etcdserverpb_TxnRequest()
        request.compare = [isUnchanged]
        request.success = [operation]
        request.failure = [.read(key)]
        return request
    }

    /// The operation with which a transaction leaves its number.
    func write(_ text: Data) -> Etcdserverpb_RequestOp { .put(text, forKey: key, lease: lease) }
}
#endif

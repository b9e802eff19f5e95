import Foundation
import KeyspanCore

@testable import KeyspanEtcd

/// The keys and values of a cluster with all their revisions, as etcd 3.4 keeps them.
struct SimulatedHistory: Sendable {
    /// The limits of a transaction.
    struct Limits: Sendable {
        var operations = 128
        var bytes = 1_572_864
        /// The keys that the user may not write.
        var forbidden: Set<String> = []
        var isReadOnly = false
        /// Whether the space is used up, so that the cluster takes removals alone.
        var isFull = false
    }

    /// All changes of one revision.
    struct Revision: Sendable {
        let number: Int64
        let events: [Etcdserverpb_Event]
    }

    /// The reason for which the cluster refuses a request.
    struct Refusal: Error {
        let kind: CallError.Kind
        let reason: String
    }

    private(set) var cluster: UInt64 = 1
    var term: UInt64 = 2
    /// The number of the last revision.
    private(set) var revision: Int64 = 1
    /// The revision up to which the history is no longer served.
    private(set) var compacted: Int64 = 0
    /// All revisions with changes, those that are no longer served among them, because tests compare with them.
    private(set) var revisions: [Revision] = []
    /// The present entries.
    private(set) var entries: [Data: Etcdserverpb_KeyValue] = [:]
    private(set) var leases: Set<Int64> = []
    var limits = Limits()

    /// The header of each response.
    func header(at revision: Int64? = nil) -> Etcdserverpb_ResponseHeader {
        var header = Etcdserverpb_ResponseHeader()
        (header.clusterID, header.revision, header.raftTerm) = (cluster, revision ?? self.revision, term)
        return header
    }

    /// The entries as of a revision.
    func entries(at wanted: Int64) -> [Data: Etcdserverpb_KeyValue] {
        if wanted >= revision { return entries }
        var found: [Data: Etcdserverpb_KeyValue] = [:]
        for revision in revisions where revision.number <= wanted {
            for event in revision.events { found[event.kv.key] = event.type == .delete ? nil : event.kv }
        }
        return found
    }

    // MARK: - Requests

    /// Reads a range.
    func range(_ request: Etcdserverpb_RangeRequest) throws(Refusal) -> Etcdserverpb_RangeResponse {
        try checkRevision(of: request)
        var response = Self.range(request, of: request.revision > 0 ? entries(at: request.revision) : entries)
        response.header = header()
        return response
    }

    /// Runs a transaction.
    mutating func commit(_ request: Etcdserverpb_TxnRequest) throws(Refusal) -> Etcdserverpb_TxnResponse {
        try check(request)
        let succeeded = request.compare.allSatisfy(holds)
        let operations = succeeded ? request.success : request.failure
        for case .requestPut(let put)? in operations.map(\.request) where put.lease != 0 {
            if !leases.contains(put.lease) { throw Refusal(kind: .leaseEnded, reason: "requested lease not found") }
        }
        var response = Etcdserverpb_TxnResponse()
        response.succeeded = succeeded
        var events: [Etcdserverpb_Event] = []
        for operation in operations { response.responses.append(run(operation, recording: &events)) }
        append(events)
        response.header = header()
        return response
    }

    /// Makes a lease, unless it is there.
    mutating func grantLease(_ id: Int64) throws(Refusal) {
        if limits.isFull { throw Refusal(kind: .noSpace, reason: "database space exceeded") }
        leases.insert(id)
    }

    /// Ends a lease, which removes its keys in one revision.
    mutating func revokeLease(_ id: Int64) throws(Refusal) {
        guard leases.contains(id) else { throw Refusal(kind: .leaseEnded, reason: "requested lease not found") }
        endLease(id)
    }

    // MARK: - Events of the cluster

    /// Ends all leases, each of which removes its keys in one revision.
    mutating func endLeases() {
        for lease in leases.sorted() { endLease(lease) }
    }

    private mutating func endLease(_ id: Int64) {
        leases.remove(id)
        var events: [Etcdserverpb_Event] = []
        let keys = entries.values.filter { $0.lease == id }.map(\.key)
        for key in keys.sorted(by: { $0.lexicographicallyPrecedes($1) }) { remove(key, recording: &events) }
        append(events)
    }

    /// Forgets the revisions before one.
    mutating func compact(to revision: Int64) {
        compacted = max(compacted, min(revision, self.revision))
    }

    /// Goes back to a revision, as a restore from a snapshot does.
    mutating func restore(to revision: Int64, cluster: UInt64) {
        entries = entries(at: revision)
        revisions.removeAll { $0.number > revision }
        (self.revision, self.cluster) = (revision, cluster)
        compacted = min(compacted, revision)
    }

    private func checkRevision(of request: Etcdserverpb_RangeRequest) throws(Refusal) {
        if request.revision > revision {
            throw Refusal(kind: .rejected, reason: "required revision is a future revision")
        }
        if request.revision > 0, request.revision < compacted {
            throw Refusal(kind: .compacted, reason: "required revision has been compacted")
        }
    }

    // MARK: - Steps of a transaction

    private func check(_ request: Etcdserverpb_TxnRequest) throws(Refusal) {
        let most = max(request.compare.count, request.success.count, request.failure.count)
        if most > limits.operations { throw Refusal(kind: .tooLarge, reason: "too many operations in txn request") }
        if request.encodedSize > limits.bytes { throw Refusal(kind: .tooLarge, reason: "request is too large") }
        for case .requestRange(let range)? in request.success.map(\.request) { try checkRevision(of: range) }
        for operations in [request.success, request.failure] {
            var puts: Set<Data> = []
            for operation in operations {
                guard case .requestPut(let put)? = operation.request else { continue }
                if limits.isReadOnly || limits.forbidden.contains(String(decoding: put.key, as: UTF8.self)) {
                    throw Refusal(kind: .notPermitted, reason: "permission denied")
                }
                if limits.isFull { throw Refusal(kind: .noSpace, reason: "database space exceeded") }
                if put.key.isEmpty { throw Refusal(kind: .rejected, reason: "key is not provided") }
                if !puts.insert(put.key).inserted {
                    throw Refusal(kind: .rejected, reason: "duplicate key given in txn request")
                }
            }
            for operation in operations {
                guard case .requestDeleteRange(let deletion)? = operation.request else { continue }
                if puts.contains(where: { $0.isIn(deletion.key, deletion.rangeEnd) }) {
                    throw Refusal(kind: .rejected, reason: "duplicate key given in txn request")
                }
            }
        }
    }

    private func holds(_ compare: Etcdserverpb_Compare) -> Bool {
        if compare.rangeEnd.isEmpty { return holds(compare, of: entries[compare.key]) }
        let found = entries.values.filter { $0.key.isIn(compare.key, compare.rangeEnd) }
        return found.isEmpty ? holds(compare, of: nil) : found.allSatisfy { holds(compare, of: $0) }
    }

    private func holds(_ compare: Etcdserverpb_Compare, of entry: Etcdserverpb_KeyValue?) -> Bool {
        let order: Int
        switch compare.targetUnion {
        case .version(let number)?: order = Self.order((entry?.version ?? 0) - number)
        case .createRevision(let number)?: order = Self.order((entry?.createRevision ?? 0) - number)
        case .modRevision(let number)?: order = Self.order((entry?.modRevision ?? 0) - number)
        case .lease(let number)?: order = Self.order((entry?.lease ?? 0) - number)
        case .value(let value)?:
            // A comparison of the value of an absent key never holds.
            guard let entry else { return false }
            order = entry.value == value ? 0 : entry.value.lexicographicallyPrecedes(value) ? -1 : 1
        case nil: order = Self.order(entry?.version ?? 0)
        }
        return switch compare.result {
        case .equal: order == 0
        case .greater: order > 0
        case .less: order < 0
        case .notEqual: order != 0
        case .UNRECOGNIZED: false
        }
    }

    private static func order(_ difference: Int64) -> Int { Int(difference.signum()) }

    private mutating func run(
        _ operation: Etcdserverpb_RequestOp,
        recording events: inout [Etcdserverpb_Event]
    ) -> Etcdserverpb_ResponseOp {
        var response = Etcdserverpb_ResponseOp()
        switch operation.request {
        case .requestPut(let request)?:
            put(request, recording: &events)
            response.responsePut = Etcdserverpb_PutResponse()
        case .requestDeleteRange(let request)?:
            let keys = entries.keys.filter { $0.isIn(request.key, request.rangeEnd) }
            for key in keys.sorted(by: { $0.lexicographicallyPrecedes($1) }) { remove(key, recording: &events) }
            response.responseDeleteRange.deleted = Int64(keys.count)
        case .requestRange(let request)?:
            response.responseRange = Self.range(
                request,
                of: request.revision > 0 ? entries(at: request.revision) : entries
            )
        case nil: break
        }
        return response
    }

    private mutating func put(_ request: Etcdserverpb_PutRequest, recording events: inout [Etcdserverpb_Event]) {
        var entry = entries[request.key] ?? Etcdserverpb_KeyValue()
        if entry.version == 0 { entry.createRevision = revision + 1 }
        (entry.key, entry.value, entry.lease) = (request.key, request.value, request.lease)
        (entry.modRevision, entry.version) = (revision + 1, entry.version + 1)
        entries[request.key] = entry
        var event = Etcdserverpb_Event()
        (event.type, event.kv) = (.put, entry)
        events.append(event)
    }

    private mutating func remove(_ key: Data, recording events: inout [Etcdserverpb_Event]) {
        entries[key] = nil
        var event = Etcdserverpb_Event()
        event.type = .delete
        (event.kv.key, event.kv.modRevision) = (key, revision + 1)
        events.append(event)
    }

    private mutating func append(_ events: [Etcdserverpb_Event]) {
        guard !events.isEmpty else { return }
        revision += 1
        revisions.append(Revision(number: revision, events: events))
    }

    private static func range(
        _ request: Etcdserverpb_RangeRequest,
        of entries: [Data: Etcdserverpb_KeyValue]
    ) -> Etcdserverpb_RangeResponse {
        var response = Etcdserverpb_RangeResponse()
        let keys = entries.keys.filter { $0.isIn(request.key, request.rangeEnd) }
        response.count = Int64(keys.count)
        if request.countOnly { return response }
        for key in keys.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            if request.limit > 0, response.kvs.count >= request.limit {
                response.more = true
                break
            }
            guard var entry = entries[key] else { continue }
            if request.keysOnly { entry.value = Data() }
            response.kvs.append(entry)
        }
        return response
    }
}

extension Data {
    /// Whether a key is in a range.
    ///
    /// A range without an end is one key; an end of one zero byte means all keys from the start.
    func isIn(_ start: Data, _ end: Data) -> Bool {
        if end.isEmpty { return self == start }
        if lexicographicallyPrecedes(start) { return false }
        return end == Data([0]) || lexicographicallyPrecedes(end)
    }
}

#if Etcd
@_spi(StoreAuthors) internal import KeyspanCore

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The writes of one transaction, in the shortest form with the same effect.
struct ClusterWrites: Sendable {
    /// The writes as values.
    private(set) var pending = PendingWrites()
    /// The texts that are written, by name; `nil` removes the entry.
    private var texts: TextDictionary<Data?> = [:]
    /// About how many bytes they take in a request.
    private(set) var size = 0

    /// Makes the writes of a batch.
    init(_ batch: PropertyListBatch) {
        pending.append(batch)
        for (name, value) in pending.delta.writes { set(value.map(EntryText.encode), forKey: name) }
    }

    /// The number of operations, without those that remove all other entries.
    var count: Int { texts.count }

    /// The names that are written.
    var names: [String] { Array(texts.keys) }

    /// The names that get a text.
    var writtenNames: [String] { texts.compactMap { $0.value == nil ? nil : $0.key } }

    /// Whether they determine the value of a key, whatever others wrote before.
    func decides(_ name: String) -> Bool { pending.decides(name) }

    /// The name whose text has the most bytes.
    var largestName: String? { texts.max { ($0.value?.count ?? 0) < ($1.value?.count ?? 0) }?.key }

    /// The number of operations with later writes added.
    func count(with later: ClusterWrites) -> Int {
        if later.pending.removesAll { return later.count }
        return count + later.texts.keys.count { texts[$0] == nil }
    }

    /// Adds later writes.
    mutating func append(_ later: ClusterWrites) {
        if later.pending.removesAll {
            self = later
            return
        }
        pending.append(later.pending)
        for (name, text) in later.texts { set(text, forKey: name) }
    }

    /// The operations of a transaction.
    ///
    /// - Parameters:
    ///   - space: The keys of the store.
    ///   - mirror: The cluster's entries: those that are no values are left alone.
    func operations(in space: KeySpace, over mirror: Mirror?) -> [Etcdserverpb_RequestOp] {
        var operations: [Etcdserverpb_RequestOp] = []
        if pending.removesAll {
            var kept = mirror.map { Array($0.unreadable.keys) } ?? []
            for (name, text) in texts where text != nil { kept.append(space.key(of: name)) }
            operations = space.ranges(without: kept).map { .deletion(from: $0.start, to: $0.end) }
        }
        for (name, text) in texts {
            let key = space.key(of: name)
            if let text {
                operations.append(.put(text, forKey: key, lease: 0))
            } else if !pending.removesAll, mirror?.isUnreadable(name) != true {
                operations.append(.deletion(from: key, to: Data()))
            }
        }
        return operations
    }

    private mutating func set(_ text: Data?, forKey name: String) {
        // A request has some bytes of framing for each operation.
        if let replaced = texts.updateValue(text, forKey: name) {
            size += (text?.count ?? 0) - (replaced?.count ?? 0)
        } else {
            size += 32 + name.utf8.count + (text?.count ?? 0)
        }
    }
}

extension Etcdserverpb_RequestOp {
    /// Writes a text.
    static func put(_ text: Data, forKey key: Data, lease: Int64) -> Etcdserverpb_RequestOp {
        var put = Etcdserverpb_PutRequest()
        (put.key, put.value, put.lease) = (key, text, lease)
        var operation = Etcdserverpb_RequestOp()
        operation.requestPut = put
        return operation
    }

    /// Removes the keys of a range, or one key if the end is empty.
    static func deletion(from start: Data, to end: Data) -> Etcdserverpb_RequestOp {
        var deletion = Etcdserverpb_DeleteRangeRequest()
        (deletion.key, deletion.rangeEnd) = (start, end)
        var operation = Etcdserverpb_RequestOp()
        operation.requestDeleteRange = deletion
        return operation
    }

    /// Reads one key.
    static func read(_ key: Data) -> Etcdserverpb_RequestOp {
        var range = Etcdserverpb_RangeRequest()
        range.key = key
        var operation = Etcdserverpb_RequestOp()
        operation.requestRange = range
        return operation
    }
}

extension Etcdserverpb_Compare {
    /// Whether the last change of a key has a revision; 0 if the key must be absent.
    static func lastChange(of key: Data, is revision: Int64) -> Etcdserverpb_Compare {
        var compare = Etcdserverpb_Compare()
        (compare.key, compare.result, compare.target) = (key, .equal, .mod)
        compare.modRevision = revision
        return compare
    }
}
#endif

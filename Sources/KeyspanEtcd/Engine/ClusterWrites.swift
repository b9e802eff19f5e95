#if Etcd
@_spi(StoreAuthors) internal import KeyspanCore

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The writes of one transaction, in the shortest form with the same effect.
struct ClusterWrites: Sendable {
    /// About how many bytes a request has besides its writes: for the store's marker.
    static let framing = 1024

    /// The writes as values.
    private(set) var pending = PendingWrites()
    /// The texts that are written, by name; `nil` removes the entry.
    private var texts: TextDictionary<Data?> = [:]
    /// About how many bytes they take in a request, and hardly less.
    private(set) var size = 0
    private let prefixSize: Int
    /// The group of each name; the names of a group are committed together, because batches wrote several of them.
    private var groups: TextDictionary<Int> = [:]
    /// The number of the last batch that wrote to a group, by group.
    private var lastWrites: [Int] = []
    private var batchCount = 0

    private init(prefixSize: Int) {
        self.prefixSize = prefixSize
    }

    /// Makes the writes of a batch.
    init(_ batch: PropertyListBatch, in space: KeySpace) {
        self.init(prefixSize: space.prefix.count)
        pending.append(batch)
        for (name, value) in pending.delta.writes where !name.isEmpty { set(value.map(EntryText.encode), forKey: name) }
        noteBatch(of: texts.keys)
    }

    /// The number of operations, without those that remove all other entries.
    var count: Int { texts.count }

    /// The names that are written.
    var names: [String] { Array(texts.keys) }

    /// The names that get a text.
    var writtenNames: [String] { texts.compactMap { $0.value == nil ? nil : $0.key } }

    /// Whether they remove keys, and write none.
    var isRemoval: Bool { texts.allSatisfy { $0.value == nil } }

    /// Whether values lack everything that these removals remove.
    func areRemoved(from table: PropertyListTable) -> Bool {
        pending.removesAll ? table.isEmpty : texts.allSatisfy { table[$0.key] == nil }
    }

    /// Whether they determine the value of a key, whatever others wrote before.
    func decides(_ name: String) -> Bool { pending.decides(name) }

    /// The name whose text has the most bytes.
    var largestName: String? { texts.max { ($0.value?.count ?? 0) < ($1.value?.count ?? 0) }?.key }

    /// The number of operations with later writes added.
    func count(with later: ClusterWrites) -> Int {
        if later.pending.removesAll { return later.count }
        return count + later.texts.keys.count { texts[$0] == nil }
    }

    /// The number of operations of a transaction with later writes added, whatever entries the cluster has.
    func operationCount(with later: ClusterWrites) -> Int {
        let count = count(with: later)
        // Ranges between the entries that stay are removed one by one.
        return pending.removesAll || later.pending.removesAll ? 2 * count + 2 : count
    }

    /// Adds later writes.
    mutating func append(_ later: ClusterWrites) {
        if later.pending.removesAll {
            self = later
            return
        }
        pending.append(later.pending)
        for (name, text) in later.texts { set(text, forKey: name) }
        noteBatch(of: later.texts.keys)
    }

    /// Notes that some names were written by one batch, and so are committed together.
    private mutating func noteBatch(of names: some Collection<String>) {
        batchCount += 1
        var joined: Int?
        for name in names {
            guard let present = groups[name], present != joined else { continue }
            if let joined {
                for (name, group) in groups where group == present { groups[name] = joined }
            } else {
                joined = present
            }
        }
        let group = joined ?? lastWrites.count
        if joined == nil { lastWrites.append(0) }
        lastWrites[group] = batchCount
        for name in names { groups[name] = group }
    }

    /// Whether some writes can be committed without others.
    var isDivisible: Bool {
        let first = groups.first?.value
        return !pending.removesAll && groups.contains { $0.value != first }
    }

    /// Two parts for one transaction each, the earlier writes first.
    ///
    /// - Returns: `nil` if all names are committed together.
    func halves() -> (ClusterWrites, ClusterWrites)? {
        guard isDivisible else { return nil }
        let parts = Dictionary(grouping: groups.keys) { groups[$0] ?? 0 }
            .sorted { lastWrites[$0.key] < lastWrites[$1.key] }
        let middle = parts.count / 2
        return (part(parts[..<middle].map(\.value)), part(parts[middle...].map(\.value)))
    }

    /// The writes of some groups of names.
    private func part(_ groups: [[String]]) -> ClusterWrites {
        var part = ClusterWrites(prefixSize: prefixSize)
        for names in groups {
            var batch = PropertyListBatch()
            for name in names {
                batch.set(pending.delta.writes[name] ?? nil, forKey: name)
                part.set(texts[name] ?? nil, forKey: name)
            }
            part.pending.append(batch)
            part.noteBatch(of: names)
        }
        return part
    }

    /// The operations of a transaction for these writes, and its conditions.
    struct Plan {
        var operations: [Etcdserverpb_RequestOp] = []
        /// The revisions of entries that the mirror has to be up to date with.
        var conditions: [Etcdserverpb_Compare] = []
        /// Whether one of these is that the cluster has no other entries than the mirror.
        var expectsNoOthers = false

        /// The number that the cluster compares with its limit.
        var operationCount: Int { max(operations.count, conditions.count) }
    }

    /// Plans a transaction.
    ///
    /// - Parameters:
    ///   - space: The keys of the store.
    ///   - mirror: The cluster's entries: unreadable ones are left alone, as long as they are that.
    ///   - limit: The number of operations up to which ranges of keys are removed rather than each key, because the cluster may have other
    ///     entries than the mirror; `nil` for the form with the fewest operations.
    func plan(in space: KeySpace, over mirror: Mirror?, preferringRangesUpTo limit: Int? = nil) -> Plan {
        var plan = Plan()
        var kept = ClusterKeys<Int64>()
        for (name, text) in texts {
            let key = space.key(of: name)
            if let text {
                plan.operations.append(.put(text, forKey: key, lease: 0))
            } else if let revision = mirror?.unreadable[key] {
                kept[key] = revision
            } else if !pending.removesAll {
                plan.operations.append(.deletion(from: key, to: Data()))
            }
        }
        if pending.removesAll {
            if let mirror { kept.merge(mirror.unreadable) }
            removeOthers(in: space, keeping: kept, over: mirror, preferringRangesUpTo: limit, in: &plan)
        }
        for (key, revision) in kept { plan.conditions.append(.lastChange(of: key, is: revision)) }
        return plan
    }

    /// Plans the removal of all entries that are not written.
    private func removeOthers(
        in space: KeySpace,
        keeping kept: ClusterKeys<Int64>,
        over mirror: Mirror?,
        preferringRangesUpTo limit: Int?,
        in plan: inout Plan
    ) {
        var stays = kept.keys + (mirror?.otherMarkers ?? [])
        for (name, text) in texts where text != nil { stays.append(space.key(of: name)) }
        let ranges = space.ranges(without: stays)
        let others = mirror?.names(without: texts)
        let prefersRanges = limit.map { plan.operations.count + ranges.count <= $0 } ?? false
        guard let mirror, let others, others.count < ranges.count, !prefersRanges else {
            plan.operations += ranges.map { .deletion(from: $0.start, to: $0.end) }
            return
        }
        // Fewer operations than ranges; but then the cluster must have no other entries than the mirror.
        plan.operations += others.map { .deletion(from: space.key(of: $0), to: Data()) }
        for (name, text) in texts where text == nil && mirror.table[name] != nil {
            plan.operations.append(.deletion(from: space.key(of: name), to: Data()))
        }
        plan.expectsNoOthers = true
        for range in space.ranges(without: []) {
            plan.conditions.append(.lastChanges(from: range.start, to: range.end, areUpTo: mirror.revision))
        }
    }

    private mutating func set(_ text: Data?, forKey name: String) {
        // A request has some bytes of framing for each operation.
        if let replaced = texts.updateValue(text, forKey: name) {
            size += (text?.count ?? 0) - (replaced?.count ?? 0)
        } else {
            size += 48 + prefixSize + name.utf8.count + (text?.count ?? 0)
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

    /// Reads one key, as of a revision; 0 for the present one.
    static func read(_ key: Data, at revision: Int64 = 0) -> Etcdserverpb_RequestOp {
        var range = Etcdserverpb_RangeRequest()
        (range.key, range.revision) = (key, revision)
        return .reading(range)
    }

    /// Reads a range.
    static func reading(_ range: Etcdserverpb_RangeRequest) -> Etcdserverpb_RequestOp {
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

    /// Whether no entry of a range has changed after a revision.
    static func lastChanges(from start: Data, to end: Data, areUpTo revision: Int64) -> Etcdserverpb_Compare {
        var compare = Etcdserverpb_Compare()
        (compare.key, compare.rangeEnd, compare.result, compare.target) = (start, end, .less, .mod)
        compare.modRevision = revision + 1
        return compare
    }
}
#endif

#if Etcd
@_spi(StoreAuthors) internal import KeyspanCore

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The entries of the cluster with a prefix, as of one revision.
struct Mirror: Sendable {
    /// The cluster's numbers of an entry.
    struct EntryVersion: Sendable, Hashable {
        /// The revision of the last change.
        let revision: Int64
        /// The number of changes since the entry was made, from 1.
        let count: Int64
        /// The revision at which the entry was made.
        let created: Int64

        init(of entry: Etcdserverpb_KeyValue) {
            (revision, count, created) = (entry.modRevision, entry.version, entry.createRevision)
        }
    }

    /// The values of the entries that have one.
    private(set) var table = PropertyListTable()
    /// The revision up to which all changes are here.
    private(set) var revision: Int64
    /// The number of the cluster.
    let cluster: UInt64
    /// The keys of unreadable entries, each with the revision of its last change.
    private(set) var unreadable = ClusterKeys<Int64>()
    /// The last changes.
    private(set) var recent = RecentChanges()

    private let space: KeySpace
    /// The numbers of all entries with a name, whether they are values or not.
    private var versions: TextDictionary<EntryVersion> = [:]
    /// The numbers of the markers.
    private var markers = ClusterKeys<EntryVersion>()
    /// The numbers of the entries whose names no key can have.
    private var foreign = ClusterKeys<EntryVersion>()

    /// Makes a mirror of a prefix without entries.
    init(of space: KeySpace, cluster: UInt64, revision: Int64) {
        (self.space, self.cluster, self.revision) = (space, cluster, revision)
    }

    /// The number of keys with the prefix that the cluster should have, markers among them.
    var entryCount: Int { table.count + unreadable.count + markers.count }

    /// The keys of the markers of stores whose prefixes begin with this one's.
    var otherMarkers: [Data] {
        let own = space.key(of: KeySpace.reserved)
        return markers.keys.filter { !$0.starts(with: own) }
    }

    /// The names of the values that are not among some.
    func names(without names: TextDictionary<some Any>) -> [String] {
        table.compactMap { names[$0.key] == nil ? $0.key : nil }
    }

    /// The revision of the last change of a key's entry; 0 if there is none.
    func revision(of name: String) -> Int64 { versions[name]?.revision ?? 0 }

    /// Whether the entry of a name is there and no value.
    func isUnreadable(_ name: String) -> Bool { unreadable[space.key(of: name)] != nil }
}

// MARK: - Taking over changes

extension Mirror {
    /// The effect of changes of the cluster.
    struct Effect: Sendable {
        /// The changes of values.
        var delta = TableDelta()
        /// The markers of writers that were written, by their keys.
        var markers = ClusterKeys<Marker>()
        /// The entries that became unreadable.
        var unreadable: [UnreadableEntry] = []
    }

    /// The text that a writer has written to its marker, and the revision at which it did.
    struct Marker: Sendable {
        let text: Data
        let revision: Int64
    }

    /// An entry whose text cannot be read as a value.
    struct UnreadableEntry: Sendable {
        let key: Data
        /// The name; `nil` if no key can have it.
        let name: String?
        let error: (any Error)?
    }

    /// A change is missing between those that are here and the next one.
    struct Gap: Error {}

    /// Takes over an entry of a listing, of which the effect has no changes of values: the tables are compared.
    mutating func list(_ entry: Etcdserverpb_KeyValue, into effect: inout Effect) {
        put(entry, into: &effect, notingChange: false)
    }

    /// Takes over all changes of one revision.
    ///
    /// - Parameters:
    ///   - events: The changes, which all have that revision.
    ///   - revision: The revision, which must be later than the present one.
    /// - Throws: ``Gap`` if the counter of an entry shows that a change before this one was never seen. The mirror is unchanged then.
    mutating func apply(_ events: [Etcdserverpb_Event], of revision: Int64) throws(Gap) -> Effect {
        for event in events where event.type != .delete {
            guard case .entry(let name) = space.name(of: event.kv.key) else { continue }
            guard event.kv.version == (versions[name]?.count ?? 0) + 1 else { throw Gap() }
        }
        var effect = Effect()
        for event in events {
            if event.type == .delete { remove(event.kv, into: &effect) } else { put(event.kv, into: &effect) }
        }
        self.revision = revision
        return effect
    }

    /// Notes that no other change exists up to a revision.
    mutating func advance(to revision: Int64) {
        self.revision = max(self.revision, revision)
    }

    private mutating func put(
        _ entry: Etcdserverpb_KeyValue,
        into effect: inout Effect,
        notingChange notesChange: Bool = true
    ) {
        let key = entry.key
        let size = key.count + entry.value.count + 64
        recent.note(key, size: size, at: entry.modRevision, isListed: !notesChange)
        switch space.name(of: key) {
        case .marker:
            markers[key] = EntryVersion(of: entry)
            effect.markers[key] = Marker(text: entry.value, revision: entry.modRevision)
        case .foreign:
            foreign[key] = EntryVersion(of: entry)
            if unreadable.updateValue(entry.modRevision, forKey: key) == nil {
                effect.unreadable.append(.init(key: key, name: nil, error: nil))
            }
        case .entry(let name):
            versions[name] = EntryVersion(of: entry)
            do {
                let value = try EntryText.decode(entry.value)
                if !unreadable.isEmpty { unreadable[key] = nil }
                table[name] = value
                if notesChange { effect.delta.write(value, forKey: name) }
            } catch {
                unreadable[key] = entry.modRevision
                effect.unreadable.append(.init(key: key, name: name, error: error))
                if table[name] != nil { effect.delta.write(nil, forKey: name) }
                table[name] = nil
            }
        }
    }

    private mutating func remove(_ entry: Etcdserverpb_KeyValue, into effect: inout Effect) {
        let key = entry.key
        recent.note(key, size: key.count + 64, at: entry.modRevision)
        switch space.name(of: key) {
        case .marker: markers[key] = nil
        case .foreign: (foreign[key], unreadable[key]) = (nil, nil)
        case .entry(let name):
            (versions[name], unreadable[key]) = (nil, nil)
            table[name] = nil
            effect.delta.write(nil, forKey: name)
        }
    }
}

// MARK: - Comparing histories

extension Mirror {
    /// The numbers of the entry of a key of the cluster, if it is there.
    func version(of key: Data) -> EntryVersion? {
        switch space.name(of: key) {
        case .marker: markers[key]
        case .foreign: foreign[key]
        case .entry(let name): versions[name]
        }
    }

    /// Whether an entry of the cluster is the one that is here.
    func has(_ entry: Etcdserverpb_KeyValue) -> Bool {
        guard version(of: entry.key) == EntryVersion(of: entry) else { return false }
        guard case .entry(let name) = space.name(of: entry.key) else { return true }
        return table[name] == (try? EntryText.decode(entry.value))
    }

    /// Whether a later listing can be of the history that this mirror is of.
    ///
    /// An entry that was changed last at a revision of this mirror must be here as it is there.
    func isContinued(by later: Mirror) -> Bool {
        guard later.cluster == cluster, later.revision >= revision else { return false }
        return later.versions.allSatisfy { name, version in
            isContinued(versions[name], by: version)
                && (version.revision > revision || later.table[name] == table[name])
        } && later.markers.allSatisfy { isContinued(markers[$0], by: $1) }
            && later.foreign.allSatisfy { isContinued(foreign[$0], by: $1) }
    }

    private func isContinued(_ present: EntryVersion?, by later: EntryVersion) -> Bool {
        if later.revision <= revision { return present == later }
        if later.created > revision { return true }
        return present.map { $0.created == later.created && $0.count < later.count } ?? false
    }
}
#endif

import Dispatch
import Foundation
@_spi(StoreAuthors) import KeyspanCore

/// The own values of a `UserDefaults` as a store: a copy in memory that is written through, and that follows the writes of others.
///
/// Reads use the copy. A batch is visible in the copy as a whole and at once; `UserDefaults` itself has no batches, so code that
/// reads it directly can see a part of one.
///
/// The copy follows the keys that it was asked for: the first read of a key looks at `UserDefaults`, and from then on
/// ``UserDefaultsChanges`` reports changes by others. All keys are followed as soon as anyone observes all of them or takes a
/// snapshot.
final class MirroredDomain: MirrorReadingStore, MirroringStore, RefreshableSource {
    /// The number of keys that are followed; a further key is read from `UserDefaults` at each read that no cache answers.
    static let followedLimit = 1024

    private struct Following {
        /// The keys, and whether the first read of each is done.
        var keys: [UTF8Text: Bool] = [:]
        /// Whether all keys are followed, and whether they were read since.
        var isOfAll = false
        var isAllRead = false
        var isCheckDue = false

        /// The keys to read after a notification that does not name them.
        var unnamed: ObservedKeys {
            isOfAll || keys.count >= followedLimit ? .all : .named(Set(keys.keys))
        }
    }

    let name: String
    let mirror: MirroredTable

    private let reference: UserDefaultsReference
    private let ownCalls: OwnCalls
    private let changes: any UserDefaultsChanges
    /// The copies of what lies above and below the own values: they change by the same notifications.
    private let above: [MirroredTable]
    private let below: [MirroredTable]
    private let later: @Sendable (@escaping @Sendable () -> Void) -> Void
    private let following = Locked(Following())
    private let observations = Locked<[StoreObservation]>([])

    /// Reads all values of a `UserDefaults` and begins to follow it.
    ///
    /// - Parameters:
    ///   - source: The `UserDefaults`.
    ///   - name: The name of the store.
    ///   - changes: The notifications.
    ///   - managed: The layer above the own values, if there is one.
    ///   - system: The layer below the own values, if there is one.
    ///   - later: Performs an action about a second later.
    init(
        _ source: UserDefaultsSource,
        name: String,
        changes: any UserDefaultsChanges,
        managed: SystemDomain? = nil,
        system: SystemDomain? = nil,
        later: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void = {
            DispatchQueue(label: "keyspan.userdefaults").asyncAfter(deadline: .now() + 1, execute: $0)
        }
    ) {
        self.name = name
        reference = source.reference
        ownCalls = source.ownCalls
        self.changes = changes
        above = [managed?.mirror].compactMap(\.self)
        // The system's layer leaves out what is registered.
        below = [source.registered.mirror, system?.mirror].compactMap(\.self)
        self.later = later
        mirror = MirroredTable(of: source)
        KnownDomains.add(source)
        // Before the first read, so that no change is missed in between.
        changes.begin { [weak self] event in self?.receive(event) }
        var observations = [mirror.contents.observe(.all, initial: false) { [weak self] in self?.follow($0) }]
        observations += below.map { table in
            // A value that equaled one below is seen only now, if others wrote it.
            table.contents.observe(.all, initial: false) { [weak self] change in
                let names = change.entries.lazy.filter { $0.old != nil }.map { UTF8Text($0.key) }
                if !names.isEmpty { self?.read(.named(Set(names)), forLookup: true) }
            }
        }
        self.observations.withLock { [observations] in $0 = observations }
        for table in below { table.notice(.all, forLookup: true) }
        mirror.refresh(.all)
    }

    deinit {
        changes.end()
        KnownDomains.remove(reference)
    }

    /// Reads all values again, to find changes without a notification.
    func refresh() {
        for table in above + [mirror] + below { table.refresh(.all) }
    }

    func storedValue(forKey key: String) -> StoredValue? {
        follow(key)
        return mirror.contents.storedValue(forKey: key)
    }

    func snapshot() -> PropertyListTable {
        followAll()
        return mirror.contents.snapshot()
    }

    func apply(_ batch: PropertyListBatch) throws(StoreError) {
        lookUp(batch)
        try mirror.apply(batch, store: name)
    }

    func lookUp(_ batch: PropertyListBatch) {
        if batch.hasBindingExpectations { read(.named(Set(batch.restedKeys.map { UTF8Text($0) })), forLookup: true) }
    }

    func observe(
        _ keys: ObservedKeys,
        initial: Bool,
        _ receive: @escaping @Sendable (PropertyListChange) -> Void
    ) -> StoreObservation {
        switch keys {
        case .named(let names): names.forEach { follow($0.wrappedValue) }
        case .all: followAll()
        }
        return mirror.contents.observe(keys, initial: initial, receive)
    }

    func synchronize() throws(StoreError) {
        guard mirror.synchronize(by: { reference.defaults.synchronize() }) else {
            throw StoreError(
                .notDurable,
                store: name,
                reason: "UserDefaults could not save it",
                remedy: "make sure that its file and the folder around it are writable, and try again"
            )
        }
    }
}

// MARK: - Following

extension MirroredDomain {
    /// Follows a key from now on; for a new one, looks at `UserDefaults` first, because nobody has reported changes of it so far.
    func follow(_ key: String) {
        let name = UTF8Text(key)
        let (isNew, isRead, isFull) = following.withLock { following -> (Bool, Bool, Bool) in
            if let isRead = following.keys[name] { return (false, isRead, false) }
            let isFull = following.keys.count >= Self.followedLimit
            if !isFull { following.keys[name] = false }
            return (!isFull, false, isFull)
        }
        guard !isRead else { return }
        if isNew { changes.follow(key) }
        // Another thread that is about to read it too may not have begun.
        read(.named([name]), forLookup: true)
        if !isFull { following.withLock { $0.keys[name] = true } }
    }

    /// Follows all keys from now on, also those that others add.
    func followAll() {
        let isRead = following.withLock { following in
            following.isOfAll = true
            return following.isAllRead
        }
        guard !isRead else { return }
        read(.all, forLookup: true)
        for (key, _) in mirror.contents.snapshot() { follow(key) }
        following.withLock { $0.isAllRead = true }
    }

    /// Follows keys that were added, if all are followed, and looks below removed values.
    private func follow(_ change: PropertyListChange) {
        let removed = change.entries.lazy.filter { $0.new == nil }.map { UTF8Text($0.key) }
        if !removed.isEmpty { readBelow(.named(Set(removed)), forLookup: true) }
        guard following.withLock(\.isOfAll) else { return }
        for entry in change.entries where entry.old == nil { follow(entry.key) }
    }

    private func receive(_ event: UserDefaultsEvent) {
        switch event {
        case .changed(let key): read(.named([UTF8Text(key)]))
        case .activated: read(.all)
        case .changedAnything(let object):
            if KnownDomains.differ(object, reference) { return }
            switch ownCalls.author {
            case .own: return
            case .probablyOwn: checkLater()
            case .other: read(following.withLock(\.unnamed))
            }
        }
    }

    /// Reads again what one notification for several writes would hide, at most once a second.
    private func checkLater() {
        let isFirst = following.withLock { following in
            defer { following.isCheckDue = true }
            return !following.isCheckDue
        }
        guard isFirst else { return }
        later { [weak self] in
            guard let self else { return }
            let keys = following.withLock { following in
                following.isCheckDue = false
                return following.unnamed
            }
            // A notification that has not come by now will not come.
            ownCalls.forget()
            read(keys)
        }
    }

    private func read(_ keys: ObservedKeys, forLookup isLookup: Bool = false) {
        // An observer that is called within a write of this store may wait for a thread that waits for the store.
        let isLookup = isLookup || ownCalls.isCalling
        for table in above + [mirror] { table.notice(keys, forLookup: isLookup) }
        var uncovered = keys
        if case .named(let names) = keys {
            uncovered = .named(names.filter { mirror.contents.value(forKey: $0.wrappedValue) == nil })
        }
        readBelow(uncovered, forLookup: isLookup)
    }

    private func readBelow(_ keys: ObservedKeys, forLookup isLookup: Bool) {
        guard !keys.isEmpty else { return }
        for table in below { table.notice(keys, forLookup: isLookup) }
    }
}

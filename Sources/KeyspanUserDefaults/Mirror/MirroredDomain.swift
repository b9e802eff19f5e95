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
final class MirroredDomain: CountingStore, MirroringStore, RefreshableSource {
    /// The number of keys that are followed; a further key is read from `UserDefaults` at each read that no cache answers.
    static let followedLimit = 1024

    private struct Following {
        var keys: Set<UTF8Text> = []
        var isOfAll = false
        var isCheckDue = false
    }

    let name: String
    let mirror: MirroredTable

    private let reference: UserDefaultsReference
    private let ownCalls: OwnCalls
    private let changes: any UserDefaultsChanges
    /// The copies of what lies below the own values: they change by the same notifications.
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
    ///   - below: The copies of what lies below the own values.
    ///   - later: Performs an action about a second later.
    init(
        _ source: UserDefaultsSource,
        name: String,
        changes: any UserDefaultsChanges,
        below: [MirroredTable] = [],
        later: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void = {
            DispatchQueue(label: "keyspan.userdefaults").asyncAfter(deadline: .now() + 1, execute: $0)
        }
    ) {
        self.name = name
        reference = source.reference
        ownCalls = source.ownCalls
        self.changes = changes
        self.below = below
        self.later = later
        mirror = MirroredTable(of: source)
        KnownDomains.add(source)
        // Before the first read, so that no change is missed in between.
        changes.begin { [weak self] event in self?.receive(event) }
        read(.all, forLookup: true)
        observations.withLock { [mirror] observations in
            observations = below.map { table in
                // A value that equaled one below may differ from that by now, which shows that it is own.
                table.contents.observe(.all, initial: false) { [weak mirror] change in
                    mirror?.notice(.named(Set(change.entries.map { UTF8Text($0.key) })), forLookup: true)
                }
            }
        }
    }

    deinit {
        changes.end()
        KnownDomains.remove(reference)
    }

    /// Reads all values again, to find changes without a notification.
    func refresh() {
        for table in below + [mirror] { table.refresh(.all) }
        followPresent()
    }

    var revisionCells: [RevisionCells]? { mirror.contents.revisionCells }

    func revision(of stripe: KeyStripe) -> StoreRevision? { mirror.contents.revision(of: stripe) }

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
    private func follow(_ key: String) {
        let (isKnown, isFull) = following.withLock { following in
            let isFull = following.keys.count >= Self.followedLimit
            if isFull { return (following.keys.contains(UTF8Text(key)), true) }
            return (!following.keys.insert(UTF8Text(key)).inserted, false)
        }
        guard !isKnown else { return }
        if !isFull { changes.follow(key) }
        read(.named([UTF8Text(key)]), forLookup: true)
    }

    /// Follows all keys from now on, also those that others add.
    private func followAll() {
        let isFirst = following.withLock { following in
            defer { following.isOfAll = true }
            return !following.isOfAll
        }
        guard isFirst else { return }
        read(.all, forLookup: true)
        followPresent()
    }

    private func followPresent() {
        guard following.withLock(\.isOfAll) else { return }
        for (key, _) in mirror.contents.snapshot().prefix(Self.followedLimit) { follow(key) }
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
            case .other: readFollowed()
            }
        }
    }

    /// Reads the keys that someone has asked for.
    private func readFollowed() {
        read(following.withLock { $0.isOfAll ? .all : .named($0.keys) })
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
            following.withLock { $0.isCheckDue = false }
            // A notification that has not come by now will not come.
            ownCalls.forget()
            readFollowed()
        }
    }

    private func read(_ keys: ObservedKeys, forLookup isLookup: Bool = false) {
        mirror.notice(keys, forLookup: isLookup)
        var uncovered = keys
        if case .named(let names) = keys {
            uncovered = .named(names.filter { mirror.contents.value(forKey: $0.wrappedValue) == nil })
        } else {
            followPresent()
        }
        guard !uncovered.isEmpty else { return }
        for table in below { table.notice(uncovered, forLookup: isLookup) }
    }
}

/// The values of the system that lie below the own values of every `UserDefaults`, such as the preferred languages.
///
/// The layer has only keys that someone has read, because the others are not the program's. ``MirroredDomain`` makes it read them.
final class SystemDomain: ReadOnlyStore, CountingStore {
    let name = "UserDefaults of the system"
    let mirror: MirroredTable

    var remedyForWrite: String { "write to another layer" }

    /// Makes a layer without values.
    init(_ reference: UserDefaultsReference) {
        mirror = MirroredTable(of: SystemSource(reference))
    }

    var revisionCells: [RevisionCells]? { mirror.contents.revisionCells }

    func revision(of stripe: KeyStripe) -> StoreRevision? { mirror.contents.revision(of: stripe) }

    func storedValue(forKey key: String) -> StoredValue? { mirror.contents.storedValue(forKey: key) }

    func snapshot() -> PropertyListTable { mirror.contents.snapshot() }

    func observe(
        _ keys: ObservedKeys,
        initial: Bool,
        _ receive: @escaping @Sendable (PropertyListChange) -> Void
    ) -> StoreObservation {
        mirror.contents.observe(keys, initial: initial, receive)
    }
}

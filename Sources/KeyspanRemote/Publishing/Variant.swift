#if Remote || canImport(CryptoKit)
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
@_spi(StoreAuthors) internal import KeyspanCore

/// The identity of a variant: its overlays, the highest first.
struct VariantIdentity: Hashable, Sendable {
    let overlays: [ObjectIdentifier]

    init(_ stores: [any PropertyListStore]) {
        overlays = stores.map { ObjectIdentifier($0) }
    }
}

/// The stores of a variant.
struct VariantSource: Sendable {
    /// The overlays, which are kept from being released while their addresses are the identity.
    let overlays: [any PropertyListStore]
    /// The overlays over the base.
    let store: LayeredStore
    private let base: any PropertyListStore

    init(_ overlays: [any PropertyListStore], over base: any PropertyListStore, name: String) {
        (self.overlays, self.base) = (overlays, base)
        store = Self.store(overlays[...], over: base, name: name)
    }

    /// The values without those of the highest overlay, without those of the highest two, and so on.
    var lowerTables: some Sequence<PropertyListTable> {
        overlays.indices.lazy.map { index in
            Self.store(overlays[(index + 1)...], over: base, name: store.name).snapshot()
        }
    }

    private static func store(
        _ overlays: ArraySlice<any PropertyListStore>,
        over base: any PropertyListStore,
        name: String
    ) -> LayeredStore {
        LayeredStore(overlays.map { .init($0.name, $0) } + [.init(base.name, base)], name: name)
    }
}

/// The values for all clients for which the host names the same overlays.
struct Variant: Sendable {
    let source: VariantSource
    /// The operations that need this variant; it is not evicted before they end.
    var uses = 0
    /// Whether the overlays are observed; before that, no other thread reads them.
    var isObserved = false
    /// Whether the stores were read for the first time.
    var isRead = false
    /// The present contents; `nil` until they were read, and if the first ones were too large for a document.
    var contents: PublishedContents?
    /// The document that was signed last.
    var document: PublishedDocument?
    /// The latest changes, in their order.
    private(set) var changes: [PublishedChange] = []
    /// The number of the next change.
    private(set) var nextNumber: UInt64 = 0
    /// The clients on a stream.
    var clients: Set<RemoteClient> = []
    /// When the variant was used last, as a number that rises with each use.
    var lastUse: UInt64 = 0
    /// The reasons why the present values of keys are not published, by the names of the keys.
    var rejections = TextDictionary<String>()
    /// Whether the present values are too large for a document.
    var isTooLarge = false

    init(source: VariantSource) {
        self.source = source
    }

    /// Whether the variant can be evicted.
    var isIdle: Bool { isRead && uses == 0 && clients.isEmpty }

    /// Whether the variant is evicted before another one: the one that was not used for longer, unless it may have values
    /// that its stores no longer have, because the present ones are bad.
    func isEvicted(before other: Variant) -> Bool {
        isKeepingValues == other.isKeepingValues ? lastUse < other.lastUse : other.isKeepingValues
    }

    private var isKeepingValues: Bool { isTooLarge || !rejections.isEmpty }

    /// Takes new contents.
    mutating func append(_ difference: ContentsDifference, revision: Int64, at time: Date, atMost limit: Int) {
        changes.append(PublishedChange(nextNumber, difference, revision: revision, time: time))
        nextNumber += 1
        if changes.count > limit { changes.removeFirst(changes.count - limit) }
    }

    /// The change of a number, if it is kept.
    func change(_ number: UInt64) -> PublishedChange? {
        guard let first = changes.first, number >= first.number else { return nil }
        let index = Int(number - first.number)
        return index < changes.count ? changes[index] : nil
    }

    /// The number of the first change that a client at a position lacks; `nil` if it needs the whole document.
    func firstChange(after position: SettingsPosition) -> UInt64? {
        if contents?.state == position.state { return nextNumber }
        guard let found = changes.lastIndex(where: { $0.base == position.state }),
            changes[found].position.revision > position.revision
        else { return nil }
        return changes[found].number
    }
}

/// The contents of a variant at one time, with what a document of them needs.
struct VariantContents: Sendable {
    let identity: VariantIdentity
    let contents: PublishedContents
    /// The position of a document of these contents.
    let position: SettingsPosition
    /// The document that was signed last for the variant.
    let lastDocument: PublishedDocument?
}
#endif

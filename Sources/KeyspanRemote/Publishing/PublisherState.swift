#if Remote || canImport(CryptoKit)
@_spi(StoreAuthors) internal import KeyspanCore

/// The identity of a variant: its overlays, the highest first.
struct VariantIdentity: Hashable, Sendable {
    let overlays: [ObjectIdentifier]

    init(_ stores: [any PropertyListStore]) {
        overlays = stores.map { ObjectIdentifier($0) }
    }
}

/// The values for all clients for which the host names the same overlays.
struct Variant: Sendable {
    /// The overlays over the base, which also keeps them from being released while their addresses are the identity.
    let source: LayeredStore
    /// The registrations at the overlays.
    var observations: [StoreObservation] = []
    /// The present contents; `nil` until they were read for the first time.
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

    init(source: LayeredStore) {
        self.source = source
    }

    /// Takes new contents.
    mutating func append(_ change: PublishedChange, atMost limit: Int) {
        nextNumber = change.number + 1
        changes.append(change)
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

/// A stream of events to one client.
struct EventStreamState: Sendable {
    let client: RemoteClient
    /// The variant whose events the stream had last.
    var variant: VariantIdentity
    /// The number of the next change to send; `nil` if the whole document is next.
    var next: UInt64?
    /// Whether a comment is next, unless there is an event.
    var isHeartbeatDue = true
    /// Resumed when there may be something to send.
    var waiting: CheckedContinuation<Void, Never>?
}

/// The clients of one context that have a stream.
struct ClientGroup: Sendable {
    var variant: VariantIdentity
    var streams: Set<UInt64> = []
}

/// All state of a publisher, behind its one lock.
struct PublisherState: Sendable {
    /// The revision of the latest change of any variant.
    var revision: Int64
    var variants: [VariantIdentity: Variant] = [:]
    var groups: [RemoteClient: ClientGroup] = [:]
    var streams: [UInt64: EventStreamState] = [:]
    /// Whether a variant was ever evicted.
    private(set) var hasEvicted = false
    private var lastStream: UInt64 = 0
    private var uses: UInt64 = 0

    /// Whether a thread reads the stores, and whether it has to do so once more.
    var isReading = false
    var mustReadAgain = false

    /// The registration at the base store.
    var observation: StoreObservation?
    var heartbeat: Task<Void, Never>?
    var isClosed = false

    /// The names and the problems of values that were reported and are not published still.
    var reported = TextDictionary<String>()
    /// Whether it was reported that the values of a variant are too large.
    var isSizeReported = false

    init(revision: Int64) {
        self.revision = revision
    }

    /// Notes that a variant is used.
    mutating func touch(_ identity: VariantIdentity) {
        uses += 1
        variants[identity]?.lastUse = uses
    }

    /// Takes the variant that was not used for the longest time, if there are more than a number and it has no clients.
    mutating func evict(keeping limit: Int) -> [Variant] {
        var evicted: [Variant] = []
        while variants.count > limit {
            let idle = variants.lazy.filter { $0.value.clients.isEmpty && $0.value.contents != nil }
            guard let oldest = idle.min(by: { $0.value.lastUse < $1.value.lastUse })?.key else { break }
            if let variant = variants.removeValue(forKey: oldest) { evicted.append(variant) }
            hasEvicted = true
        }
        return evicted
    }

    /// Moves a group of clients, or a new one, to a variant.
    mutating func move(_ client: RemoteClient, to variant: VariantIdentity) {
        if let old = groups[client]?.variant, old != variant { variants[old]?.clients.remove(client) }
        groups[client, default: ClientGroup(variant: variant)].variant = variant
        variants[variant]?.clients.insert(client)
    }

    /// Adds a stream whose group is in a variant.
    mutating func addStream(
        for client: RemoteClient,
        in variant: VariantIdentity,
        after position: SettingsPosition?
    ) -> UInt64 {
        lastStream += 1
        move(client, to: variant)
        groups[client]?.streams.insert(lastStream)
        let next = position.flatMap { variants[variant]?.firstChange(after: $0) }
        streams[lastStream] = EventStreamState(client: client, variant: variant, next: next)
        return lastStream
    }

    /// Takes a stream, and its group with the last one.
    mutating func removeStream(_ number: UInt64) -> EventStreamState? {
        guard let stream = streams.removeValue(forKey: number) else { return nil }
        groups[stream.client]?.streams.remove(number)
        if let group = groups[stream.client], group.streams.isEmpty {
            groups[stream.client] = nil
            variants[group.variant]?.clients.remove(stream.client)
        }
        return stream
    }

    /// Takes what resumes the streams of some clients.
    mutating func takeWaiting(of clients: some Sequence<RemoteClient>) -> [CheckedContinuation<Void, Never>] {
        var taken: [CheckedContinuation<Void, Never>] = []
        for client in clients {
            for number in groups[client]?.streams ?? [] {
                if let waiting = streams[number]?.waiting {
                    taken.append(waiting)
                    streams[number]?.waiting = nil
                }
            }
        }
        return taken
    }
}
#endif

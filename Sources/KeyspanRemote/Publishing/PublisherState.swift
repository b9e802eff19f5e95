#if Remote || canImport(CryptoKit)
@_spi(StoreAuthors) internal import KeyspanCore

/// A stream of events to one client.
struct EventStreamState: Sendable {
    let client: RemoteClient
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

/// The one registration of a publisher at a store, which all variants with that store share.
struct StoreRegistration: Sendable {
    /// The number of variants with the store, and one for the base store.
    var count = 0
    /// `nil` until the store was called.
    var observation: StoreObservation?
}

/// The reason for which the stores are read.
struct ReadingRequest: Sendable {
    /// The stores that have changed: only the variants with one of these are read.
    var stores: Set<ObjectIdentifier> = []
    /// Whether the host has asked for the overlays of all clients anew, which can then be others.
    var isRefresh = false

    /// Whether a heartbeat is the only reason.
    var isEmpty: Bool { stores.isEmpty && !isRefresh }

    mutating func formUnion(_ other: ReadingRequest) {
        stores.formUnion(other.stores)
        isRefresh = isRefresh || other.isRefresh
    }
}

/// The effect of a reading on the clients of a variant.
enum VariantEffect: Sendable {
    /// The values are those that clients have.
    case none
    /// Nothing is known about the values before, which another server may have given clients.
    case unknown
    /// The values are others than before.
    case change
}

/// Evicted variants, which are released after the lock, because stores may do anything then.
struct EvictedVariants: Sendable {
    var variants: [Variant] = []
    var registrations: [StoreRegistration] = []
}

/// All state of a publisher, behind its one lock.
struct PublisherState: Sendable {
    /// The revision of the latest change of any variant.
    var revision: Int64
    /// The number of the host at which all variants were read; it rises without changes as well.
    var readNumber: Int64 = 0
    var variants: [VariantIdentity: Variant] = [:]
    var groups: [RemoteClient: ClientGroup] = [:]
    var streams: [UInt64: EventStreamState] = [:]
    /// The registrations at the base store and at all overlays.
    var registrations: [ObjectIdentifier: StoreRegistration] = [:]
    private var lastStream: UInt64 = 0
    private var lastUse: UInt64 = 0

    /// The states that evicted variants had.
    private var evictedStates: [VariantIdentity: SettingsState] = [:]
    private static let maximumEvictedStates = 4_096

    /// Whether a thread reads the stores, and its next reading.
    private var isReading = false
    private var nextReading: ReadingRequest?

    var heartbeat: Task<Void, Never>?
    var isClosed = false

    /// The reasons for which values are not published that were reported, by the names of the keys.
    private var reported = TextDictionary<Set<String>>()

    init(revision: Int64) {
        self.revision = revision
    }

    /// Notes that a variant is used.
    mutating func touch(_ identity: VariantIdentity) {
        lastUse += 1
        variants[identity]?.lastUse = lastUse
    }

    /// The contents of a variant, if it has some.
    func contents(of identity: VariantIdentity) -> VariantContents? {
        guard let variant = variants[identity], let contents = variant.contents else { return nil }
        return VariantContents(
            identity: identity,
            contents: contents,
            position: SettingsPosition(revision: revision, state: contents.state),
            lastDocument: variant.document
        )
    }
}

// MARK: - Reading

extension PublisherState {
    /// Requests a reading of the stores.
    ///
    /// - Returns: Whether the caller must read; `false` if another thread reads already, and will do this too.
    mutating func beginReading(_ request: ReadingRequest) -> Bool {
        if isClosed { return false }
        readNext(request)
        if isReading { return false }
        isReading = true
        return true
    }

    /// Adds to the next reading of the thread that reads.
    mutating func readNext(_ request: ReadingRequest) {
        if nextReading?.formUnion(request) == nil { nextReading = request }
    }

    /// Takes the next reading; `nil` if there is none, and then the caller stops reading.
    mutating func takeReading() -> ReadingRequest? {
        defer { nextReading = nil }
        if nextReading == nil || isClosed { isReading = false }
        return isReading ? nextReading : nil
    }

    /// Notes the problems of a variant's values.
    ///
    /// - Returns: The problems that were not reported: a reason is reported once for all variants, until none has it.
    mutating func note(_ findings: PublishedValues.Findings, of identity: VariantIdentity) -> PublishedValues.Findings {
        var new = PublishedValues.Findings()
        guard var variant = variants[identity] else { return new }
        let isTooLarge = findings.isTooLarge && !variants.values.contains(where: \.isTooLarge)
        new.isTooLarge = isTooLarge
        variant.isTooLarge = findings.isTooLarge
        for key in findings.accepted { variant.rejections[key] = nil }
        for rejection in findings.rejections {
            variant.rejections[rejection.key] = rejection.reason
            var reasons = reported[rejection.key] ?? []
            if reasons.insert(rejection.reason).inserted { new.rejections.append(rejection) }
            reported[rejection.key] = reasons
        }
        variants[identity] = variant
        for key in findings.accepted + findings.rejections.map(\.key) {
            guard let reasons = reported[key] else { continue }
            let present = reasons.intersection(variants.values.compactMap { $0.rejections[key] })
            reported[key] = present.isEmpty ? nil : present
        }
        return new
    }
}

// MARK: - Variants

extension PublisherState {
    /// Keeps a variant from being evicted, and adds it if there is none.
    ///
    /// - Returns: The indices of the overlays that have to be observed.
    mutating func beginUse(of identity: VariantIdentity, _ source: VariantSource) -> [Int] {
        if variants[identity] == nil {
            variants[identity] = Variant(source: source)
            for store in Set(identity.overlays) { registrations[store, default: StoreRegistration()].count += 1 }
        }
        variants[identity]?.uses += 1
        touch(identity)
        return identity.overlays.indices.filter { registrations[identity.overlays[$0]]?.observation == nil }
    }

    /// Lets a variant be evicted once it is used no longer.
    mutating func endUse(of identity: VariantIdentity) {
        variants[identity]?.uses -= 1
    }

    /// Takes a registration, unless another thread was faster or the store is no longer needed.
    mutating func take(_ observation: StoreObservation, at store: ObjectIdentifier) {
        guard registrations[store] != nil, registrations[store]?.observation == nil else { return }
        registrations[store]?.observation = observation
    }

    /// Takes the first contents of a variant.
    mutating func takeFirst(_ contents: PublishedContents?, of identity: VariantIdentity) -> VariantEffect {
        variants[identity]?.isRead = true
        variants[identity]?.contents = contents
        guard let before = evictedStates.removeValue(forKey: identity) else { return .unknown }
        return before == contents?.state ? .none : .change
    }

    /// Removes the variants without clients that were not used for the longest time, if there are more than a number.
    ///
    /// - Returns: The variants, and the registrations that no other variant needs.
    mutating func evict(keeping limit: Int) -> EvictedVariants? {
        let idle = variants.filter(\.value.isIdle)
        guard idle.count > limit else { return nil }
        let oldest = idle.sorted { $0.value.isEvicted(before: $1.value) }.prefix(idle.count - limit)
        var evicted = EvictedVariants(variants: oldest.map(\.value))
        for (identity, variant) in oldest {
            variants[identity] = nil
            if evictedStates.count >= Self.maximumEvictedStates {
                evictedStates = [:]
            }
            evictedStates[identity] = variant.contents?.state
            for store in Set(identity.overlays) {
                registrations[store]?.count -= 1
                if registrations[store]?.count == 0, let registration = registrations.removeValue(forKey: store) {
                    evicted.registrations.append(registration)
                }
            }
        }
        return evicted
    }
}

// MARK: - Streams

extension PublisherState {
    /// Moves a group of clients, or a new one, to a variant, whose document is then the next event of their streams.
    mutating func move(_ client: RemoteClient, to variant: VariantIdentity) {
        if let group = groups[client], group.variant != variant {
            variants[group.variant]?.clients.remove(client)
            for number in group.streams { streams[number]?.next = nil }
        }
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
        streams[lastStream] = EventStreamState(client: client, next: next)
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

    /// Makes a comment due for all streams that wait, and takes what resumes them.
    mutating func takeWaitingForHeartbeat() -> [CheckedContinuation<Void, Never>] {
        var taken: [CheckedContinuation<Void, Never>] = []
        // Changed in place: a copy of thousands of streams would be made under the lock.
        var index = streams.values.startIndex
        while index != streams.values.endIndex {
            if let waiting = streams.values[index].waiting {
                taken.append(waiting)
                streams.values[index].waiting = nil
                streams.values[index].isHeartbeatDue = true
            }
            streams.values.formIndex(after: &index)
        }
        return taken
    }
}
#endif

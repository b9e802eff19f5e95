#if Remote || canImport(CryptoKit)
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
@_spi(StoreAuthors) internal import KeyspanCore

/// The result of reading the stores of a variant.
struct VariantReading: Sendable {
    /// The contents; `nil` if they are too large and there were none before.
    let contents: PublishedContents?
    let findings: PublishedValues.Findings
    /// The difference from the contents before.
    let difference: ContentsDifference?
}

/// Readings of several variants, to which one number of the host belongs.
struct VariantReadings: Sendable {
    /// The number.
    let proposed: Int64
    fileprivate let readings: [VariantIdentity: VariantReading]
    /// The contents that the variants had before.
    fileprivate let before: [VariantIdentity: PublishedContents?]
    /// The time of the readings.
    fileprivate let time: Date

    /// Whether no other thread has read one of the variants meanwhile.
    func areCurrent(in state: borrowing PublisherState) -> Bool {
        for identity in readings.keys where !isCurrent(identity, in: state) && state.variants[identity] != nil {
            return false
        }
        return true
    }

    fileprivate func isCurrent(_ identity: VariantIdentity, in state: borrowing PublisherState) -> Bool {
        guard let variant = state.variants[identity], let before = before[identity] else { return false }
        return variant.contents === before
    }
}

extension PublisherCore {
    /// The most times that a thread reads the stores anew because of other threads.
    static let maximumRounds = 8

    /// Reads the variants with stores that have changed, and asks the host for the overlays of all clients on a stream;
    /// called without a lock.
    func readStores(_ request: ReadingRequest) {
        guard state.withLock({ $0.beginReading(request) }) else { return }
        for _ in 0..<Self.maximumRounds {
            guard let request = state.withLock({ $0.takeReading() }) else { return }
            readOnce(request)
        }
        // If other threads never stop writing, this one must still return from its own write.
        Task {
            while let request = state.withLock({ $0.takeReading() }) {
                readOnce(request)
                await Task.yield()
            }
        }
    }

    private func readOnce(_ request: ReadingRequest) {
        let groups = state.withLock { $0.groups.mapValues(\.variant) }
        // A number of the host is that of all variants, so that these are read together for it.
        let isWhole =
            request.stores.contains(ObjectIdentifier(base)) || (options.revision != nil && !request.isEmpty)
        let readings = readVariants { isWhole || $0.overlays.contains(where: request.stores.contains) }
        // Before the changes are visible: a client that moves receives no change of the variant that it leaves.
        let moves = findMoves(of: groups)
        let (waiting, new, released) = state.withLock { state in
            // Another thread has read a new variant first, and perhaps earlier.
            if !readings.areCurrent(in: state) { state.readNext(ReadingRequest(stores: request.stores)) }
            if !request.isEmpty || !moves.isEmpty, isPartial(readings, in: state) {
                state.readNext(ReadingRequest(stores: [ObjectIdentifier(base)], isRefresh: request.isRefresh))
                for identity in moves.values { state.endUse(of: identity) }
                return ([CheckedContinuation<Void, Never>](), PublishedValues.Findings(), nil as EvictedVariants?)
            }
            let isMove = moves.contains { state.isChange($0.key, to: $0.value) }
            let (clients, new) = take(readings, asChange: isMove || request.isRefresh, in: &state)
            for (client, identity) in moves {
                if state.groups[client]?.variant == groups[client] { state.move(client, to: identity) }
                state.endUse(of: identity)
            }
            let waiting = state.takeWaiting(of: clients.union(moves.keys))
            return (waiting, new, state.evict(keeping: options.maximumVariants))
        }
        for continuation in waiting { continuation.resume() }
        withExtendedLifetime(released) {}
        report(new)
    }

    /// Asks the host for the overlays of clients on a stream.
    ///
    /// - Returns: The clients that have others now, with their new variants, which cannot be evicted until the caller
    ///   ends their use.
    private func findMoves(of groups: [RemoteClient: VariantIdentity]) -> [RemoteClient: VariantIdentity] {
        var moves: [RemoteClient: VariantIdentity] = [:]
        for (client, old) in groups {
            let overlays = layers(client)
            if VariantIdentity(overlays) == old { continue }
            moves[client] = withVariant(of: overlays) { state, identity in
                state.variants[identity]?.uses += 1
                return identity
            }
        }
        return moves
    }

    /// Reads the stores of variants; called without a lock.
    func readVariants(where isConcerned: (VariantIdentity) -> Bool) -> VariantReadings {
        let variants = state.withLock { state in
            state.variants.filter { $0.value.isObserved && isConcerned($0.key) }.mapValues {
                (source: $0.source, contents: $0.contents)
            }
        }
        let (proposed, readings) = withRevision { variants.mapValues { read($0.source, after: $0.contents) } }
        return VariantReadings(
            proposed: proposed,
            readings: readings,
            before: variants.mapValues(\.contents),
            time: signer.now()
        )
    }

    /// Whether the number of readings would be that of variants which were read at another number.
    ///
    /// All variants have one number, so that a client can move between them. Numbers that the publisher makes say nothing
    /// about values, and rise with each change.
    func isPartial(_ readings: VariantReadings, in state: borrowing PublisherState) -> Bool {
        guard options.revision != nil, readings.proposed > max(state.revision, state.readNumber) else { return false }
        for (identity, variant) in state.variants where variant.isRead && !readings.isCurrent(identity, in: state) {
            return true
        }
        return false
    }

    /// Takes readings of variants that nobody else has read meanwhile, and raises the revision to their number.
    ///
    /// - Parameters:
    ///   - readings: The readings.
    ///   - isChange: Whether there are changes for clients in any case.
    ///   - state: The state with the variants.
    /// - Returns: The clients on a stream that have other values, and the problems to report.
    func take(
        _ readings: VariantReadings,
        asChange isChange: Bool = false,
        in state: inout PublisherState
    ) -> (clients: Set<RemoteClient>, new: PublishedValues.Findings) {
        if !isPartial(readings, in: state) { state.readNumber = max(state.readNumber, readings.proposed) }
        var effects: [VariantIdentity: VariantEffect] = [:]
        for (identity, reading) in readings.readings where readings.isCurrent(identity, in: state) {
            effects[identity] = state.effect(of: reading, on: identity)
        }
        let isAnyChange = isChange || effects.values.contains(.change)
        let effect: VariantEffect = isAnyChange ? .change : effects.values.contains(.unknown) ? .unknown : .none
        raiseRevision(of: &state, to: readings.proposed, after: effect)
        var clients: Set<RemoteClient> = []
        var new = PublishedValues.Findings()
        for (identity, effect) in effects {
            guard var variant = state.variants[identity], let reading = readings.readings[identity] else { continue }
            if let difference = reading.difference {
                variant.append(
                    difference,
                    revision: state.revision,
                    at: readings.time,
                    atMost: options.maximumChanges
                )
            }
            if effect == .change { clients.formUnion(variant.clients) }
            variant.contents = reading.contents
            state.variants[identity] = variant
            new.formUnion(state.note(reading.findings, of: identity))
        }
        return (clients, new)
    }

    /// Reads the stores of a variant.
    private func read(_ source: VariantSource, after old: PublishedContents?) -> VariantReading {
        var findings = PublishedValues.Findings()
        var published = PublishedValues(
            of: keys,
            in: source.store.snapshot(),
            after: old?.published,
            noting: &findings
        )
        if old == nil, !findings.rejections.isEmpty {
            for table in source.lowerTables { published.fill(findings.rejections.map(\.key), of: keys, from: table) }
        }
        let contents = contents(of: published, instead: old, noting: &findings)
        let difference = old.flatMap { old in
            contents.flatMap { $0.state == old.state ? nil : ContentsDifference(from: old, to: $0) }
        }
        return VariantReading(contents: contents, findings: findings, difference: difference)
    }

    /// The contents with new values; the old ones if these are too large.
    private func contents(
        of published: PublishedValues,
        instead old: PublishedContents?,
        noting findings: inout PublishedValues.Findings
    ) -> PublishedContents? {
        if let old, published.values == old.values {
            return PublishedContents(published, state: old.state, size: old.size)
        }
        let text = SettingsState.text(of: published.values)
        if text.count > options.maximumSize - 1_024 {
            findings.isTooLarge = true
            return old
        }
        return PublishedContents(published, state: SettingsState(of: text), size: text.count)
    }

    func report(_ new: PublishedValues.Findings) {
        var notices = new.rejections.map { SettingsPublisherNotice.notPublished($0, publisher: name) }
        if new.isTooLarge { notices.append(.tooLarge(limit: options.maximumSize, publisher: name)) }
        for notice in notices {
            Defaults.Problem.storeNotice(name: "publisher \(name)", notice: notice).report()
        }
    }
}

extension PublisherState {
    /// The effect of a reading on the clients of a variant, whose first contents it takes.
    fileprivate mutating func effect(of reading: VariantReading, on identity: VariantIdentity) -> VariantEffect {
        guard let variant = variants[identity] else { return .none }
        if !variant.isRead { return takeFirst(reading.contents, of: identity) }
        // The first contents that are not too large count as a change.
        let isFirst = variant.contents == nil && reading.contents != nil
        return reading.difference != nil || isFirst ? .change : .none
    }

    /// Whether a move of a client gives it other values.
    func isChange(_ client: RemoteClient, to identity: VariantIdentity) -> Bool {
        guard let group = groups[client], group.variant != identity else { return false }
        return variants[group.variant]?.contents?.state != variants[identity]?.contents?.state
    }
}
#endif

#if Remote || canImport(CryptoKit)
@_spi(StoreAuthors) internal import KeyspanCore

// MARK: - Variants

extension PublisherCore {
    /// The present contents for a client; `nil` if there are none, or the publisher is closed.
    func contents(for client: RemoteClient) -> VariantContents? {
        withVariant(of: layers(client)) { state, identity in state.contents(of: identity) }
    }

    /// Uses the variant of some overlays, which is read before if it is new.
    ///
    /// - Parameters:
    ///   - overlays: The overlays, the highest first.
    ///   - body: Uses the variant, under the lock. The variant cannot be evicted before this has ended.
    /// - Returns: The result of the body; `nil` if the publisher is closed.
    func withVariant<Result: Sendable>(
        of overlays: [any PropertyListStore],
        _ body: (inout PublisherState, VariantIdentity) -> Result?
    ) -> Result? {
        let identity = VariantIdentity(overlays)
        let (isDone, known) = state.withLock { state -> (Bool, Result?) in
            if state.isClosed { return (true, nil) }
            guard state.variants[identity]?.isRead == true else { return (false, nil) }
            state.touch(identity)
            return (true, body(&state, identity))
        }
        if isDone { return known }
        let source = VariantSource(overlays, over: base, name: "publisher \(name)")
        let unobserved = state.withLock { $0.isClosed ? [] : $0.beginUse(of: identity, source) }
        // Registered before the values are read: a change after that is found by the observer.
        for index in unobserved {
            let observation = observe(overlays[index])
            state.withLock { $0.take(observation, at: identity.overlays[index]) }
        }
        state.withLock { $0.variants[identity]?.isObserved = true }
        readFirst(identity)
        let (result, released) = state.withLock { state in
            guard state.variants[identity] != nil else { return (nil as Result?, nil as EvictedVariants?) }
            let result = body(&state, identity)
            state.endUse(of: identity)
            return (result, state.evict(keeping: options.maximumVariants))
        }
        withExtendedLifetime(released) {}
        return result
    }

    /// Reads a variant that is new, and all others with it if the host has another number by now.
    private func readFirst(_ identity: VariantIdentity) {
        var last: Int64?
        for round in 0...Self.maximumRounds {
            let readings = readVariants { round > 0 || $0 == identity }
            defer { last = readings.proposed }
            let taken = state.withLock { state -> ([CheckedContinuation<Void, Never>], PublishedValues.Findings)? in
                guard state.variants[identity]?.isRead == false else { return ([], PublishedValues.Findings()) }
                // If the source never rests, the next reading corrects what belongs to another number.
                let number = max(state.revision, state.readNumber)
                let isOutdated = options.revision != nil && readings.proposed < number && readings.proposed != last
                guard !isOutdated && !isPartial(readings, in: state) || round == Self.maximumRounds else { return nil }
                let (clients, new) = take(readings, in: &state)
                return (state.takeWaiting(of: clients), new)
            }
            guard let (waiting, new) = taken else { continue }
            for continuation in waiting { continuation.resume() }
            return report(new)
        }
    }
}

// MARK: - Documents

extension PublisherCore {
    /// A document of the contents of a variant, signed now or before.
    ///
    /// It is given away even if there is a later one by now: it was the present one when it was asked for.
    func document(of found: VariantContents) -> PublishedDocument {
        if let last = found.lastDocument, last.position == found.position, signer.isFresh(last.issued) { return last }
        let made = PublishedDocument(of: found.contents, at: found.position, signedBy: signer)
        return state.withLock { state in
            guard let variant = state.variants[found.identity], state.revision == found.position.revision,
                variant.contents?.state == found.contents.state
            else { return made }
            // All requests of one time receive the same bytes.
            if let other = variant.document, other.position == found.position, other.issued >= made.issued {
                return other
            }
            state.variants[found.identity]?.document = made
            return made
        }
    }

    /// Whether a client with the document of an entity tag has the contents of a variant.
    ///
    /// A document of another revision counts too, and one of another server: a change for other clients makes nobody
    /// fetch the same values again. An old signature does not, so that the client's document never expires.
    func isCurrent(_ tag: String, for found: VariantContents) -> Bool {
        guard let tag = DocumentTag(tag) else { return false }
        return tag.position.state == found.contents.state && signer.isFresh(tag.issued)
    }
}
#endif

import KeyspanCore

/// The objects whose domains are known, so that a change of one concerns no store of another domain.
enum KnownDomains {
    private struct Entry {
        let domain: String
        var stores: Int
    }

    private static let entries = Locked<[ObjectIdentifier: Entry]>([:])

    /// Notes the domain of the object of a store.
    static func add(_ source: UserDefaultsSource) {
        guard let domain = source.domain else { return }
        entries.withLock {
            $0[ObjectIdentifier(source.reference.defaults), default: Entry(domain: domain, stores: 0)].stores += 1
        }
    }

    /// Forgets the object of a store, unless another store has the same one.
    static func remove(_ reference: UserDefaultsReference) {
        entries.withLock { entries in
            let object = ObjectIdentifier(reference.defaults)
            entries[object]?.stores -= 1
            if entries[object]?.stores == 0 { entries[object] = nil }
        }
    }

    /// Whether two objects surely have different domains.
    static func differ(_ object: ObjectIdentifier?, _ reference: UserDefaultsReference) -> Bool {
        guard let object else { return false }
        return entries.withLock { entries in
            guard let other = entries[object], let own = entries[ObjectIdentifier(reference.defaults)] else {
                return false
            }
            return other.domain != own.domain
        }
    }
}

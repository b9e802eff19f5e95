extension Defaults.Key {
    /// The entries whose changes are changes of the key.
    package var observedKeys: ObservedKeys { .named(Set(entryNames)) }

    /// Registers an observer for the changes of the key's stored form.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - initial: Whether the observer first hears the present form; what was before it is `nil` then.
    ///   - receive: Called for each change of any of the entries.
    /// - Returns: The registration. It ends when it is cancelled or released.
    func observeStored(
        in store: any PropertyListStore,
        initial: Bool,
        _ receive: @escaping @Sendable (StoredChange) -> Void
    ) -> StoreObservation {
        guard case .direct = coding else {
            return store.observe(observedKeys, initial: initial) { [name] change in
                let entry = change[name]
                receive(StoredChange(of: change, old: entry?.storedOld, new: entry?.storedNew))
            }
        }
        // A change has only the entries that differ, and the store has what they are by now. So the others are followed from
        // the present values on, change by change.
        let followed = Locked(PropertyListTable())
        return store.observe(observedKeys, initial: true) { [name, coding] change in
            let (old, new) = followed.withLock { table in
                let old = table
                for entry in change.entries { table[stored: entry.key] = entry.storedNew }
                return (old, table)
            }
            if change.isInitial, !initial { return }
            receive(
                StoredChange(
                    of: change,
                    old: change.isInitial ? nil : coding.stored(under: name, in: old),
                    new: coding.stored(under: name, in: new)
                )
            )
        }
    }
}

extension ObservedKeys {
    /// The entries whose changes are changes of any of these keys.
    package static func entries(of keys: [Defaults.AnyKey]) -> ObservedKeys {
        .named(Set(keys.flatMap(\.untyped.entryNames)))
    }
}

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
        let observed = Locked(ObservedEntries())
        return store.observe(observedKeys, initial: true) { [self] change in
            let (old, new) = observed.withLock { entries in
                let old = entries
                entries.apply(change)
                return (old, entries)
            }
            if change.isInitial, !initial { return }
            let oldForm = change.isInitial ? nil : old.stored(of: self)
            receive(StoredChange(of: change, old: oldForm, new: new.stored(of: self)))
        }
    }
}

extension ObservedKeys {
    /// The entries whose changes are changes of any of these keys.
    package static func entries(of keys: [Defaults.AnyKey]) -> ObservedKeys {
        .named(Set(keys.flatMap(\.untyped.entryNames)))
    }
}

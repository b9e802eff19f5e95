extension Defaults.Key {
    /// The entries whose changes are changes of the key.
    package var observedKeys: ObservedKeys { .named(Set(entryNames)) }

    /// The stored form before a change that an observer of those entries heard.
    func stored(before change: PropertyListChange, in store: any PropertyListStore) -> PropertyListValue? {
        switch coding {
        case .entry: return change[name]?.old
        case .direct:
            var table = store.snapshot()
            for entry in change.entries {
                table[entry.key] = entry.old
            }
            return coding.stored(under: name, in: table)
        }
    }

    /// The stored form after a change that an observer of those entries heard.
    func stored(after change: PropertyListChange, in store: any PropertyListStore) -> PropertyListValue? {
        switch coding {
        case .entry: change[name]?.new
        // The change has only the entries that differ; the others are in the store.
        case .direct: coding.stored(under: name, in: store.snapshot())
        }
    }
}

extension ObservedKeys {
    /// The entries whose changes are changes of any of these keys.
    package static func entries(of keys: [Defaults.AnyKey]) -> ObservedKeys {
        .named(Set(keys.flatMap(\.untyped.entryNames)))
    }
}

extension LayeredStore: ProvenanceReporting {
    /// Where the values of keys came from: the layer that has the value, or all those that have a part of a merged one.
    ///
    /// The layers are asked one after the other; a value that moves between two of them meanwhile may be told of neither or
    /// of both.
    public func provenance(forKeys keys: [String], findingLines: Bool) -> TextDictionary<Provenance> {
        var open = keys
        var seen: TextDictionary<[StoredValue]> = [:]
        var parts: TextDictionary<[Provenance]> = [:]
        for layer in layers {
            // Values before their places: what has a place in the end was there before.
            var contributions: [String] = []
            for key in open {
                guard let value = layer.store.storedValue(forKey: key) else { continue }
                let upper = seen[key, default: []]
                seen[key] = upper + [value]
                if upper.isEmpty || joined(upper + [value], ofKey: key) != joined(upper, ofKey: key) {
                    contributions.append(key)
                }
            }
            if contributions.isEmpty { continue }
            let found = layer.store.provenance(ofKeys: contributions, findingLines: findingLines)
            for key in contributions {
                if let provenance = found[key] { parts[key, default: []].append(provenance.inLayer(named: layer.name)) }
            }
            open.removeAll { key in
                seen[key]?.last.map { !dictionaries.isOpen($0, ofKey: key) } ?? false
            }
        }
        return parts.compactMapValues(Provenance.init(joining:))
    }

    /// What readers see of values of a key, the highest first.
    private func joined(_ values: [StoredValue], ofKey key: String) -> PropertyListValue? {
        values.reversed().reduce(nil) { dictionaries.value($1, over: $0, ofKey: key) }?.value
    }
}

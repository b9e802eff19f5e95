#if Service
internal import KeyspanCore

/// The stores that hold values, with the layers of a store in its place.
enum LeafStores {
    /// The stores without layers, each once, in their order.
    static func of(_ stores: [any PropertyListStore]) -> [any PropertyListStore] {
        var (found, leaves): (Set<ObjectIdentifier>, [any PropertyListStore]) = ([], [])
        func add(_ store: any PropertyListStore) {
            guard found.insert(ObjectIdentifier(store)).inserted else { return }
            guard let layered = store as? LayeredStore else { return leaves.append(store) }
            for layer in layered.layers { add(layer.store) }
        }
        for store in stores { add(store) }
        return leaves
    }
}

extension PropertyListStore {
    /// The store that reports its activity: this one, or the one that it writes to.
    var activityReporting: (any ActivityReporting)? {
        (self as? any ActivityReporting) ?? (writtenStore as? any ActivityReporting)
    }
}
#endif

#if Service
internal import KeyspanCore

/// The stores that hold values: of stores with layers, the stores of these.
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
#endif

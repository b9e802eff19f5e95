/// A state of a store, with the values of the layer that is written apart from those of other layers.
///
/// The parts need not be from one instant: what an edit takes from them, its batch expects.
struct LayeredState: Sendable {
    /// The values of other layers, from the layer that is written outwards: a store of layers can be a layer itself.
    private struct Step: Sendable {
        let table: PropertyListTable
        let isAbove: Bool
        let dictionaries: LayeredStore.Dictionaries

        func value(with value: StoredValue?, forKey key: String) -> StoredValue? {
            let other = table[stored: key]
            return isAbove
                ? dictionaries.value(other, over: value, ofKey: key)
                : dictionaries.value(value, over: other, ofKey: key)
        }
    }

    /// The values that writes replace and remove.
    let own: PropertyListTable

    private var others: [Step] = []

    /// A state without other layers.
    init(own: PropertyListTable) {
        self.own = own
    }

    /// Adds the values of a layer, or of several as one, to what is there.
    mutating func add(_ table: PropertyListTable, above isAbove: Bool, dictionaries: LayeredStore.Dictionaries) {
        guard !table.isEmpty else { return }
        others.append(Step(table: table, isAbove: isAbove, dictionaries: dictionaries))
    }

    /// Whether there are values of other layers.
    var isLayered: Bool { !others.isEmpty }

    /// The value that readers see.
    subscript(key: String) -> StoredValue? { value(with: own[stored: key], forKey: key) }

    /// The value that readers see when the layer that is written has none.
    func otherValue(forKey key: String) -> StoredValue? { value(with: nil, forKey: key) }

    private func value(with own: StoredValue?, forKey key: String) -> StoredValue? {
        others.reduce(own) { $1.value(with: $0, forKey: key) }
    }
}

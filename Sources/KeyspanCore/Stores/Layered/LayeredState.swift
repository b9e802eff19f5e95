/// A state of a store, with the values of the layer that is written apart from those of other layers.
///
/// The parts need not be from one instant: what an edit takes from them, its batch expects.
struct LayeredState: Sendable {
    /// The values that hide those of the layer that is written.
    var above = PropertyListTable()

    /// The values that writes replace and remove.
    var own: PropertyListTable

    /// The values that readers see where the other two have none.
    var below = PropertyListTable()

    /// Whether there are values of other layers.
    var isLayered: Bool { !above.isEmpty || !below.isEmpty }

    /// The value that readers see.
    subscript(key: String) -> PropertyListValue? { above[key] ?? own[key] ?? below[key] }

    /// The value that readers see when the layer that is written has none.
    func otherValue(forKey key: String) -> PropertyListValue? { above[key] ?? below[key] }
}

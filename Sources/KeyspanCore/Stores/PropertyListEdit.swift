/// A batch in the making, which reads what it is about to write.
///
/// It begins with a state of a store. Reading gives what was written to the edit, and else what readers of that state see.
/// What was read from the state becomes an expectation of the batch: the store refuses it if the value has changed
/// meanwhile.
public struct PropertyListEdit: Sendable {
    /// The state that the edit began with.
    let base: LayeredState

    /// The writes so far, and what they rest on.
    public private(set) var batch = PropertyListBatch()

    // What was read or written, as readers will see it.
    private var known: TextDictionary<PropertyListValue?> = [:]
    // The same of the layer that is written; used only if there are others.
    private var knownOfWrittenLayer: TextDictionary<PropertyListValue?> = [:]
    private var isCleared = false

    /// Begins an edit of a state.
    public init(_ base: PropertyListTable) {
        self.init(LayeredState(own: base))
    }

    /// Begins an edit of a state of a store that may have layers.
    init(_ base: LayeredState) {
        self.base = base
    }

    /// The value of a key as it will be; setting adds a write to the batch, and `nil` removes the key.
    ///
    /// A key that was removed has the value that other layers of a ``LayeredStore`` have for it; the batch expects nothing
    /// of that value.
    public subscript(key: String) -> PropertyListValue? {
        mutating get {
            if let known = known[key] { return known }
            if isCleared { return base.otherValue(forKey: key) }
            let present = base[key]
            batch.expect(present, forKey: key)
            known[key] = .some(present)
            return present
        }
        set {
            known[key] = .some(newValue ?? base.otherValue(forKey: key))
            if base.isLayered { knownOfWrittenLayer[key] = .some(newValue) }
            batch.set(newValue, forKey: key)
        }
    }

    /// Removes all keys; what other layers of a ``LayeredStore`` have for them stays.
    public mutating func removeAll() {
        known = [:]
        knownOfWrittenLayer = [:]
        isCleared = true
        batch.removeAll()
    }

    /// The value that a write of a key replaces: that of the layer which is written, whatever others have.
    mutating func replacedValue(forKey key: String) -> PropertyListValue? {
        guard base.isLayered else { return self[key] }
        if let known = knownOfWrittenLayer[key] { return known }
        if isCleared { return nil }
        let present = base.own[key]
        batch.expect(present, ofWrittenLayerForKey: key)
        knownOfWrittenLayer[key] = .some(present)
        return present
    }
}

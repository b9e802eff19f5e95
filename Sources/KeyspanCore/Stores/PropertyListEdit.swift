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

    // What was read, or written in the place of what readers see.
    private var known: TextDictionary<StoredValue?> = [:]
    // The same of the layer that is written; used only if there are others.
    private var knownOfWrittenLayer: TextDictionary<StoredValue?> = [:]
    private var isCleared = false

    /// Whether a value of the state was asked for, other than to keep it when another one takes its place.
    private(set) var hasRead = false

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
        mutating get { storedValue(forKey: key)?.value }
        set {
            let written = newValue.map { StoredValue($0) }
            known[key] = .some(written ?? base.otherValue(forKey: key))
            if base.isLayered { knownOfWrittenLayer[key] = .some(written) }
            batch.set(newValue, forKey: key)
        }
    }

    /// The value of a key as it will be, with whether it is text that someone typed.
    public mutating func storedValue(forKey key: String) -> StoredValue? {
        hasRead = true
        return lookUp(key)
    }

    private mutating func lookUp(_ key: String) -> StoredValue? {
        if let known = known[key] { return known }
        if isCleared { return base.otherValue(forKey: key) }
        let present = base[key]
        batch.expectStored(present, forKey: key)
        known[key] = .some(present)
        return present
    }

    /// Removes all keys; what other layers of a ``LayeredStore`` have for them stays.
    public mutating func removeAll() {
        known = [:]
        knownOfWrittenLayer = [:]
        isCleared = true
        batch.removeAll()
    }

    /// The value that a write of a key replaces: that of the layer which is written, whatever others have.
    mutating func replacedValue(forKey key: String) -> StoredValue? {
        guard base.isLayered else { return lookUp(key) }
        if let known = knownOfWrittenLayer[key] { return known }
        if isCleared { return nil }
        let present = base.own[stored: key]
        batch.expect(present?.value, ofWrittenStoreForKey: key)
        knownOfWrittenLayer[key] = .some(present)
        return present
    }
}

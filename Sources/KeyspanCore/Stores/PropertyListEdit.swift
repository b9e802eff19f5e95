/// A batch in the making, which reads what it is about to write.
///
/// It begins with a state of a store. Reading gives what was written to the edit, and else what that state has. What was
/// read from the state becomes an expectation of the batch: the store refuses it if the value has changed meanwhile.
public struct PropertyListEdit: Sendable {
    /// The state that the edit began with.
    public let base: PropertyListTable

    /// The writes so far, and what they rest on.
    public private(set) var batch = PropertyListBatch()

    // What was read or written, as it will be.
    private var known: [String: PropertyListValue?] = [:]
    private var isCleared = false

    /// Begins an edit of a state.
    public init(_ base: PropertyListTable) {
        self.base = base
    }

    /// The value of a key as it will be; setting adds a write to the batch, and `nil` removes the key.
    public subscript(key: String) -> PropertyListValue? {
        mutating get {
            if let known = known[key] { return known }
            if isCleared { return nil }
            let present = base[key]
            batch.expect(present, forKey: key)
            known[key] = .some(present)
            return present
        }
        set {
            known[key] = .some(newValue)
            batch.set(newValue, forKey: key)
        }
    }

    /// Removes all keys.
    public mutating func removeAll() {
        known = [:]
        isCleared = true
        batch.removeAll()
    }
}

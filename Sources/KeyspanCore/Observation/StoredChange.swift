/// What one batch changed of a key: its stored form before and after.
struct StoredChange: Sendable {
    /// The form before; `nil` if there was none, and in the initial call.
    let old: StoredValue?
    /// The form after, or `nil` if there is none.
    let new: StoredValue?
    /// Whether this is the present form at the time of registration.
    let isInitial: Bool
    /// Whether observers of keys do not hear of the change.
    let isQuiet: Bool

    /// Makes the part of a change that concerns a key.
    init(of change: PropertyListChange, old: StoredValue?, new: StoredValue?) {
        self.old = old
        self.new = new
        isInitial = change.isInitial
        isQuiet = change.isQuiet
    }
}

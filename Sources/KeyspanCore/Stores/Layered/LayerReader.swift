/// One layer and all below it, as reads go through them.
///
/// Readers are linked by constants that are no optionals and in no array, because then the compiler sees that a reader
/// outlives each question to it: a read retains and releases nothing, and threads that read do not share a count.
protocol LayerReader: AnyObject, Sendable {
    /// A number that grows with each change of any of the layers; `nil` if one of them does not number its states.
    var generation: UInt64? { get }

    /// The value of a key in the highest layer that has one, with whether it is text.
    func storedValue(forKey key: String) -> StoredValue?

    /// All keys with the values that they have here, at one instant if the layers number their states.
    func snapshot() -> PropertyListTable
}

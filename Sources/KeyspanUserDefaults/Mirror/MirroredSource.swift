import KeyspanCore

/// Something that keeps values by key and may change by itself, of which a ``MirroredTable`` has a copy in memory.
///
/// All members are called without a lock, and may call observers of the source.
protocol MirroredSource: Sendable {
    /// All keys and values that the source shows.
    func table() -> PropertyListTable

    /// The value that the source shows for a key.
    func value(forKey key: String) -> PropertyListValue?

    /// Whether something hides what the source has for a key, so that nothing can be learned about it.
    func isHidden(_ key: String) -> Bool

    /// Writes a batch to the source.
    func perform(_ batch: PropertyListBatch)
}

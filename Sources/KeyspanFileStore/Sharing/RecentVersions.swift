import KeyspanCore

/// The versions of a file that this process knows to have been replaced a moment ago.
///
/// A program that reads the file, changes a key and renames its version over it may have read one of them. What it did not
/// touch must not go back to that state, so its version is compared with the one that it was made of.
struct RecentVersions: Sendable {
    private var versions: [(table: PropertyListTable, replaced: ContinuousClock.Instant)] = []

    /// How long a version may have been replaced to be thought of.
    ///
    /// A program needs less to save what it has read. A person needs more, but is warned by the editor.
    static let memory = Duration.seconds(10)
    /// How many versions are kept at most.
    static let limit = 8

    /// Notes a version that has been replaced.
    mutating func append(_ table: PropertyListTable, at instant: ContinuousClock.Instant = .now) {
        versions.removeAll { instant - $0.replaced > Self.memory }
        if versions.count == Self.limit { versions.removeFirst() }
        versions.append((table, instant))
    }

    /// What someone else changed who has replaced the file.
    ///
    /// - Parameters:
    ///   - edit: The difference between the version that was replaced and the new one.
    ///   - edited: The new version.
    ///   - instant: The time now.
    /// - Returns: The difference between the new version and that one from which it differs least. A version that has
    ///   come back exactly as it was is someone's wish and no edit of it, so then it is the difference that was given.
    func smallest(
        _ edit: TableDelta,
        to edited: PropertyListTable,
        at instant: ContinuousClock.Instant = .now
    ) -> TableDelta {
        var smallest = edit
        for version in versions where instant - version.replaced <= Self.memory {
            let delta = TableDelta(from: version.table, to: edited)
            if delta.isEmpty { return edit }
            if delta.writes.count < smallest.writes.count { smallest = delta }
        }
        return smallest
    }
}

extension Defaults {
    /// A migration that could not be done; the values are as they were.
    ///
    /// If ``isMoved`` is set, they are all in their new place, and only originals in another store are left to remove.
    public struct MigrationError: Error, Sendable {
        /// The name of the plan.
        public let plan: String
        /// The version that was to be reached; `nil` if the failure belongs to no one migration.
        public let version: Int?
        /// The name of the store.
        public let store: String
        /// Whether everything was migrated but for the removal of originals from another store.
        public let isMoved: Bool
        /// What went wrong.
        public let cause: any Error
    }
}

extension Defaults.MigrationError: CustomStringConvertible {
    /// The error in one sentence.
    public var description: String {
        let place = "migration plan \(plan.debugDescription)\(version.map { ", version \($0)," } ?? "") of \(store)"
        return isMoved
            ? "\(place): all values are migrated, but an original could not be removed (\(cause)); migrate again later."
            : "\(place): nothing was changed, because a step failed (\(cause)); correct the cause and migrate again."
    }
}

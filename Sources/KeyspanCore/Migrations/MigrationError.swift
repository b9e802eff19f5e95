extension Defaults {
    /// A migration that could not be done, or not be finished.
    ///
    /// Unless ``isMigrated`` is set, the values are as they were. If ``isMoved`` is set too, originals are left in another
    /// store, which must stay: the copies need not be durable. In either case ``Defaults/migrate(_:)`` goes on where it stopped when it is called again.
    public struct MigrationError: Error, Sendable {
        /// How far it came.
        enum Progress: Sendable {
            case none
            /// The values are migrated, but are not durable.
            case unsaved
            /// The values are migrated, and originals of moves are left.
            case moved
        }

        /// The name of the plan.
        public let plan: String
        /// The version that was to be reached; `nil` if the failure belongs to no one migration.
        public let version: Int?
        /// The name of the store.
        public let store: String
        /// What went wrong.
        public let cause: any Error

        private let progress: Progress

        init(plan: String, version: Int?, store: String, progress: Progress, cause: any Error) {
            self.plan = plan
            self.version = version
            self.store = store
            self.progress = progress
            self.cause = cause
        }

        /// Whether the values are migrated all the same, although not known to be durable.
        public var isMigrated: Bool { progress != .none }

        /// Whether everything was migrated but for the removal of originals from another store, which follows when the copies are
        /// durable.
        public var isMoved: Bool { progress == .moved }
    }
}

extension Defaults.MigrationError: CustomStringConvertible {
    /// The error in one sentence.
    public var description: String {
        let place = "migration plan \(plan.debugDescription)\(version.map { ", version \($0)," } ?? "") of \(store)"
        let (state, remedy) =
            switch progress {
            case .none: ("nothing was changed, because a step failed", "correct the cause and migrate again")
            case .unsaved: ("all values are migrated, but are not durable", "migrate again later")
            case .moved: ("all values are migrated, but an original could not be removed", "migrate again later")
            }
        return "\(place): \(state) (\(cause)); \(remedy)."
    }
}

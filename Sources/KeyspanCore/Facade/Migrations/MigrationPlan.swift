extension Defaults {
    /// The migrations that bring a program's stored values to the form that its keys expect, declared beside the keys.
    ///
    /// ```swift
    /// extension Defaults.Keys {
    ///     static let runs = Key<Int>("runs", default: 0)
    ///     static let volume = Key<Double>("volume", default: 0.5)
    /// }
    ///
    /// let migrations = Defaults.MigrationPlan(
    ///     "player",
    ///     Defaults.Migration(to: 1, .rename("launchCount", to: .runs)),
    ///     Defaults.Migration(
    ///         to: 2,
    ///         .transform(.volume, from: Defaults.Key<Int>("volume", default: 50)) { Double($0) / 100 },
    ///         .remove("obsolete")
    ///     )
    /// )
    ///
    /// func start(_ defaults: Defaults) throws {
    ///     try defaults.migrate(migrations)
    /// }
    /// ```
    ///
    /// The store records its version in the entry `keyspan.migrations`, so each migration runs once. Never change a migration
    /// that has shipped; add a new one.
    public struct MigrationPlan: Sendable {
        /// The name under which the store records the version; a store can have values of several plans.
        let name: String

        /// The version of the values after all migrations; 0 for a plan without migrations.
        public let version: Int

        /// The steps of all migrations, in order.
        let steps: [PlannedStep]

        /// A version that no values can have, because those of a new store have 0.
        let invalidVersion: Int?

        /// The cause of the error for such a version.
        struct InvalidVersion: Error, CustomStringConvertible {
            let description = "the version of a migration is 1 or more"
        }

        /// A step of one of the migrations.
        struct PlannedStep: Sendable {
            let version: Int
            /// A name that is unique in the plan and stable as long as shipped migrations do not change.
            let name: String
            let action: Migration.Step.Action
        }

        /// Makes a plan.
        ///
        /// - Parameters:
        ///   - name: The name under which the store records the version.
        ///   - migrations: The migrations. They run in the order of their versions, and migrations of one version in the order
        ///     of the arguments: add a second one of a version after the first.
        public init(_ name: String, _ migrations: Migration...) {
            self.name = name
            let migrationsByVersion = Dictionary(grouping: migrations, by: \.version)
            let versions = migrationsByVersion.keys.sorted()
            version = versions.last ?? 0
            invalidVersion = versions.first.flatMap { $0 < 1 ? $0 : nil }
            steps = versions.flatMap { version in
                // Numbered through all migrations of the version, because each of them can have moves.
                (migrationsByVersion[version] ?? []).flatMap(\.steps).enumerated().map { index, step in
                    PlannedStep(version: version, name: "\(version).\(index)", action: step.action)
                }
            }
        }
    }
}

extension Defaults {
    /// The steps that bring the values of a store from one version to the next.
    public struct Migration: Sendable {
        /// The version of the values after the steps.
        let version: Int

        let steps: [Step]

        /// Makes a migration.
        ///
        /// - Parameters:
        ///   - version: The version of the values after the steps; 1 or more, or ``Defaults/migrate(_:)`` throws.
        ///   - steps: The steps, in order.
        public init(to version: Int, _ steps: Step...) {
            self.version = version
            self.steps = steps
        }
    }
}

extension Defaults {
    /// Brings the values to the latest version of a plan: performs all pending migrations in one batch.
    ///
    /// Call it when the program starts, before it reads. The batch also records the version, so each migration runs once, in
    /// one of several threads or processes, and a program that ends at any point leaves either the old values or the new ones.
    /// Values with a later version than the plan's, written by a newer program, stay unchanged, and so do that program's
    /// unfinished moves.
    ///
    /// The store's durable state decides which migrations are pending: a file store compares under the lock of its file, even
    /// if its options let memory decide other batches. All values are durable on return, including those that another process
    /// has migrated: the call ends with a `synchronize()` of the store and blocks on the disk or the network. Safe to use from
    /// any thread.
    ///
    /// `UserDefaults` on Apple's systems has no lock that processes share; migrate there before other processes start.
    ///
    /// A ``LayeredStore`` migrates the values of its written layer: launch arguments and registered defaults are not copied
    /// there and do not count as stored values.
    ///
    /// - Returns: Whether a migration or a move was pending.
    /// - Throws: ``MigrationError``; the values are unchanged unless the error says that they are migrated.
    @discardableResult
    public func migrate(_ plan: MigrationPlan) throws(MigrationError) -> Bool {
        try MigrationPass(plan: plan, store: store.writtenStore).run()
    }
}

extension Defaults {
    /// A failure to perform a migration or to finish it.
    ///
    /// Unless ``isMigrated`` is set, the values are unchanged. If ``isMoved`` is set too, originals remain in another store; keep
    /// that store, because the copies may not be durable yet. In either case ``Defaults/migrate(_:)`` continues where it stopped
    /// when it is called again.
    public struct MigrationError: Error, Sendable {
        /// The last stage that was reached.
        enum Progress: Sendable {
            case none
            /// The values are migrated, but not durable.
            case unsaved
            /// The values are migrated, and originals of moves remain.
            case moved
        }

        /// The name of the plan.
        public let plan: String
        /// The version of the migration that failed; `nil` if the failure does not belong to a single migration.
        public let version: Int?
        /// The name of the store.
        public let store: String
        /// The underlying error.
        public let cause: any Error

        private let progress: Progress

        init(plan: String, version: Int?, store: String, progress: Progress, cause: any Error) {
            self.plan = plan
            self.version = version
            self.store = store
            self.progress = progress
            self.cause = cause
        }

        /// Whether the values are migrated in spite of the error; they may not be durable.
        public var isMigrated: Bool { progress != .none }

        /// Whether everything is migrated except that originals in another store remain; they are removed once the copies are
        /// durable.
        public var isMoved: Bool { progress == .moved }
    }
}

extension Defaults.MigrationError: CustomStringConvertible {
    /// The error in one sentence.
    public var description: String {
        let place = "migration plan \(plan.quoted)\(version.map { ", version \($0)," } ?? "") of \(store)"
        let (state, remedy) =
            switch progress {
            case .none: ("nothing was changed, because a step failed", "correct the cause and migrate again")
            case .unsaved: ("all values are migrated, but are not durable", "migrate again later")
            case .moved: ("all values are migrated, but an original could not be removed", "migrate again later")
            }
        return "\(place): \(state) (\(cause)); \(remedy)."
    }
}

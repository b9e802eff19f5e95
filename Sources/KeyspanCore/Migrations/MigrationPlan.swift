extension Defaults {
    /// How the stored values of a program came to have the shape that its keys expect, declared beside the keys.
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
    /// The store remembers the version it has, in the entry `keyspan.migrations`, so each migration is done once. Never
    /// change a migration that has been shipped; add one.
    public struct MigrationPlan: Sendable {
        /// The name under which the store remembers the version; a store can have values of several plans.
        public let name: String

        /// The version that values have when all migrations are done; 0 for a plan without any.
        public let version: Int

        /// What is done, in this order.
        let steps: [PlannedStep]

        /// A step of one of the migrations.
        struct PlannedStep: Sendable {
            let version: Int
            /// A name that no other step of the plan has, and that it keeps while shipped migrations do not change.
            let name: String
            let action: Migration.Step.Action
        }

        /// Makes a plan.
        ///
        /// - Parameters:
        ///   - name: The name under which the store remembers the version.
        ///   - migrations: The migrations, in any order; they are done in the order of their versions, and those of one
        ///     version in the order in which they are here. Add a second one of a version behind the first.
        public init(_ name: String, _ migrations: Migration...) {
            self.name = name
            let migrationsByVersion = Dictionary(grouping: migrations, by: \.version)
            let versions = migrationsByVersion.keys.sorted()
            version = versions.last ?? 0
            steps = versions.flatMap { version in
                // Counted through all migrations of the version, because each of them can have moves.
                (migrationsByVersion[version] ?? []).flatMap(\.steps).enumerated().map { index, step in
                    PlannedStep(version: version, name: "\(version).\(index)", action: step.action)
                }
            }
        }
    }
}

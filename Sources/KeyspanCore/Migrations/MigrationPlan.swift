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

        let migrations: [Migration]

        /// Makes a plan.
        ///
        /// - Parameters:
        ///   - name: The name under which the store remembers the version.
        ///   - migrations: The migrations, in any order; they are done in the order of their versions.
        public init(_ name: String, _ migrations: Migration...) {
            self.name = name
            self.migrations = migrations.sorted { $0.version < $1.version }
        }

        /// The version that values have when all migrations are done; 0 for a plan without any.
        public var version: Int { migrations.last?.version ?? 0 }
    }
}

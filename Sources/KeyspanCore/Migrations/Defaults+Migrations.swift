extension Defaults {
    /// Brings the values to the latest version of a plan: all migrations that are not done yet, in one batch.
    ///
    /// A program calls this at its start, before it reads. The batch also records the version, so the migrations are done
    /// once, by one of several threads or processes, and a program that ends at any point leaves the old values or the new
    /// ones. Values with a later version than the plan's, written by a newer program, are left alone. May block on the
    /// disk or the network if a value moves from another store.
    ///
    /// Of a ``LayeredStore`` the values of the layer are migrated to which writes go: launch arguments and registered
    /// defaults are neither copied there nor taken for stored values.
    ///
    /// - Returns: Whether there was something to do.
    /// - Throws: ``MigrationError``, and the values are as they were.
    @discardableResult
    public func migrate(_ plan: MigrationPlan) throws(MigrationError) -> Bool {
        let pass = MigrationPass(plan: plan, store: store.writtenStore)
        let isMigrated = try pass.migrate()
        let isFinished = try pass.finishMoves()
        return isMigrated || isFinished
    }
}

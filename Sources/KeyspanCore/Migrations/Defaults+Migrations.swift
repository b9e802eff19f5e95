extension Defaults {
    /// Brings the values to the latest version of a plan: all migrations that are not done yet, in one batch.
    ///
    /// A program calls this at its start, before it reads. The batch also records the version, so the migrations are done
    /// once, by one of several threads or processes, and a program that ends at any point leaves the old values or the new
    /// ones. Values with a later version than the plan's, written by a newer program, are left alone, and so are its moves.
    ///
    /// What was done is decided by what the store has for good: a file store compares under the lock of its file, whatever
    /// its options say of other batches. The values are durable on return, also those that another process has migrated: this
    /// ends with a `synchronize()` of the store, and blocks on the disk or the network for that. Safe to use from any
    /// thread.
    ///
    /// `UserDefaults` on Apple's systems has no lock that processes share; migrate there before other processes start.
    ///
    /// Of a ``LayeredStore`` the values of the layer are migrated to which writes go: launch arguments and registered
    /// defaults are neither copied there nor taken for stored values.
    ///
    /// - Returns: Whether there was something to do.
    /// - Throws: ``MigrationError``, and the values are as they were unless it says that they are migrated.
    @discardableResult
    public func migrate(_ plan: MigrationPlan) throws(MigrationError) -> Bool {
        try MigrationPass(plan: plan, store: store.writtenStore).run()
    }
}

extension Defaults.Group {
    /// Writes several values in one batch: readers see all of them or none, and observers hear of them once.
    ///
    /// ```swift
    /// struct WindowKeys: KeyGroup {
    ///     let width = Key<Int>("width", default: 800)
    ///     let height = Key<Int>("height", default: 600)
    /// }
    ///
    /// let window = Defaults.Group<WindowKeys>(InMemoryStore())
    /// window.update {
    ///     $0.width *= 2
    ///     $0.height *= 2
    /// }
    /// ```
    ///
    /// A value that cannot be written, or a store that refuses, is reported to ``Defaults/onProblem(_:)``, and nothing of
    /// the batch happens. ``commit(_:)`` throws instead.
    ///
    /// - Parameter change: Makes the batch. It is called again if another writer changes a value that it has read, so that
    ///   no change is lost; it should do nothing else than read and write the batch.
    public func update(_ change: (inout Batch) -> Void) {
        defaults.update { batch in
            withGroup(of: &batch) { change(&$0) }
        }
    }

    /// Writes several values in one batch, or throws and changes nothing.
    ///
    /// - Parameter change: Makes the batch, as for ``update(_:)``. An error that it throws ends the batch.
    /// - Returns: What the closure returns.
    /// - Throws: The closure's error, or ``Defaults/WriteError`` if a value cannot be written or the store refuses.
    @discardableResult
    public func commit<Result>(_ change: (inout Batch) throws -> Result) throws -> Result {
        try defaults.commit { batch in
            try withGroup(of: &batch) { try change(&$0) }
        }
    }

    private func withGroup<Result>(
        of batch: inout Defaults.Batch,
        _ change: (inout Batch) throws -> Result
    ) rethrows -> Result {
        var grouped = Batch(keys: keys, prefix: prefix, borrowing: &batch)
        defer { grouped.exchange(&batch) }
        return try change(&grouped)
    }
}

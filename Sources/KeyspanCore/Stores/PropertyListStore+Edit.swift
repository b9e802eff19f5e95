extension PropertyListStore {
    /// Applies an edit of the present state in one batch, and begins anew if another writer changed what it read.
    ///
    /// A conflict that comes again and again while the store stays as it is fails as any other error does.
    ///
    /// - Parameters:
    ///   - isDecidedDurably: Whether the store compares what the edit read with its durable state, whatever its options say
    ///     of other batches.
    ///   - change: Makes the edit; can be called more than once. Nothing is applied if it throws.
    ///   - isPlainWrite: Whether the edit is made in any case, so that memory may decide unless it rests on what it has read,
    ///     or keeps a value.
    ///   - storeFailure: The error to throw for one of the store.
    func edit<Result, Failure: Error>(
        decidedDurably isDecidedDurably: Bool = false,
        _ change: (inout PropertyListEdit) throws(Failure) -> Result,
        isPlainWrite: Bool = false,
        storeFailure: (StoreError) -> Failure
    ) throws(Failure) -> Result {
        var rounds = FruitlessRounds()
        while true {
            let revision = revision
            var (batch, hasRead, result) = try batch(of: change)
            // What was read of one layer and of several is of one instant if nothing has changed meanwhile.
            if batch.isEmpty,
                batch.expected.isEmpty || writtenStore === self || revision != nil && self.revision == revision
            {
                return result
            }
            // An edit that only reads wants to know no more than that.
            let rests = !isPlainWrite || hasRead || batch.writes(KeptValues.entryName)
            batch.arbiter = !rests || batch.isEmpty ? .memory : isDecidedDurably ? .durableState : .store
            do {
                try apply(batch)
                return result
            } catch {
                guard error.isRepeatable, !rounds.areOver(at: revision, expecting: batch.expectations) else {
                    throw storeFailure(error)
                }
            }
        }
    }

    /// Applies a batch.
    ///
    /// - Returns: `false` if nothing happened because a key does not hold what the batch expects, so that it is worth while
    ///   to make the batch again.
    func applyUnlessConflicting(_ batch: PropertyListBatch) throws(StoreError) -> Bool {
        do {
            try apply(batch)
            return true
        } catch {
            guard error.isRepeatable else { throw error }
            return false
        }
    }

    /// The batch of an edit of the present state.
    ///
    /// The state is let go on return, because a write copies parts of a table while someone holds a copy of it.
    private func batch<Result, Failure: Error>(
        of change: (inout PropertyListEdit) throws(Failure) -> Result
    ) throws(Failure) -> (batch: PropertyListBatch, hasRead: Bool, result: Result) {
        var edit = PropertyListEdit(layeredState)
        let result = try change(&edit)
        return (edit.batch, edit.hasRead, result)
    }

    /// Applies an edit that cannot fail by itself.
    func edit(_ change: (inout PropertyListEdit) -> Void) throws(StoreError) {
        try edit({ (edit) throws(StoreError) in change(&edit) }, storeFailure: { $0 })
    }
}

extension PropertyListStore {
    /// Applies an edit of the present state in one batch, and begins anew if another writer changed what it read.
    ///
    /// - Parameters:
    ///   - change: Makes the edit; can be called more than once. Nothing is applied if it throws.
    ///   - storeFailure: The error to throw for one of the store.
    func edit<Result, Failure: Error>(
        _ change: (inout PropertyListEdit) throws(Failure) -> Result,
        storeFailure: (StoreError) -> Failure
    ) throws(Failure) -> Result {
        while true {
            var edit = PropertyListEdit(layeredState)
            let result = try change(&edit)
            if edit.batch.operations.isEmpty { return result }
            do {
                try apply(edit.batch)
                return result
            } catch {
                guard error.code == .conflict else { throw storeFailure(error) }
            }
        }
    }

    /// Applies an edit that cannot fail by itself.
    func edit(_ change: (inout PropertyListEdit) -> Void) throws(StoreError) {
        try edit({ (edit) throws(StoreError) in change(&edit) }, storeFailure: { $0 })
    }
}

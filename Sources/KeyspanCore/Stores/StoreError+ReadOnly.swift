extension StoreError {
    /// A batch for a store that can only be read.
    ///
    /// - Parameters:
    ///   - batch: The batch, whose first key the error names.
    ///   - store: The name of the store.
    ///   - remedy: What to do about it, as a clause without a full stop.
    static func readOnly(_ batch: PropertyListBatch, store: String, remedy: String) -> StoreError {
        let key: String? =
            switch batch.operations.first {
            case .set(_, let key), .remove(let key): key
            case .removeAll, nil: nil
            }
        return StoreError(.readOnly, store: store, key: key, reason: "it can only be read", remedy: remedy)
    }
}

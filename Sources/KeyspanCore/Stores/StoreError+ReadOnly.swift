extension StoreError {
    /// A batch for a store that can only be read.
    ///
    /// - Parameters:
    ///   - batch: The batch, whose first key the error names.
    ///   - store: The name of the store.
    ///   - remedy: What to do about it, as a clause without a full stop.
    package static func readOnly(_ batch: PropertyListBatch, store: String, remedy: String) -> StoreError {
        StoreError(.readOnly, store: store, key: batch.firstKey, reason: "it can only be read", remedy: remedy)
    }
}

extension PropertyListBatch {
    /// The key of the first write; `nil` if that removes all keys.
    var firstKey: String? {
        switch operations.first {
        case .set(_, let key), .remove(let key): key
        case .removeAll, nil: nil
        }
    }
}

import KeyspanCore

extension FileStoreLimits {
    /// Refuses a batch with a value that is too large or nested too deep.
    ///
    /// What the library itself records, such as kept values, may have more of both than one value: otherwise a value at the
    /// limit could be neither replaced nor moved.
    func check(_ batch: PropertyListBatch, store: String) throws(StoreError) {
        // Nearly every batch is one write of a value, which needs no array.
        if case .one(.set(let value, _)) = batch.storage, !isNestedTooDeep(value), value.contentSize <= valueSize {
            return
        }
        for case .set(let value, let key) in batch.operations {
            if LibraryEntries.contains(key), !value.isNestedDeeper() { continue }
            if isNestedTooDeep(value) {
                throw StoreError(
                    .nestingTooDeep,
                    store: store,
                    key: key,
                    reason: "the value has more than \(nesting) nested collections",
                    remedy: "store it in a flatter form or raise the limit"
                )
            }
            let size = value.contentSize
            if size > valueSize {
                throw StoreError(
                    .tooLarge,
                    store: store,
                    key: key,
                    reason: "the value has \(size) bytes, and the limit is \(valueSize)",
                    remedy: "store it in a file of its own and its path here, or raise the limit"
                )
            }
        }
    }

    private func isNestedTooDeep(_ value: PropertyListValue) -> Bool {
        value.isNestedDeeper(than: min(nesting, PropertyListValue.maximumNesting))
    }
}

extension PropertyListValue {
    /// The number of bytes in texts, data and names; other values count as eight.
    ///
    /// The value must not be nested deeper than ``maximumNesting``, because this calls itself.
    var contentSize: Int {
        switch self {
        case .string(let text): text.utf8.count
        case .data(let data): data.count
        case .array(let elements): elements.reduce(0) { $0 + $1.contentSize }
        case .dictionary(let entries): entries.reduce(0) { $0 + $1.key.utf8.count + $1.value.contentSize }
        case .boolean, .integer, .real, .date: 8
        }
    }
}

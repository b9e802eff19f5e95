package import KeyspanCore

/// A file format: how keys and values become bytes, and bytes keys and values.
///
/// The file engine knows nothing else of the format, so that all formats are saved by the same code.
package protocol FileCodec: Sendable {
    /// What the format is called, such as `JSON`.
    var name: String { get }

    /// Makes keys and values of all bytes of a file.
    ///
    /// - Throws: ``FileFormatError`` with the format's own error in it.
    func decode(_ bytes: [UInt8]) throws(FileFormatError) -> PropertyListTable

    /// Makes the bytes of a file.
    ///
    /// - Throws: ``FileFormatError`` for a value that the format cannot hold. Those that ``written(_:forKey:)`` has
    ///   answered are none.
    func encode(_ table: PropertyListTable) throws(FileFormatError) -> [UInt8]

    /// Whether every value is read as it was written, so that nobody needs to ask ``written(_:forKey:)``.
    var isExact: Bool { get }

    /// The value that is read from a file to which this one is written.
    ///
    /// - Throws: ``FileFormatError`` for a value or a key that the format cannot hold.
    func written(_ value: PropertyListValue, forKey key: String) throws(FileFormatError) -> PropertyListValue

    /// Finds the values of some keys in all bytes of a file, and the lines in which they are.
    ///
    /// - Returns: An entry for each key that the file has; `nil`, which is what a format gets that does not implement this,
    ///   for bytes without lines.
    /// - Throws: ``FileFormatError`` as ``decode(_:)`` does.
    func locate(_ keys: Set<UTF8Text>, in bytes: [UInt8]) throws(FileFormatError) -> TextDictionary<LocatedValue>?
}

extension FileCodec {
    /// `nil`: there are no lines.
    package func locate(_ keys: Set<UTF8Text>, in bytes: [UInt8]) throws(FileFormatError) -> TextDictionary<
        LocatedValue
    >? {
        nil
    }

    package var isExact: Bool { true }

    package func written(_ value: PropertyListValue, forKey key: String) -> PropertyListValue { value }

    /// The batch with each value as it will be read from the file.
    ///
    /// - Throws: `StoreError` for a value or a key that the format cannot hold.
    func written(_ batch: PropertyListBatch, store: String) throws(StoreError) -> PropertyListBatch {
        if isExact { return batch }
        return try batch.mapValues { (value, key) throws(StoreError) in
            // No store takes such a key, and that is what the caller is to be told.
            if key.utf8.contains(0) { return value }
            do throws(FileFormatError) {
                return try written(value, forKey: key)
            } catch {
                throw error.storeError(store: store, key: key)
            }
        }
    }
}

extension FileFormatError {
    /// What the caller is told who wanted to store what the format cannot hold.
    func storeError(store: String, key: String?) -> StoreError {
        StoreError(
            .unsupportedValue,
            store: store,
            key: key,
            reason: reason,
            remedy: remedy ?? "store it in another form",
            underlying: underlying
        )
    }
}

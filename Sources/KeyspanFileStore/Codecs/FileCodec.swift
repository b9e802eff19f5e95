@_spi(StoreAuthors) package import KeyspanCore

/// A file format: converts keys and values to bytes and back.
///
/// The file engine depends on nothing else of a format, so that the same code saves all formats.
package protocol FileCodec: Sendable {
    /// The name of the format, such as `JSON`.
    var name: String { get }

    /// The form in which keys write values that a property list has no kind for, unless an option of the store chooses.
    var valueForm: Defaults.ValueForm { get }

    /// How the members of the file stand for entries.
    var form: FileForm { get }

    /// Reads all bytes of a file.
    ///
    /// - Throws: ``FileFormatError`` with the format's own error in it.
    func decode(_ bytes: [UInt8]) throws(FileFormatError) -> PropertyListTable

    /// The table of the same file and the same writes in a form with more groups.
    ///
    /// - Throws: ``FileFormatError`` if the file has a key twice in that form, and the form refuses that.
    func separated(_ table: PropertyListTable, as form: EntryForm) throws(FileFormatError) -> PropertyListTable

    /// The keys that a file has twice, nested and with dots.
    ///
    /// - Parameters:
    ///   - table: The table that was made of the file.
    ///   - bytes: The file.
    func keysHeldTwice(in table: PropertyListTable, of bytes: [UInt8]) -> [KeyHeldTwice]

    /// Writes the bytes of a file, unless it would exceed a number of bytes.
    ///
    /// The bytes of a table that was made by ``decode(_:)`` keep what was read, as far as the format can, where no value was
    /// written since. A value that is small in memory, because its parts are shared, can be huge in a file.
    ///
    /// - Returns: `nil` if the file would have more bytes.
    /// - Throws: ``FileFormatError`` for a value that the format cannot hold, which never happens for a result of
    ///   ``written(_:forKey:)``.
    func encode(_ table: PropertyListTable, upTo limit: Int) throws(FileFormatError) -> EncodedFile?

    /// The number of bytes that ``encode(_:upTo:)`` would write.
    ///
    /// By default they are written and counted.
    ///
    /// - Returns: `nil` if there would be more than the limit.
    /// - Throws: ``FileFormatError`` as ``encode(_:upTo:)`` does.
    func size(of table: PropertyListTable, upTo limit: Int) throws(FileFormatError) -> Int?

    /// The members with which a file has the entries of a table, as a reader without keys sees them.
    ///
    /// - Throws: ``FileFormatError`` as ``encode(_:upTo:)`` does.
    func members(of table: PropertyListTable) throws(FileFormatError) -> PropertyListTable

    /// Whether every value reads back equal, so that no caller needs ``written(_:forKey:)``.
    var isExact: Bool { get }

    /// The value that a file contains after this value was written to it.
    ///
    /// - Throws: ``FileFormatError`` for a value or a key that the format cannot hold.
    func written(_ value: PropertyListValue, forKey key: String) throws(FileFormatError) -> PropertyListValue

    /// Finds the values of some keys, and their lines, in all bytes of a file.
    ///
    /// - Returns: An entry for each key that the file has. `nil`, also by default, for a format without lines.
    /// - Throws: ``FileFormatError`` as ``decode(_:)`` does.
    func locate(_ keys: Set<UTF8Text>, in bytes: [UInt8]) throws(FileFormatError) -> TextDictionary<LocatedValue>?

    /// Finds parts of the values in all bytes of a file.
    ///
    /// - Parameters:
    ///   - paths: The paths, each with a key as its first step.
    ///   - table: The values. A part of a value that is another one in the file has no place.
    ///   - bytes: The file.
    /// - Returns: The place of each part, or of the innermost part around it that the file has. `nil`, also by default, for a format
    ///   without lines.
    /// - Throws: ``FileFormatError`` as ``decode(_:)`` does.
    func places(
        of paths: [ValuePath],
        in table: PropertyListTable,
        _ bytes: [UInt8]
    ) throws(FileFormatError) -> [LineAndColumn?]?
}

extension FileCodec {
    package func locate(_ keys: Set<UTF8Text>, in bytes: [UInt8]) throws(FileFormatError) -> TextDictionary<
        LocatedValue
    >? {
        nil
    }

    package func places(
        of paths: [ValuePath],
        in table: PropertyListTable,
        _ bytes: [UInt8]
    ) throws(FileFormatError) -> [LineAndColumn?]? {
        nil
    }

    package func size(of table: PropertyListTable, upTo limit: Int) throws(FileFormatError) -> Int? {
        try encode(table, upTo: limit)?.bytes.count
    }

    package var isExact: Bool { true }

    /// How many times as long as its record a change can be in the file.
    ///
    /// JSON text is up to four times as long with indentations of eight bytes, XML is longer than the record, and so is UTF-16 in a
    /// binary property list. A new key may need groups around it, each with lines of its own.
    var growthOfRecords: Int { form.hasGroups ? 64 : isExact ? 4 : 8 }

    package func written(_ value: PropertyListValue, forKey key: String) -> PropertyListValue { value }

    /// The batch with each value as the file will contain it.
    ///
    /// - Throws: `StoreError` for a value or a key that the format cannot hold.
    func written(_ batch: PropertyListBatch, store: String) throws(StoreError) -> PropertyListBatch {
        try batch.mapValues { (value, key) throws(StoreError) in
            // The store itself rejects such a key, with a better error.
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
    /// The error for a caller that stores a value which the format cannot hold.
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

/// A key that a file has twice, nested and with dots.
package struct KeyHeldTwice: Sendable {
    /// The number of such keys that are reported of one version of a file.
    static let limit = 16

    let key: String
    /// The line of the value that counts; `nil` if the format has no lines.
    let countingLine: Int?
    /// The line of the other one.
    let otherLine: Int?
}

/// The bytes of a file and the table that they hold.
package struct EncodedFile: Sendable {
    /// The bytes.
    package let bytes: [UInt8]
    /// The table, made of these bytes if the format can do that without reading them.
    package let table: PropertyListTable
}

/// An error of a codec, in the clauses of a ``FileStoreError``.
package struct FileFormatError: Error {
    /// The problem and its place, as a clause without a full stop.
    package let reason: String
    /// The remedy, as a clause without a full stop, unless it is "correct the file".
    package let remedy: String?
    /// The codec's own error.
    package let underlying: any Error

    /// Wraps a codec's own error.
    package init(reason: String, remedy: String?, underlying: any Error) {
        self.reason = reason
        self.remedy = remedy
        self.underlying = underlying
    }
}

/// A value of a file with the line of its key.
package struct LocatedValue: Sendable, Hashable {
    /// The value.
    package let value: PropertyListValue
    /// The line of the key, from 1.
    package let line: Int

    /// Makes a located value.
    package init(_ value: PropertyListValue, line: Int) {
        self.value = value
        self.line = line
    }

    /// The values of keys with their lines.
    ///
    /// - Parameters:
    ///   - table: All values.
    ///   - starts: The offsets of the keys, in ascending order.
    ///   - bytes: The text.
    static func values(
        of table: PropertyListTable,
        at starts: [(key: String, offset: Int)],
        in bytes: [UInt8]
    ) -> TextDictionary<LocatedValue> {
        var line = 1
        var counted = 0
        return starts.reduce(into: [:]) { located, start in
            line += bytes[counted..<start.offset].count { $0 == ASCII.lineFeed }
            counted = start.offset
            located[start.key] = table[start.key].map { LocatedValue($0, line: line) }
        }
    }
}

@_spi(StoreAuthors) package import KeyspanCore

/// A file format: converts keys and values to bytes and back.
///
/// The file engine depends on nothing else of a format, so that the same code saves all formats.
package protocol FileCodec: Sendable {
    /// The name of the format, such as `JSON`.
    var name: String { get }

    /// The form in which keys write values that a property list has no kind for, unless an option of the store chooses.
    var valueForm: Defaults.ValueForm { get }

    /// Reads all bytes of a file.
    ///
    /// - Throws: ``FileFormatError`` with the format's own error in it.
    func decode(_ bytes: [UInt8]) throws(FileFormatError) -> PropertyListTable

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

    /// Whether every value reads back equal, so that no caller needs ``written(_:forKey:)``.
    var isExact: Bool { get }

    /// The value that a file contains after this value was written to it.
    ///
    /// - Throws: ``FileFormatError`` for a value or a key that the format cannot hold.
    func written(_ value: PropertyListValue, forKey key: String) throws(FileFormatError) -> PropertyListValue

    /// Finds parts of the values in all bytes of a file.
    ///
    /// - Parameters:
    ///   - paths: The paths, each with the key of an entry as its first step.
    ///   - table: The entries. A part of an entry that is another one in the file has no place.
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
    /// binary property list. A new name may need dictionaries around it, each with lines of its own.
    var growthOfRecords: Int { 64 }

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

extension FileCodec {
    /// The values to which names lead in all bytes of a file, and their lines.
    ///
    /// - Returns: A value for each name that leads to one; a line if the format has lines.
    /// - Throws: ``FileFormatError`` as ``decode(_:)`` does.
    func locate(
        _ names: [String],
        in bytes: [UInt8],
        _ naming: NestedNaming?
    ) throws(FileFormatError) -> TextDictionary<LocatedValue> {
        var table = try decode(bytes)
        table.naming = naming
        let found = names.compactMap { name in table.find(name).map { (name: name, found: $0) } }
        let paths = found.map { ValuePath($0.found.place) }
        let places = try places(of: paths, in: table, bytes) ?? paths.map { _ in nil }
        return TextDictionary(
            zip(found, places).lazy.map { ($0.name, LocatedValue(value: $0.found.value, line: $1?.line)) }
        )
    }

    /// The names that a file has twice, nested and with dots.
    ///
    /// - Parameters:
    ///   - table: The table that was made of the file.
    ///   - bytes: The file.
    func namesHeldTwice(in table: PropertyListTable, of bytes: [UInt8]) -> [KeyHeldTwice] {
        table.namesHeldTwice.prefix(KeyHeldTwice.limit).map { name in
            let paths = table.findAll(name).prefix(2).map { ValuePath($0.place) }
            // The bytes were read before.
            let places = (try? places(of: paths, in: table, bytes)) ?? nil
            return KeyHeldTwice(key: name, countingLine: places?[0]?.line, otherLine: places?[1]?.line)
        }
    }
}

extension FileFormatError {
    /// The error for a name that a file has twice.
    static func heldTwice(_ name: String) -> FileFormatError {
        FileFormatError(
            reason: "the key \(name.quoted) is there twice, nested and with dots",
            remedy: "remove one of the two",
            underlying: NameHeldTwice(name: name)
        )
    }

    /// A name that a file has twice.
    struct NameHeldTwice: Error {
        let name: String
    }
}

/// A value of a file with the line of its name.
struct LocatedValue: Sendable, Hashable {
    let value: PropertyListValue
    /// The line of the name, from 1; `nil` if the format has no lines.
    let line: Int?
}

extension ValuePath {
    /// The path to the value at a place.
    init(_ place: EntryPlace) {
        self.init([.name(place.key)] + place.path.map(ValuePath.Step.name))
    }
}

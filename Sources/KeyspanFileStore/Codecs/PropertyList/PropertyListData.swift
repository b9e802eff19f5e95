@_spi(StoreAuthors) public import KeyspanCore

/// A file format of property lists.
public enum PropertyListFormat: Sendable, Hashable, CaseIterable {
    /// Text, for people and version control.
    case xml
    /// Small, exact, and faster to read; the format of `UserDefaults`.
    case binary
}

/// Reads and writes property lists in the XML and the binary format of Apple's systems, as Foundation does on every platform.
///
/// Reading detects the format by the first bytes, and keeps every distinction: `true`, `1` and `1.0` are three values, and
/// integers have the whole range of `Int64` and `UInt64`. Invalid documents are errors with a place, including documents with objects
/// that are not property-list values, such as the UID of a keyed archive. Two equal keys in one dictionary are an error, where
/// Foundation keeps one of them.
///
/// The binary format holds every value exactly, except for the payload of a NaN. XML cannot hold
/// - the fraction of a second of a date: it is omitted;
/// - infinite and NaN dates, and dates outside the years 0 to 9999: an error;
/// - the control characters that XML 1.0 forbids (U+0000 to U+001F except tab, line feed and carriage return), U+FFFE and U+FFFF,
///   in strings and keys: an error. Reading accepts them because Foundation writes them anyway, and keeps a carriage return, which
///   XML would turn into a line feed.
///
/// Reading accepts XML in UTF-8, with or without a byte-order mark, a document type and the `<plist>` element around the value, and
/// skips comments and processing instructions. A `<real>` must be in the range of `Double`, and a `Double` must keep its digits, as
/// in ``JSONText``. Reading rejects a document type with declarations, and all entities except the five of XML itself, so that a
/// document can neither refer to a file nor grow while it is read. By sharing its parts, a binary document can stand for far more
/// than its bytes. Reading rejects it above 65,536 values that are also more than its bytes, and above 16 MiB of long strings and
/// data that are also more than 64 times its bytes.
///
/// All functions work in memory only, may be called from any thread, and need little stack at any nesting.
///
/// - SeeAlso: `plist(5)` of macOS for XML; `CFBinaryPList.c` in Apple's CoreFoundation for the binary format.
@_spi(StoreAuthors) public enum PropertyListData {
    /// The format of a document, judged by its first bytes.
    ///
    /// - Returns: ``PropertyListFormat/binary`` for a document that begins with `bplist`, and ``PropertyListFormat/xml`` for any other.
    @_spi(StoreAuthors) public static func format(of bytes: [UInt8]) -> PropertyListFormat {
        bytes.starts(with: BinaryPropertyListObjects.beginning) ? .binary : .xml
    }

    /// Reads a property list.
    ///
    /// - Parameter bytes: The document in either format.
    /// - Returns: The value; nested no deeper than `PropertyListValue.maximumNesting`.
    /// - Throws: ``PropertyListDataError`` at the first invalid place.
    /// - Complexity: O(*n*) in the number of bytes.
    @_spi(StoreAuthors) public static func parse(_ bytes: [UInt8]) throws(PropertyListDataError) -> PropertyListValue {
        try parse(bytes, levels: PropertyListValue.maximumNesting)
    }

    /// Reads a property list whose value is a dictionary, as the content of a store.
    ///
    /// That dictionary does not count as a level of nesting.
    ///
    /// - Parameter bytes: The document in either format.
    /// - Returns: The entries of the dictionary.
    /// - Throws: ``PropertyListDataError`` at the first invalid place, and for a document with another value.
    /// - Complexity: O(*n*) in the number of bytes.
    @_spi(StoreAuthors) public static func parseTable(_ bytes: [UInt8]) throws(PropertyListDataError)
        -> PropertyListTable
    {
        switch format(of: bytes) {
        case .xml: try readXML(bytes) { (reader) throws(XMLFault) in try reader.readTable() }
        case .binary: try readBinary(bytes) { (reader) throws(BinaryFault) in try reader.readTable() }
        }
    }

    /// Writes a value, with the keys of dictionaries sorted as Swift sorts strings.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - format: The format.
    /// - Returns: The document, which reads back to an equal value, except for fractions of seconds in XML.
    /// - Throws: `ValueEncodingError` for a value that the format cannot hold, or that is nested deeper than
    ///   `PropertyListValue.maximumNesting`.
    /// - Complexity: O(*n* log *n*) in the number of values, because keys are sorted.
    @_spi(StoreAuthors) public static func encode(
        _ value: PropertyListValue,
        as format: PropertyListFormat
    ) throws(ValueEncodingError) -> [UInt8] {
        if value.isNestedDeeper() {
            let limit = PropertyListValue.maximumNesting
            throw ValueEncodingError(
                reason: "the value has more than \(limit) nested collections; store it in a flatter form"
            )
        }
        return try encodeUnchecked(value, as: format)
    }

    /// Writes the content of a store, as a dictionary that ``parseTable(_:)`` reads.
    ///
    /// The nesting of the values is not checked, because every store rejects values nested too deep; such values produce a document
    /// that cannot be read.
    ///
    /// - Parameters:
    ///   - table: The keys and values.
    ///   - format: The format.
    /// - Returns: The document.
    /// - Throws: `ValueEncodingError` for a value or a key that the format cannot hold; the path begins with the key.
    /// - Complexity: O(*n* log *n*) in the number of values, because keys are sorted.
    @_spi(StoreAuthors) public static func encode(
        _ table: PropertyListTable,
        as format: PropertyListFormat
    ) throws(ValueEncodingError) -> [UInt8] {
        switch format {
        case .xml:
            for (key, value) in table { try XMLRestrictions.check(value, forKey: key) }
        case .binary:
            break
        }
        return try encodeUnchecked(table, as: format)
    }

    /// Writes the content of a store, including characters that XML forbids, as Foundation does.
    ///
    /// - Parameter limit: The number of bytes after which the writer may stop, leaving an XML document unfinished.
    /// - Throws: `ValueEncodingError` for a date that XML cannot hold.
    static func encodeUnchecked(
        _ table: PropertyListTable,
        as format: PropertyListFormat,
        upTo limit: Int = .max
    ) throws(ValueEncodingError) -> [UInt8] {
        switch format {
        case .xml:
            var writer = XMLPropertyListWriter()
            writer.limit = limit
            try writer.writeDocument(table)
            return writer.bytes
        case .binary:
            return BinaryPropertyListWriter.bytes(of: table)
        }
    }

    /// Whether a text begins like an XML property list, and not like data in an old-style one.
    package static func isXML(_ text: some StringProtocol) -> Bool {
        let start = text.drop { $0.isWhitespace }
        guard start.first == "<", let second = start.dropFirst().first else { return false }
        var name = String(start.dropFirst().prefix { $0.isASCII && $0.isLetter })
        return second == "?" || second == "!" || name.withUTF8(XMLElement.init) != nil
    }

    /// Writes a value of any nesting.
    package static func encodeUnchecked(
        _ value: PropertyListValue,
        as format: PropertyListFormat
    ) throws(ValueEncodingError) -> [UInt8] {
        switch format {
        case .xml:
            try XMLRestrictions.check(value)
            var writer = XMLPropertyListWriter()
            try writer.writeDocument(value)
            return writer.bytes
        case .binary:
            return BinaryPropertyListWriter.bytes(of: value)
        }
    }

    /// Reads a value of up to a number of nested collections.
    package static func parse(_ bytes: [UInt8], levels: Int) throws(PropertyListDataError) -> PropertyListValue {
        switch format(of: bytes) {
        case .xml: try readXML(bytes) { (reader) throws(XMLFault) in try reader.readDocument(levels: levels) }
        case .binary: try readBinary(bytes) { (reader) throws(BinaryFault) in try reader.readDocument(levels: levels) }
        }
    }

    /// The places of parts of a table's values; `nil` for a binary document.
    ///
    /// - Throws: ``PropertyListDataError`` as ``parseTable(_:)`` does.
    static func places(
        of paths: [ValuePath],
        in table: PropertyListTable,
        _ bytes: [UInt8]
    ) throws(PropertyListDataError) -> [LineAndColumn?]? {
        guard format(of: bytes) == .xml else { return nil }
        var (members, offsets) = try readXML(bytes, finding: paths) { (reader) throws(XMLFault) in
            (try reader.readTable(), reader.offsets)
        }
        for (key, tree) in PartTree(paths).members where members.entry(key) != table.entry(key) {
            tree.note(nil, in: &offsets)
        }
        return LineAndColumn.places(ofBytes: offsets, in: bytes)
    }

    /// Runs a reader over a text and turns its fault into an error with line and column.
    private static func readXML<Result>(
        _ bytes: [UInt8],
        finding paths: [ValuePath] = [],
        _ body: (inout XMLPropertyListReader) throws(XMLFault) -> Result
    ) throws(PropertyListDataError) -> Result {
        try bytes.withUnsafeBufferPointer { (bytes) throws(PropertyListDataError) in
            do throws(XMLFault) {
                var reader = try XMLPropertyListReader(bytes, finding: paths)
                return try body(&reader)
            } catch {
                throw PropertyListDataError(error, in: bytes)
            }
        }
    }

    private static func readBinary<Result>(
        _ bytes: [UInt8],
        _ body: (inout BinaryPropertyListReader) throws(BinaryFault) -> Result
    ) throws(PropertyListDataError) -> Result {
        try bytes.withUnsafeBufferPointer { (bytes) throws(PropertyListDataError) in
            do throws(BinaryFault) {
                var reader = try BinaryPropertyListReader(bytes)
                return try body(&reader)
            } catch {
                throw PropertyListDataError(error)
            }
        }
    }
}

extension PropertyListFormat: CustomStringConvertible {
    /// The name of the format: `XML` or `binary`.
    @_spi(StoreAuthors) public var description: String {
        switch self {
        case .xml: "XML"
        case .binary: "binary"
        }
    }
}

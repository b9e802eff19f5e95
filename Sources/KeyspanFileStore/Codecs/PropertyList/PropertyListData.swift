public import KeyspanCore

/// Property lists as bytes: the XML and the binary format of Apple's systems, which Foundation reads and writes everywhere.
///
/// Reading tells the format by the first bytes, and keeps every distinction: `true`, `1` and `1.0` are three values, and
/// integers have the whole range of `Int64` and `UInt64`. What is no property list, or has an object that is no property-list
/// value, such as the UID of a keyed archive, is an error with its place. Two equal keys in one dictionary are an error,
/// where Foundation keeps one of them.
///
/// The binary format holds every value exactly, but for the payload of a NaN. XML has no place for
/// - the fraction of a second of a date: it is left out;
/// - dates that are no number or outside the years 0 to 9999: an error;
/// - the control characters that XML 1.0 forbids (U+0000 to U+001F but for tab, line feed and carriage return), U+FFFE and
///   U+FFFF, in strings and keys: an error. They are read, because Foundation writes them all the same, as is a carriage
///   return, of which XML would make a line feed.
///
/// XML is read in UTF-8, with or without a byte-order mark, a document type and the `<plist>` element around the value;
/// comments and processing instructions are passed over. A `<real>` has to be in the range of `Double`, and to have no digits
/// that a `Double` does not keep, as in ``JSONText``. A
/// document type with declarations is refused and there are no entities but the five of XML itself, so that a document can
/// neither name a file nor grow while it is read. A binary document that stands for far more than it has bytes, by sharing its
/// parts, is refused: for more than 65,536 values that are also more than its bytes, or for more than 16 MiB of long strings
/// and data that are also more than 64 times its bytes.
///
/// All functions work in memory only, may be called from any thread, and need little stack whatever the nesting is.
///
/// - SeeAlso: `plist(5)` of macOS for XML; `CFBinaryPList.c` in Apple's CoreFoundation for the binary format.
public enum PropertyListData {
    /// A form that property lists have as bytes.
    public enum Format: Sendable, Hashable, CaseIterable {
        /// Text, for people and version control.
        case xml
        /// Small, exact, and the faster one to read; what `UserDefaults` writes.
        case binary
    }

    /// The format that bytes begin like.
    ///
    /// - Returns: ``Format/binary`` for what begins with `bplist`, and ``Format/xml`` for anything else.
    public static func format(of bytes: [UInt8]) -> Format {
        bytes.starts(with: BinaryPropertyListObjects.beginning) ? .binary : .xml
    }

    /// Reads a property list.
    ///
    /// - Parameter bytes: The document in either format.
    /// - Returns: The value; nested no deeper than `PropertyListValue.maximumNesting`.
    /// - Throws: ``PropertyListDataError`` at the first place that is no property list.
    /// - Complexity: O(*n*) in the number of bytes.
    public static func parse(_ bytes: [UInt8]) throws(PropertyListDataError) -> PropertyListValue {
        try parse(bytes, levels: PropertyListValue.maximumNesting)
    }

    /// Reads a property list whose value is a dictionary, as the content of a store.
    ///
    /// That dictionary does not count as a level of nesting.
    ///
    /// - Parameter bytes: The document in either format.
    /// - Returns: The entries of the dictionary.
    /// - Throws: ``PropertyListDataError`` at the first place that is no property list, and for a document with another value.
    /// - Complexity: O(*n*) in the number of bytes.
    public static func parseTable(_ bytes: [UInt8]) throws(PropertyListDataError) -> PropertyListTable {
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
    /// - Returns: The document, which reads back to an equal value, but for the fractions of a second that XML leaves out.
    /// - Throws: `ValueEncodingError` for a value that the format cannot hold, or that is nested deeper than
    ///   `PropertyListValue.maximumNesting`.
    /// - Complexity: O(*n* log *n*) in the number of values, because keys are sorted.
    public static func encode(
        _ value: PropertyListValue,
        as format: Format
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
    /// The nesting of the values is not checked, because every store refuses values nested too deep; they are written all
    /// the same, but cannot be read.
    ///
    /// - Parameters:
    ///   - table: The keys and values.
    ///   - format: The format.
    /// - Returns: The document.
    /// - Throws: `ValueEncodingError` for a value or a key that the format cannot hold; the path begins with the key.
    /// - Complexity: O(*n* log *n*) in the number of values, because keys are sorted.
    public static func encode(
        _ table: PropertyListTable,
        as format: Format
    ) throws(ValueEncodingError) -> [UInt8] {
        switch format {
        case .xml:
            for (key, value) in table { try XMLRestrictions.check(value, forKey: key) }
        case .binary:
            break
        }
        return try encodeUnchecked(table, as: format)
    }

    /// Writes the content of a store, with characters that XML forbids as Foundation writes them.
    ///
    /// - Parameter limit: How many bytes are enough: an XML document ends somewhere behind them, unfinished.
    /// - Throws: `ValueEncodingError` for a date that XML has no text for.
    static func encodeUnchecked(
        _ table: PropertyListTable,
        as format: Format,
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

    /// Whether a text begins as an XML property list does, and not as data of an old-style one.
    package static func isXML(_ text: some StringProtocol) -> Bool {
        let start = text.drop { $0.isWhitespace }
        guard start.first == "<", let second = start.dropFirst().first else { return false }
        var name = String(start.dropFirst().prefix { $0.isASCII && $0.isLetter })
        return second == "?" || second == "!" || name.withUTF8(XMLElement.init) != nil
    }

    /// Writes a value of any nesting.
    package static func encodeUnchecked(
        _ value: PropertyListValue,
        as format: Format
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

    /// Reads a value of up to that many nested collections.
    package static func parse(_ bytes: [UInt8], levels: Int) throws(PropertyListDataError) -> PropertyListValue {
        switch format(of: bytes) {
        case .xml: try readXML(bytes) { (reader) throws(XMLFault) in try reader.readDocument(levels: levels) }
        case .binary: try readBinary(bytes) { (reader) throws(BinaryFault) in try reader.readDocument(levels: levels) }
        }
    }

    /// The values of some keys of a table, with the lines in which the keys are; `nil` for a binary document.
    ///
    /// - Throws: ``PropertyListDataError`` as ``parseTable(_:)`` does.
    static func locate(
        _ keys: Set<UTF8Text>,
        in bytes: [UInt8]
    ) throws(PropertyListDataError) -> TextDictionary<LocatedValue>? {
        guard format(of: bytes) == .xml else { return nil }
        var starts: [(key: String, offset: Int)] = []
        let table = try readXML(bytes) { (reader) throws(XMLFault) in
            try reader.readTable { key, offset in
                if keys.contains(key) { starts.append((key, offset)) }
            }
        }
        return LocatedValue.values(of: table, at: starts, in: bytes)
    }

    /// Runs a reader over a text and turns its fault into an error that names line and column.
    private static func readXML<Result>(
        _ bytes: [UInt8],
        _ body: (inout XMLPropertyListReader) throws(XMLFault) -> Result
    ) throws(PropertyListDataError) -> Result {
        try bytes.withUnsafeBufferPointer { (bytes) throws(PropertyListDataError) in
            do throws(XMLFault) {
                var reader = try XMLPropertyListReader(bytes)
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

extension PropertyListData.Format: CustomStringConvertible {
    /// The format in words: `XML` or `binary`.
    public var description: String {
        switch self {
        case .xml: "XML"
        case .binary: "binary"
        }
    }
}

@_spi(StoreAuthors) public import KeyspanCore

/// Reads and writes property-list values as JSON text (RFC 8259).
///
/// Reading accepts any RFC 8259 text in UTF-8, with or without a byte-order mark, and keeps every distinction:
/// - A number without fraction and exponent is an integer, any other one a real. `-0` is the real -0.0, because integers have no
///   negative zero. Integers outside -2^63 to 2^64-1 and reals beyond the range of `Double`, such as `1e400` and `1e-400`, are
///   errors. A real reads as the nearest `Double`, which must keep the digits of the text: rounded to the last digit that is not
///   zero, it is the text again. So `0.1` is valid, and so are all numbers of up to 15 digits and every text that a program prints
///   for a `Double`; `12345678901234567890.0` is an error.
/// - `null` as the value of a member means that the member is absent. In an array and at the top level it is an error.
/// - Two members of one object with the same name are an error. Names are compared by their UTF-8, without escapes, so a composed
///   and a decomposed "é" are two names.
/// - Dates, data, infinities and NaN have tagged forms: objects of one member whose name begins with `$`.
///
/// | Value | Form |
/// | --- | --- |
/// | data | `{"$data": "aGk="}`: Base64 of RFC 4648 section 4, with padding and without spaces |
/// | date | `{"$date": "2026-11-21T10:50:00.25Z"}`: RFC 3339, with as many digits as the exact instant needs |
/// | date without such a text | `{"$date": 4.5e+11}`: seconds since 2001-01-01T00:00:00Z |
/// | infinite or NaN date | `{"$date": "nan"}`, `"inf"`, `"-inf"` |
/// | infinity or NaN | `{"$real": "nan"}`, `"inf"`, `"-inf"`; the payload of a NaN is not kept |
/// | dictionary that looks like a form | `{"$dictionary": {…}}`: the inner object is a plain dictionary |
///
/// Any other object is a plain dictionary: `{"$data": 5}`, `{"$date": "soon"}`, `{"$ref": "x"}`, and any object with two members. A
/// dictionary is escaped if and only if its plain form matches a row.
///
/// The written text is UTF-8 with two spaces of indentation, names sorted by their UTF-8, tagged forms on one line and a line feed
/// at the end. Equal values produce equal bytes, and written values read back equal; a NaN reads back as `Double.nan`, without its
/// payload.
///
/// All functions work in memory only, may be called from any thread, and need little stack at any nesting.
///
/// - SeeAlso: [RFC 8259](https://www.rfc-editor.org/rfc/rfc8259), *The JavaScript Object Notation (JSON) Data
///   Interchange Format*.
@_spi(StoreAuthors) public enum JSONText {
    /// Reads a text that may be any JSON value.
    ///
    /// - Parameter bytes: The text in UTF-8.
    /// - Returns: The value; nested no deeper than `PropertyListValue.maximumNesting`.
    /// - Throws: ``JSONTextError`` at the first place that is not JSON or has no form as a property list.
    /// - Complexity: O(*n*) in the number of bytes.
    @_spi(StoreAuthors) public static func parse(_ bytes: [UInt8]) throws(JSONTextError) -> PropertyListValue {
        try read(bytes) { (reader) throws(JSONFault) in try reader.readText() }
    }

    /// Reads a text whose top level is an object, as the content of a store.
    ///
    /// The top-level object is always a plain dictionary, and does not count as a level of nesting.
    ///
    /// - Parameter bytes: The text in UTF-8.
    /// - Returns: The members of the object.
    /// - Throws: ``JSONTextError`` at the first place that is not JSON or has no form as a property list, and for a text that is
    ///   empty or has another value than an object at the top level.
    /// - Complexity: O(*n*) in the number of bytes.
    @_spi(StoreAuthors) public static func parseTable(_ bytes: [UInt8]) throws(JSONTextError) -> PropertyListTable {
        try read(bytes) { (reader) throws(JSONFault) in try reader.readTable() }
    }

    /// Writes a value.
    ///
    /// - Parameter value: The value.
    /// - Returns: The text in UTF-8.
    /// - Throws: `ValueEncodingError` only for a value that is nested deeper than `PropertyListValue.maximumNesting`.
    /// - Complexity: O(*n* log *n*) in the number of values, because names are sorted.
    @_spi(StoreAuthors) public static func encode(_ value: PropertyListValue) throws(ValueEncodingError) -> [UInt8] {
        if value.isNestedDeeper() {
            let limit = PropertyListValue.maximumNesting
            throw ValueEncodingError(
                reason: "the value has more than \(limit) nested collections; store it in a flatter form"
            )
        }
        return encodeUnchecked(value)
    }

    /// Writes a value of any nesting, also one that ``parse(_:)`` would reject.
    package static func encodeUnchecked(_ value: PropertyListValue) -> [UInt8] {
        var writer = JSONWriter()
        writer.writeText(value)
        return writer.bytes
    }

    /// Writes a value of any nesting on one line, without a line feed.
    package static func encodeOnOneLine(_ value: PropertyListValue) -> [UInt8] {
        var writer = JSONWriter(JSONLayout.standard.onOneLine)
        writer.writeValue(value)
        return writer.bytes
    }

    /// Writes the beginning of a value's text on one line.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - limit: The number of bytes after which no further part of a collection is written.
    package static func beginningOnOneLine(of value: PropertyListValue, upTo limit: Int) -> [UInt8] {
        var writer = JSONWriter(JSONLayout.standard.onOneLine)
        writer.limit = limit
        writer.writeValue(value)
        return writer.bytes
    }

    /// Writes the content of a store, as an object that ``parseTable(_:)`` reads.
    ///
    /// The top-level object is never escaped. The nesting of the values is not checked, because every store rejects values nested too
    /// deep; such values produce text that cannot be read.
    ///
    /// - Parameter table: The keys and values.
    /// - Returns: The text in UTF-8.
    /// - Complexity: O(*n* log *n*) in the number of values, because names are sorted.
    @_spi(StoreAuthors) public static func encode(_ table: PropertyListTable) -> [UInt8] {
        var writer = JSONWriter()
        writer.writeText(table)
        return writer.bytes
    }

    /// Runs a reader over the bytes and turns its fault into an error with line and column.
    static func read<Result>(
        _ bytes: [UInt8],
        allowingComments allowsComments: Bool = false,
        _ body: (inout JSONReader) throws(JSONFault) -> Result
    ) throws(JSONTextError) -> Result {
        try bytes.withUnsafeBufferPointer { (bytes) throws(JSONTextError) in
            do throws(JSONFault) {
                switch TextBeginning.flaw(of: bytes) {
                case .otherEncoding?: throw JSONFault(.otherEncoding, at: 0)
                case .nulBytes?: throw JSONFault(.nulBytes, at: 0)
                case nil: break
                }
                var reader = JSONReader(TextCursor(bytes), allowingComments: allowsComments)
                return try body(&reader)
            } catch {
                throw JSONTextError(error, in: bytes)
            }
        }
    }
}

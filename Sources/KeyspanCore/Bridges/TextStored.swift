#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A type that is stored as it is, but as JSON text inside a dictionary whose keys are not strings.
///
/// That is the form that the Defaults library writes and reads: `[7: 1.5]` is stored as `["7": "1.5"]`, `[7: ["a"]]` as
/// `["7": ["\"a\""]]`. The form of a value that is its own is read there too.
protocol TextStored: Defaults.Serializable {
    /// The form inside such a dictionary.
    static func encodeText(_ value: Self) throws(ValueEncodingError) -> PropertyListValue

    /// The value of either form.
    static func decodeText(
        _ stored: PropertyListValue,
        in context: inout Defaults.DecodingContext
    ) throws(ValueDecodingError) -> Self

    /// The JSON Schema of both forms.
    static var textSchema: PropertyListDictionary { get }
}

extension TextStored where Self: Codable & PropertyListConvertible {
    static func encodeText(_ value: Self) throws(ValueEncodingError) -> PropertyListValue {
        .string(try JSONCoding.encode(value))
    }

    static func decodeText(
        _ stored: PropertyListValue,
        in context: inout Defaults.DecodingContext
    ) throws(ValueDecodingError) -> Self {
        guard case .string(let text) = stored else { return try Self(propertyListValue: stored) }
        // A string as a person would write it: without quotation marks it is no JSON text.
        if Self.self == String.self, !text.hasUTF8Prefix("\"") { return try Self(propertyListValue: stored) }
        return try JSONCoding.decode(Self.self, from: stored)
    }

    static var textSchema: PropertyListDictionary { SchemaType.text(or: SchemaType.schema(of: Self.self)) }
}

extension Bool: TextStored {}
extension Int: TextStored {}
extension Int8: TextStored {}
extension Int16: TextStored {}
extension Int32: TextStored {}
extension Int64: TextStored {}
extension UInt: TextStored {}
extension UInt8: TextStored {}
extension UInt16: TextStored {}
extension UInt32: TextStored {}
extension UInt64: TextStored {}
extension Float: TextStored {}
extension Double: TextStored {}
extension String: TextStored {}
extension Date: TextStored {}
extension Data: TextStored {}

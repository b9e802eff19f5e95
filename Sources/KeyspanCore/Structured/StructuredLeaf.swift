#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A type whose structured form is one value without containers, whatever its own `encode(to:)` does.
protocol StructuredLeaf: Codable {
    /// The form of the value.
    func structuredForm() throws(ValueEncodingError) -> PropertyListValue

    /// Makes a value from its form.
    init(structuredForm stored: PropertyListValue) throws(ValueDecodingError)
}

extension StructuredLeaf where Self: PropertyListConvertible {
    func structuredForm() -> PropertyListValue { propertyListValue }

    init(structuredForm stored: PropertyListValue) throws(ValueDecodingError) {
        try self.init(propertyListValue: stored)
    }
}

extension Bool: StructuredLeaf {}
extension Int: StructuredLeaf {}
extension Int8: StructuredLeaf {}
extension Int16: StructuredLeaf {}
extension Int32: StructuredLeaf {}
extension Int64: StructuredLeaf {}
extension UInt: StructuredLeaf {}
extension UInt8: StructuredLeaf {}
extension UInt16: StructuredLeaf {}
extension UInt32: StructuredLeaf {}
extension UInt64: StructuredLeaf {}
extension Float: StructuredLeaf {}
extension Double: StructuredLeaf {}
extension String: StructuredLeaf {}
extension Date: StructuredLeaf {}
extension Data: StructuredLeaf {}

// The same text as in JSON, not that of the bridge, which has quotation marks of its own and reads paths. A URL that is
// relative to a base is a dictionary, as in the form of its own `encode(to:)`.
extension URL: StructuredLeaf {
    func structuredForm() -> PropertyListValue {
        guard let baseURL else { return .string(absoluteString) }
        return ["base": .string(baseURL.absoluteString), "relative": .string(relativeString)]
    }

    init(structuredForm stored: PropertyListValue) throws(ValueDecodingError) {
        guard let url = try Self.url(of: stored) else { throw .unreadable(stored, reason: "it is no URL") }
        self = url
    }

    private static func url(of stored: PropertyListValue) throws(ValueDecodingError) -> URL? {
        guard case .dictionary(let parts) = stored else { return URL(string: try String(propertyListValue: stored)) }
        guard case .string(let base)? = parts["base"], case .string(let relative)? = parts["relative"] else {
            return nil
        }
        return URLForm.url(relative, relativeTo: base)
    }
}

extension Decimal: StructuredLeaf {
    func structuredForm() throws(ValueEncodingError) -> PropertyListValue {
        try Defaults.DecimalBridge().encode(self)
    }

    init(structuredForm stored: PropertyListValue) throws(ValueDecodingError) {
        var context = Defaults.DecodingContext(isStrict: true)
        self = try Defaults.DecimalBridge().decode(stored, in: &context)
    }
}

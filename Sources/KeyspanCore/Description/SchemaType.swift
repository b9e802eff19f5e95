#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// What JSON Schema says of the types that bridges store, in the form in which a JSON file has them.
enum SchemaType {
    /// The schema of a type; empty, which allows every value, for one that is not known here.
    static func schema(of type: Any.Type) -> PropertyListDictionary {
        (type as? any SchemaTyped.Type)?.schema ?? [:]
    }

    /// The schema of an object with one member, which is how the file has values that JSON has no form for.
    fileprivate static func tagged(_ tag: String, types: PropertyListValue) -> PropertyListDictionary {
        [
            "type": "object",
            "properties": [tag: ["type": types]],
            "required": [.string(tag)],
            "additionalProperties": false,
        ]
    }
}

/// A stored type with a schema.
private protocol SchemaTyped {
    static var schema: PropertyListDictionary { get }
}

extension SchemaTyped where Self: FixedWidthInteger {
    // The bounds of 64 bits are left out: many readers of JSON Schema have no such numbers.
    fileprivate static var schema: PropertyListDictionary {
        var schema: PropertyListDictionary = ["type": "integer"]
        if bitWidth < 64 || !isSigned { schema["minimum"] = .integer(PropertyListInteger(Int64(min))) }
        if bitWidth < 64 { schema["maximum"] = .integer(PropertyListInteger(Int64(max))) }
        return schema
    }
}

extension Int: SchemaTyped {}
extension Int8: SchemaTyped {}
extension Int16: SchemaTyped {}
extension Int32: SchemaTyped {}
extension Int64: SchemaTyped {}
extension UInt: SchemaTyped {}
extension UInt8: SchemaTyped {}
extension UInt16: SchemaTyped {}
extension UInt32: SchemaTyped {}
extension UInt64: SchemaTyped {}

extension Bool: SchemaTyped {
    fileprivate static var schema: PropertyListDictionary { ["type": "boolean"] }
}

extension Double: SchemaTyped {
    fileprivate static var schema: PropertyListDictionary { ["type": "number"] }
}

extension Float: SchemaTyped {
    fileprivate static var schema: PropertyListDictionary { ["type": "number"] }
}

extension String: SchemaTyped {
    fileprivate static var schema: PropertyListDictionary { ["type": "string"] }
}

extension Date: SchemaTyped {
    fileprivate static var schema: PropertyListDictionary {
        SchemaType.tagged("$date", types: ["string", "number"])
    }
}

extension Data: SchemaTyped {
    fileprivate static var schema: PropertyListDictionary { SchemaType.tagged("$data", types: "string") }
}

extension Array: SchemaTyped {
    fileprivate static var schema: PropertyListDictionary {
        ["type": "array", "items": .dictionary(SchemaType.schema(of: Element.self))]
    }
}

extension Dictionary: SchemaTyped {
    fileprivate static var schema: PropertyListDictionary {
        ["type": "object", "additionalProperties": .dictionary(SchemaType.schema(of: Value.self))]
    }
}

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// What JSON Schema says of stored values, in the form in which a JSON file has them.
enum SchemaType {
    // Bridges that store one another's types would go on for ever.
    private static let maximumLevels = 64

    /// The schema of what is stored for a type of values, or by a type of bridges.
    ///
    /// It is empty, which allows every value, for what is not known here.
    static func schema(of type: Any.Type) -> PropertyListDictionary {
        if let bridge = type as? any Defaults.Bridge.Type { return bridge.storedSchema(levels: maximumLevels) }
        if let value = type as? any Defaults.Serializable.Type { return value.storedSchema(levels: maximumLevels) }
        return [:]
    }

    /// Whether values of the type are stored as they are, so that what rules ask of them holds for what is stored.
    static func isStoredAsItIs(_ type: Any.Type) -> Bool {
        if let value = type as? any Defaults.Serializable.Type { return value.isNativelySupportedType }
        return type is any ValueStoringBridge.Type
    }

    /// The schema of an array of elements.
    static func array(of element: PropertyListDictionary) -> PropertyListDictionary {
        ["type": "array", "items": .dictionary(element)]
    }

    /// The schema of a dictionary, which the file escapes if it looks like a value that JSON has no form for.
    static func dictionary(of element: PropertyListDictionary) -> PropertyListDictionary {
        let plain: PropertyListDictionary = ["type": "object", "additionalProperties": .dictionary(element)]
        if element.isEmpty { return plain }
        let escaped: PropertyListValue = [
            "type": "object",
            "required": ["$dictionary"],
            // Not a property of that name, because an object with it alone would itself be taken for an escaped dictionary.
            "propertyNames": ["const": "$dictionary"],
            "additionalProperties": .dictionary(plain),
        ]
        return ["anyOf": [.dictionary(plain), escaped]]
    }

    /// The schema of a value that is stored as JSON text, or as it is.
    static func text(or plain: PropertyListDictionary) -> PropertyListDictionary {
        plain["type"] == "string" ? plain : ["anyOf": [["type": "string"], .dictionary(plain)]]
    }

    /// The schema of an object with one member, which is how the file has values that JSON has no form for.
    fileprivate static func tagged(_ tag: String, _ content: PropertyListValue) -> PropertyListDictionary {
        [
            "type": "object",
            "properties": [tag: content],
            "required": [.string(tag)],
            "additionalProperties": false,
        ]
    }
}

extension Defaults.Serializable {
    /// The schema of what is stored for values of the type.
    static func storedSchema(levels: Int) -> PropertyListDictionary {
        if let type = Self.self as? any SchemaTyped.Type { return type.schema }
        return Bridge.storedSchema(levels: levels)
    }
}

extension Defaults.Bridge {
    /// The schema of what the bridge stores.
    static func storedSchema(levels: Int) -> PropertyListDictionary {
        guard levels > 0 else { return [:] }
        if let bridge = Self.self as? any SchemaBridge.Type { return bridge.schema(levels: levels - 1) }
        return Serializable.storedSchema(levels: levels - 1)
    }
}

/// A stored type with a schema.
protocol SchemaTyped {
    static var schema: PropertyListDictionary { get }
}

extension SchemaTyped where Self: FixedWidthInteger {
    // The bounds of 64 bits are left out: many readers of JSON Schema have no such numbers.
    static var schema: PropertyListDictionary {
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
    static var schema: PropertyListDictionary { ["type": "boolean"] }
}

extension SchemaTyped where Self: BinaryFloatingPoint {
    /// A number, or one of the objects for what is none; what it says of objects does not concern numbers.
    static var schema: PropertyListDictionary {
        var schema = SchemaType.tagged("$real", ["enum": ["inf", "-inf", "nan"]])
        schema["type"] = ["number", "object"]
        return schema
    }
}

extension Double: SchemaTyped {}
extension Float: SchemaTyped {}

extension String: SchemaTyped {
    static var schema: PropertyListDictionary { ["type": "string"] }
}

extension Date: SchemaTyped {
    static var schema: PropertyListDictionary {
        SchemaType.tagged("$date", ["type": ["string", "number"]])
    }
}

extension Data: SchemaTyped {
    static var schema: PropertyListDictionary { SchemaType.tagged("$data", ["type": "string"]) }
}

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A type of the standard library or Foundation that a property list holds as one value of its own kind.
///
/// One conformance below is all that a new standard type needs. The protocol carries everything the package knows of it:
/// - its native form (``PropertyListConvertible``), which also makes it a ``Defaults/Serializable`` type;
/// - its JSON text inside dictionaries whose keys are not strings (``TextStored``);
/// - its form as a part of a structured `Codable` value (``StructuredLeaf``);
/// - its JSON Schema;
/// - the conversions that make it from values of other kinds, if it is ``Defaults/Coercible``.
///
/// Types that are stored in another form, such as `URL`, declare the same beside their bridge.
protocol StandardType: PropertyListConvertible, TextStored, StructuredLeaf {
    /// The JSON Schema of a stored value, in the form in which a JSON file has it.
    static var schema: PropertyListDictionary { get }
}

// MARK: Integers

extension Int: StandardInteger {}
extension Int8: StandardInteger {}
extension Int16: StandardInteger {}
extension Int32: StandardInteger {}
extension Int64: StandardInteger {}
extension UInt: StandardInteger {}
extension UInt8: StandardInteger {}
extension UInt16: StandardInteger {}
extension UInt32: StandardInteger {}
extension UInt64: StandardInteger {}

/// A standard type that is declared entirely by being a fixed-width integer.
protocol StandardInteger: StandardType, Defaults.Coercible, FixedWidthInteger {}

extension StandardInteger {
    // The bounds of 64 bits are omitted: many readers of JSON Schema cannot represent them.
    static var schema: PropertyListDictionary {
        var schema: PropertyListDictionary = ["type": "integer"]
        if bitWidth < 64 || !isSigned { schema["minimum"] = .integer(PropertyListInteger(Int64(min))) }
        if bitWidth < 64 { schema["maximum"] = .integer(PropertyListInteger(Int64(max))) }
        return schema
    }
}

extension PropertyListConvertible where Self: FixedWidthInteger & SignedInteger {
    /// This number as an ``PropertyListValue/integer(_:)``.
    @inlinable public var propertyListValue: PropertyListValue { .integer(PropertyListInteger(Int64(self))) }
}

extension PropertyListConvertible where Self: FixedWidthInteger & UnsignedInteger {
    /// This number as an ``PropertyListValue/integer(_:)``.
    @inlinable public var propertyListValue: PropertyListValue { .integer(PropertyListInteger(UInt64(self))) }
}

extension PropertyListConvertible where Self: FixedWidthInteger {
    /// Makes a number from a stored integer in the range of this type.
    ///
    /// - Throws: ``ValueDecodingError`` if the value is of another kind or outside the range.
    @inlinable
    public init(propertyListValue stored: PropertyListValue) throws(ValueDecodingError) {
        guard case .integer(let integer) = stored else { throw .typeMismatch(expected: .integer, found: stored) }
        guard let value = integer.converted(to: Self.self) else {
            throw .unreadable(stored, reason: "it is not between \(Self.min) and \(Self.max)")
        }
        self = value
    }
}

extension Defaults.Coercible where Self: FixedWidthInteger {
    public static func coerced(from stored: PropertyListValue) -> Self? {
        CoercionTable.integer(stored, as: Self.self)
    }

    public static var coercionRule: String {
        if bitWidth < 64 { return "an integer from \(min) to \(max) is needed" }
        return isSigned ? "an integer is needed, such as 42" : "an integer of at least 0 is needed"
    }
}

// MARK: Other numbers, and truth values

extension Bool: StandardType, Defaults.Coercible {
    @_spi(StoreAuthors) @inlinable public var propertyListValue: PropertyListValue { .boolean(self) }

    @inlinable
    @_spi(StoreAuthors) public init(propertyListValue stored: PropertyListValue) throws(ValueDecodingError) {
        guard case .boolean(let value) = stored else { throw .typeMismatch(expected: .boolean, found: stored) }
        self = value
    }

    static var schema: PropertyListDictionary { ["type": "boolean"] }

    @_spi(StoreAuthors) public static func coerced(from stored: PropertyListValue) -> Bool? {
        CoercionTable.bool(stored)
    }

    @_spi(StoreAuthors) public static var coercionRule: String {
        "write it as true, yes or 1, or as false, no or 0"
    }
}

extension StandardType where Self: BinaryFloatingPoint {
    /// A number, or an object for a number that is not finite; the constraints on objects do not apply to numbers.
    static var schema: PropertyListDictionary {
        var schema = StoredSchema.tagged("$real", ["enum": ["inf", "-inf", "nan"]])
        schema["type"] = ["number", "object"]
        return schema
    }
}

extension BinaryFloatingPoint {
    /// Makes the nearest number; `nil` if a finite number would be infinite, or 0 for another number.
    @usableFromInline init?(inRange real: Double) {
        self.init(real)
        if isInfinite != real.isInfinite || isZero != real.isZero { return nil }
    }
}

extension Double: StandardType, Defaults.Coercible {
    @_spi(StoreAuthors) @inlinable public var propertyListValue: PropertyListValue { .real(self) }

    /// Makes a number from a real, or from an integer that a `Double` holds exactly.
    @inlinable
    @_spi(StoreAuthors) public init(propertyListValue stored: PropertyListValue) throws(ValueDecodingError) {
        switch stored {
        case .real(let value):
            self = value
        case .integer(let integer):
            guard let value = integer.exactDouble else {
                throw .unreadable(stored, reason: "a floating-point number of 64 bits cannot hold this integer exactly")
            }
            self = value
        default:
            throw .typeMismatch(expected: .real, found: stored)
        }
    }

    @_spi(StoreAuthors) public static func coerced(from stored: PropertyListValue) -> Double? {
        CoercionTable.double(stored)
    }

    @_spi(StoreAuthors) public static var coercionRule: String {
        "a number is needed, such as 1.5"
    }
}

extension Float: StandardType, Defaults.Coercible {
    @_spi(StoreAuthors) @inlinable public var propertyListValue: PropertyListValue { .real(Double(self)) }

    /// Makes a number from a real, rounded to the nearest `Float`, or from an integer that a `Float` holds exactly.
    @inlinable
    @_spi(StoreAuthors) public init(propertyListValue stored: PropertyListValue) throws(ValueDecodingError) {
        switch stored {
        case .real(let real):
            guard let value = Float(inRange: real) else {
                let size = real.magnitude < 1 ? "close to zero" : "large"
                throw .unreadable(stored, reason: "it is too \(size) for a floating-point number of 32 bits")
            }
            self = value
        case .integer(let integer):
            guard let value: Float = integer.converted() else {
                throw .unreadable(stored, reason: "a floating-point number of 32 bits cannot hold this integer exactly")
            }
            self = value
        default:
            throw .typeMismatch(expected: .real, found: stored)
        }
    }

    @_spi(StoreAuthors) public static func coerced(from stored: PropertyListValue) -> Float? {
        CoercionTable.float(stored)
    }

    @_spi(StoreAuthors) public static var coercionRule: String {
        "a number is needed, such as 1.5"
    }
}

// MARK: Text, dates and data

extension String: StandardType, Defaults.Coercible {
    @_spi(StoreAuthors) @inlinable public var propertyListValue: PropertyListValue { .string(self) }

    @inlinable
    @_spi(StoreAuthors) public init(propertyListValue stored: PropertyListValue) throws(ValueDecodingError) {
        guard case .string(let value) = stored else { throw .typeMismatch(expected: .string, found: stored) }
        self = value
    }

    static var schema: PropertyListDictionary { ["type": "string"] }

    @_spi(StoreAuthors) public static func coerced(from stored: PropertyListValue) -> String? {
        CoercionTable.string(stored)
    }

    @_spi(StoreAuthors) public static var coercionRule: String { "a text, a number, true or false is needed" }
}

extension Date: StandardType {
    @_spi(StoreAuthors) @inlinable public var propertyListValue: PropertyListValue { .date(self) }

    /// Makes a date from a stored date, or from a text of RFC 3339 as people write it.
    @_spi(StoreAuthors) public init(propertyListValue stored: PropertyListValue) throws(ValueDecodingError) {
        switch stored {
        case .date(let value): self = value
        case .string(let text):
            guard let interval = DateText.interval(from: text) else {
                throw .unreadable(stored, reason: "it is not a date; write it as 2026-11-21T10:50:00Z")
            }
            self.init(timeIntervalSinceReferenceDate: interval)
        default: throw .typeMismatch(expected: .date, found: stored)
        }
    }

    static var schema: PropertyListDictionary {
        let day = "[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
        let time = "([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]+)?"
        let zone = "([Zz]|[+-]([01][0-9]|2[0-3]):[0-5][0-9])"
        let tagged = StoredSchema.tagged("$date", ["type": ["string", "number"]])
        let text: PropertyListValue = [
            "type": "string", "pattern": .string("^\(day)[Tt]\(time)\(zone)$"), "examples": ["2026-11-21T10:50:00Z"],
        ]
        return ["anyOf": [.dictionary(tagged), text]]
    }
}

extension Data: StandardType {
    @_spi(StoreAuthors) @inlinable public var propertyListValue: PropertyListValue { .data(self) }

    @inlinable
    @_spi(StoreAuthors) public init(propertyListValue stored: PropertyListValue) throws(ValueDecodingError) {
        guard case .data(let value) = stored else { throw .typeMismatch(expected: .data, found: stored) }
        self = value
    }

    static var schema: PropertyListDictionary { StoredSchema.tagged("$data", ["type": "string"]) }
}

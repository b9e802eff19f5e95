#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Bool: PropertyListConvertible {
    @inlinable public var propertyListValue: PropertyListValue { .boolean(self) }

    @inlinable
    public init(propertyListValue stored: PropertyListValue) throws(ValueDecodingError) {
        guard case .boolean(let value) = stored else { throw .typeMismatch(expected: .boolean, found: stored) }
        self = value
    }
}

extension Double: PropertyListConvertible {
    @inlinable public var propertyListValue: PropertyListValue { .real(self) }

    /// Makes a number from a real, or from an integer that a `Double` holds exactly.
    @inlinable
    public init(propertyListValue stored: PropertyListValue) throws(ValueDecodingError) {
        switch stored {
        case .real(let value):
            self = value
        case .integer(let integer):
            guard let value = integer.exactDouble else {
                throw .unreadable(stored, reason: "a Double cannot hold this integer exactly")
            }
            self = value
        default:
            throw .typeMismatch(expected: .real, found: stored)
        }
    }
}

extension Float: PropertyListConvertible {
    @inlinable public var propertyListValue: PropertyListValue { .real(Double(self)) }

    /// Makes a number from a real, rounded to the nearest `Float`, or from an integer.
    @inlinable
    public init(propertyListValue stored: PropertyListValue) throws(ValueDecodingError) {
        let real = try Double(propertyListValue: stored)
        let value = Float(real)
        guard value.isFinite || !real.isFinite else {
            throw .unreadable(stored, reason: "the number is outside the range of Float")
        }
        self = value
    }
}

extension String: PropertyListConvertible {
    @inlinable public var propertyListValue: PropertyListValue { .string(self) }

    @inlinable
    public init(propertyListValue stored: PropertyListValue) throws(ValueDecodingError) {
        guard case .string(let value) = stored else { throw .typeMismatch(expected: .string, found: stored) }
        self = value
    }
}

extension Date: PropertyListConvertible {
    @inlinable public var propertyListValue: PropertyListValue { .date(self) }

    @inlinable
    public init(propertyListValue stored: PropertyListValue) throws(ValueDecodingError) {
        guard case .date(let value) = stored else { throw .typeMismatch(expected: .date, found: stored) }
        self = value
    }
}

extension Data: PropertyListConvertible {
    @inlinable public var propertyListValue: PropertyListValue { .data(self) }

    @inlinable
    public init(propertyListValue stored: PropertyListValue) throws(ValueDecodingError) {
        guard case .data(let value) = stored else { throw .typeMismatch(expected: .data, found: stored) }
        self = value
    }
}

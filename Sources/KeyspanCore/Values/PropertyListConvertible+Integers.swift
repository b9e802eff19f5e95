// Every standard integer type conforms by these defaults; the conformances below add nothing of their own.
extension PropertyListConvertible where Self: FixedWidthInteger & SignedInteger {
    /// This number as an ``PropertyListValue/integer(_:)``.
    @inlinable public var propertyListValue: PropertyListValue { .integer(PropertyListInteger(Int64(self))) }
}

extension PropertyListConvertible where Self: FixedWidthInteger & UnsignedInteger {
    /// This number as an ``PropertyListValue/integer(_:)``.
    @inlinable public var propertyListValue: PropertyListValue { .integer(PropertyListInteger(UInt64(self))) }
}

extension PropertyListConvertible where Self: FixedWidthInteger {
    /// Makes a number from a stored integer that is in the range of this type.
    ///
    /// - Throws: ``ValueDecodingError`` if the value is no integer or outside the range.
    @inlinable
    public init(propertyListValue stored: PropertyListValue) throws(ValueDecodingError) {
        guard case .integer(let integer) = stored else { throw .typeMismatch(expected: .integer, found: stored) }
        guard let value = integer.converted(to: Self.self) else {
            throw .unreadable(stored, reason: "it is outside the range of \(Self.self)")
        }
        self = value
    }
}

extension Int: PropertyListConvertible {}
extension Int8: PropertyListConvertible {}
extension Int16: PropertyListConvertible {}
extension Int32: PropertyListConvertible {}
extension Int64: PropertyListConvertible {}
extension UInt: PropertyListConvertible {}
extension UInt8: PropertyListConvertible {}
extension UInt16: PropertyListConvertible {}
extension UInt32: PropertyListConvertible {}
extension UInt64: PropertyListConvertible {}

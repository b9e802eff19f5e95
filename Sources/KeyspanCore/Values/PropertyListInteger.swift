/// A whole number in the range of `Int64` and `UInt64` together: from -2^63 to 2^64-1.
///
/// Each number has one representation, so equal numbers are equal values, whatever type they came from.
public struct PropertyListInteger: Sendable, Hashable {
    /// The number in two's complement; for numbers of 2^63 and above the bits of the `UInt64`.
    @usableFromInline let bits: UInt64
    @usableFromInline let isNegative: Bool

    /// Makes an integer from a number of any width.
    ///
    /// - Parameter value: The number.
    /// - Returns: `nil` if the number is below -2^63 or above 2^64-1, which no type of 64 bits or fewer contains.
    @inlinable
    public init?(exactly value: some BinaryInteger) {
        if let value = Int64(exactly: value) {
            self.init(value)
        } else if let value = UInt64(exactly: value) {
            self.init(value)
        } else {
            return nil
        }
    }

    /// Makes an integer from a signed number.
    @inlinable
    package init(_ value: Int64) {
        bits = UInt64(bitPattern: value)
        isNegative = value < 0
    }

    /// Makes an integer from an unsigned number.
    @inlinable
    package init(_ value: UInt64) {
        bits = value
        isNegative = false
    }

    /// Makes an integer from an `Int`.
    @inlinable
    public init(_ value: Int) {
        self.init(Int64(value))
    }

    /// This number as an `Int64`, or `nil` if it is 2^63 or above.
    package var int64: Int64? {
        isNegative || bits <= UInt64(Int64.max) ? Int64(bitPattern: bits) : nil
    }

    /// This number as a `UInt64`, or `nil` if it is negative.
    package var uint64: UInt64? { isNegative ? nil : bits }

    /// This number in another integer type, or `nil` if that type cannot hold it.
    @inlinable
    public func converted<Integer: BinaryInteger>(to type: Integer.Type = Integer.self) -> Integer? {
        isNegative ? Integer(exactly: Int64(bitPattern: bits)) : Integer(exactly: bits)
    }

    /// This number in a floating-point type, or `nil` if that type cannot hold it exactly.
    @inlinable
    package func converted<Number: BinaryFloatingPoint>(to type: Number.Type = Number.self) -> Number? {
        isNegative ? Number(exactly: Int64(bitPattern: bits)) : Number(exactly: bits)
    }

    /// The nearest number of a floating-point type; every integer is in the range of `Float` and `Double`.
    @inlinable
    package func nearest<Number: BinaryFloatingPoint>() -> Number {
        isNegative ? Number(Int64(bitPattern: bits)) : Number(bits)
    }

    /// This number as a `Double`, or `nil` if a `Double` cannot hold it exactly.
    @inlinable
    package var exactDouble: Double? { converted() }
}

extension PropertyListInteger: Comparable {
    @_spi(StoreAuthors) public static func < (left: Self, right: Self) -> Bool {
        switch (left.isNegative, right.isNegative) {
        case (true, false): true
        case (false, true): false
        case (true, true), (false, false): left.bits < right.bits
        }
    }
}

extension PropertyListInteger: ExpressibleByIntegerLiteral {
    @_spi(StoreAuthors) public init(integerLiteral value: Int64) {
        self.init(value)
    }
}

extension PropertyListInteger: CustomStringConvertible {
    /// The number in decimal digits.
    public var description: String {
        isNegative ? String(Int64(bitPattern: bits)) : String(bits)
    }
}

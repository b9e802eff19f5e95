#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A value that every store can hold: the closed model behind all keys, bridges and stores.
///
/// There are exactly eight kinds. `true`, `1` and `1.0` are three different values and stay different in every store. Every
/// bridge produces these values, so the compiler rejects anything that property lists cannot hold.
///
/// Equality is identity of the stored form: a negative zero differs from a positive one, all NaNs are equal, and texts,
/// including the names of dictionaries, are equal if their UTF-8 is. (To `String`, "é" and "e" with U+0301 are equal.) Stores
/// use it to decide whether a write changes anything.
///
/// Collections may be nested to ``maximumNesting`` levels; stores reject deeper values with ``StoreError``.
///
/// - SeeAlso: Apple's *Property List Programming Guide* for the kinds.
public enum PropertyListValue: Sendable {
    /// A truth value.
    case boolean(Bool)
    /// A whole number in the range of `Int64` and `UInt64` together.
    case integer(PropertyListInteger)
    /// A floating-point number, including the infinities and NaN.
    case real(Double)
    /// Unicode text, compared by its UTF-8.
    case string(String)
    /// A point in time.
    case date(Date)
    /// A sequence of bytes.
    case data(Data)
    /// An ordered list of values.
    case array([PropertyListValue])
    /// Values by name; names differ if their UTF-8 does.
    case dictionary(PropertyListDictionary)

    /// The number of levels to which collections may be nested: 128.
    ///
    /// Settings are never nested this deeply, and a stack of 512 KB, the size for secondary threads on Apple systems, suffices
    /// to compare, hash and release a value by recursion.
    ///
    /// `1` has no nesting, `[1]` has one level, `[[1]]` has two.
    public static let maximumNesting = 128
}

extension PropertyListValue: Hashable {
    @_spi(StoreAuthors) public static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.boolean(let left), .boolean(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.real(let left), .real(let right)): left.storedIdentity == right.storedIdentity
        case (.string(let left), .string(let right)): left.hasSameUTF8(as: right)
        case (.date(let left), .date(let right)):
            left.timeIntervalSinceReferenceDate.storedIdentity == right.timeIntervalSinceReferenceDate.storedIdentity
        case (.data(let left), .data(let right)): left == right
        case (.array(let left), .array(let right)): left == right
        case (.dictionary(let left), .dictionary(let right)): left == right
        default: false
        }
    }

    @_spi(StoreAuthors) public func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        switch self {
        case .boolean(let value): hasher.combine(value)
        case .integer(let value): hasher.combine(value)
        case .real(let value): hasher.combine(value.storedIdentity)
        case .string(let value): hasher.combine(UTF8Text(value))
        case .date(let value): hasher.combine(value.timeIntervalSinceReferenceDate.storedIdentity)
        // Foundation hashes no more than the first 80 bytes, in which data of one kind are often the same.
        case .data(let value): hasher.combine(value.withUnsafeBytes(UTF8Hash.of))
        case .array(let value): hasher.combine(value)
        case .dictionary(let value): hasher.combine(value)
        }
    }
}

extension Double {
    /// The bit pattern, the same for all NaNs.
    fileprivate var storedIdentity: UInt64 { isNaN ? Double.nan.bitPattern : bitPattern }
}

// The initializers are SPI: programs write the literals.
extension PropertyListValue: ExpressibleByBooleanLiteral {
    @_spi(StoreAuthors) public init(booleanLiteral value: Bool) {
        self = .boolean(value)
    }
}

extension PropertyListValue: ExpressibleByIntegerLiteral {
    @_spi(StoreAuthors) public init(integerLiteral value: Int64) {
        self = .integer(PropertyListInteger(value))
    }
}

extension PropertyListValue: ExpressibleByFloatLiteral {
    @_spi(StoreAuthors) public init(floatLiteral value: Double) {
        self = .real(value)
    }
}

extension PropertyListValue: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    @_spi(StoreAuthors) public init(stringLiteral value: String) {
        self = .string(value)
    }
}

extension PropertyListValue: ExpressibleByArrayLiteral {
    @_spi(StoreAuthors) public init(arrayLiteral elements: PropertyListValue...) {
        self = .array(elements)
    }
}

extension PropertyListValue: ExpressibleByDictionaryLiteral {
    /// Makes a dictionary.
    ///
    /// For a repeated name, the last value wins.
    @_spi(StoreAuthors) public init(dictionaryLiteral elements: (String, PropertyListValue)...) {
        var entries = PropertyListDictionary(minimumCapacity: elements.count)
        for (name, value) in elements {
            entries[name] = value
        }
        self = .dictionary(entries)
    }
}

// Accessors return `nil` for a value of another kind; none of them converts.
extension PropertyListValue {
    /// The truth value, if this is a boolean.
    package var booleanValue: Bool? {
        if case .boolean(let value) = self { value } else { nil }
    }

    /// The whole number, if this is an integer.
    package var integerValue: PropertyListInteger? {
        if case .integer(let value) = self { value } else { nil }
    }

    /// The floating-point number, if this is a real.
    package var realValue: Double? {
        if case .real(let value) = self { value } else { nil }
    }

    /// The text, if this is a string.
    public var stringValue: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The point in time, if this is a date.
    public var dateValue: Date? {
        if case .date(let value) = self { value } else { nil }
    }

    /// The bytes, if this is data.
    public var dataValue: Data? {
        if case .data(let value) = self { value } else { nil }
    }

    /// The elements, if this is an array.
    public var arrayValue: [PropertyListValue]? {
        if case .array(let value) = self { value } else { nil }
    }

    /// The entries, if this is a dictionary.
    public var dictionaryValue: PropertyListDictionary? {
        if case .dictionary(let value) = self { value } else { nil }
    }

    /// The entry of that name, if this is a dictionary that has it.
    public subscript(name: String) -> PropertyListValue? { dictionaryValue?[name] }

    /// The element at that index, if this is an array that has it.
    public subscript(index: Int) -> PropertyListValue? {
        guard let array = arrayValue, array.indices.contains(index) else { return nil }
        return array[index]
    }
}

extension PropertyListValue {
    /// Whether collections are nested deeper than a limit.
    ///
    /// The recursion stops one level beyond the limit, so the check is safe for values of any depth.
    ///
    /// - Parameter limit: The number of levels allowed.
    /// - Complexity: O(*n*) in the number of values; O(1) for anything but a collection.
    @_spi(StoreAuthors) public func isNestedDeeper(than limit: Int = Self.maximumNesting) -> Bool {
        switch self {
        case .array(let elements):
            limit < 1 || elements.contains { $0.isNestedDeeper(than: limit - 1) }
        case .dictionary(let entries):
            limit < 1 || entries.values.contains { $0.isNestedDeeper(than: limit - 1) }
        case .boolean, .integer, .real, .string, .date, .data:
            false
        }
    }
}

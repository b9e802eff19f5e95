/// A text that is compared, hashed and ordered by its UTF-8 bytes.
///
/// `String` compares by Unicode's canonical equivalence, under which "é" equals "e" followed by U+0301. Comparing values,
/// keys or paths like that would lose one of the two spellings.
///
/// The type is also a property wrapper, so that a type with a text in it can leave `Hashable` to the compiler:
///
/// ```swift
/// struct Write: Hashable {
///     @UTF8Text var key: String
/// }
/// ```
@propertyWrapper
public struct UTF8Text: Sendable {
    /// The text.
    public var wrappedValue: String

    /// Wraps a text.
    @inlinable
    public init(wrappedValue: String) {
        self.wrappedValue = wrappedValue
    }

    /// Wraps a text.
    @inlinable
    package init(_ text: String) {
        wrappedValue = text
    }
}

extension UTF8Text: Hashable {
    @inlinable
    @_spi(StoreAuthors) public static func == (left: Self, right: Self) -> Bool {
        left.wrappedValue.hasSameUTF8(as: right.wrappedValue)
    }

    @inlinable
    @_spi(StoreAuthors) public func hash(into hasher: inout Hasher) {
        hasher.combine(UTF8Hash.of(wrappedValue))
    }

    // Sets, dictionaries and hash trees call this; without it, each lookup would set up a hasher for one number.
    @inlinable
    @_spi(StoreAuthors) public func _rawHashValue(seed: Int) -> Int {
        let (first, _) = UTF8Hash.secrets
        return Int(
            truncatingIfNeeded: UTF8Hash.mix(UTF8Hash.of(wrappedValue) ^ UInt64(truncatingIfNeeded: seed), first | 1)
        )
    }
}

extension UTF8Text: Comparable {
    /// Orders by UTF-8, which is the order of Unicode scalars.
    @inlinable
    @_spi(StoreAuthors) public static func < (left: Self, right: Self) -> Bool {
        left.wrappedValue.utf8Precedes(right.wrappedValue)
    }
}

extension UTF8Text: ExpressibleByStringLiteral {
    @inlinable
    @_spi(StoreAuthors) public init(stringLiteral value: String) {
        self.init(value)
    }
}

extension UTF8Text: CustomStringConvertible {
    /// The text.
    @_spi(StoreAuthors) public var description: String { wrappedValue }
}

extension Set where Element == UTF8Text {
    /// Makes a set of texts, without duplicates of the same bytes.
    ///
    /// It is not public, so that `Set(strings)` stays a `Set<String>` in users' code.
    @_disfavoredOverload
    package init(_ texts: some Sequence<String>) {
        self.init(texts.lazy.map { UTF8Text($0) })
    }

    /// Whether a text with the same UTF-8 is in the set.
    @inlinable
    package func contains(_ text: String) -> Bool {
        contains(UTF8Text(text))
    }

    /// Adds a text, and returns whether it was new.
    @inlinable
    @discardableResult
    package mutating func insert(_ text: String) -> Bool {
        insert(UTF8Text(text)).inserted
    }

    /// The texts, ordered by their UTF-8.
    package func sortedTexts() -> [String] {
        sorted().map(\.wrappedValue)
    }
}

/// Comparison of texts by their UTF-8 bytes; see ``UTF8Text``.
extension String {
    /// Whether the other text has the same UTF-8.
    ///
    /// Allocates nothing.
    @inlinable
    package func hasSameUTF8(as other: String) -> Bool {
        #if _pointerBitWidth(_64)
        // Strings with equal bits have equal text, whatever the bits mean: equal short strings, and copies of a long one.
        if unsafeBitCast(self, to: (UInt64, UInt64).self) == unsafeBitCast(other, to: (UInt64, UInt64).self) {
            return true
        }
        #endif
        let answer: Bool?? = utf8.withContiguousStorageIfAvailable { left in
            other.utf8.withContiguousStorageIfAvailable { right in
                UnsafeRawBufferPointer(left).hasSameBytes(as: UnsafeRawBufferPointer(right))
            }
        }
        // One of the texts is bridged from Objective-C, without contiguous bytes.
        return (answer ?? nil) ?? utf8.elementsEqual(other.utf8)
    }

    /// Whether this text precedes the other one in the order of UTF-8, which is the order of Unicode scalars.
    @inlinable
    package func utf8Precedes(_ other: String) -> Bool {
        let answer: Bool?? = utf8.withContiguousStorageIfAvailable { left in
            other.utf8.withContiguousStorageIfAvailable { right in
                UnsafeRawBufferPointer(left).precedes(UnsafeRawBufferPointer(right))
            }
        }
        return (answer ?? nil) ?? utf8.lexicographicallyPrecedes(other.utf8)
    }

    /// Whether the UTF-8 of this text begins with that of the other one.
    package func hasUTF8Prefix(_ prefix: String) -> Bool {
        utf8.starts(with: prefix.utf8)
    }

    /// Whether the UTF-8 of this text ends with that of the other one.
    package func hasUTF8Suffix(_ suffix: String) -> Bool {
        utf8.count >= suffix.utf8.count && utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
    }
}

extension UnsafeRawBufferPointer {
    /// Whether the other buffer has the same bytes.
    @inlinable
    package func hasSameBytes(as other: UnsafeRawBufferPointer) -> Bool {
        count == other.count && commonCount(with: other) == count
    }

    /// Whether the bytes precede those of the other buffer, compared one by one.
    @inlinable
    package func precedes(_ other: UnsafeRawBufferPointer) -> Bool {
        let common = commonCount(with: other)
        if common == other.count { return false }
        return common == count || self[common] < other[common]
    }

    /// The number of leading bytes that equal those of the other buffer.
    @inlinable
    package func commonCount(with other: UnsafeRawBufferPointer) -> Int {
        let limit = Swift.min(count, other.count)
        var index = 0
        while index + 8 <= limit,
            loadUnaligned(fromByteOffset: index, as: UInt64.self)
                == other.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        {
            index += 8
        }
        while index < limit, self[index] == other[index] {
            index += 1
        }
        return index
    }
}

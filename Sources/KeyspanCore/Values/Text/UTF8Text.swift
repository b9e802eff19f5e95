/// A text that equals another one if both have the same UTF-8.
///
/// `String` compares by Unicode's canonical equivalence: to it, "é" is equal to "e" and U+0301. Values, keys and paths that
/// were compared in this way lost one of the two spellings, so the model compares, hashes and orders its texts by their
/// bytes.
///
/// It is a property wrapper as well, so that a type with a text in it can leave `Hashable` to the compiler:
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

    /// Makes a text that is compared by its UTF-8.
    @inlinable
    public init(wrappedValue: String) {
        self.wrappedValue = wrappedValue
    }

    /// Makes a text that is compared by its UTF-8.
    @inlinable
    public init(_ text: String) {
        wrappedValue = text
    }
}

extension UTF8Text: Hashable {
    @inlinable
    public static func == (left: Self, right: Self) -> Bool {
        left.wrappedValue.hasSameUTF8(as: right.wrappedValue)
    }

    @inlinable
    public func hash(into hasher: inout Hasher) {
        let isDone: Void? = wrappedValue.utf8.withContiguousStorageIfAvailable { bytes in
            hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
        }
        if isDone == nil {
            // A text of Objective-C whose bytes are elsewhere.
            for byte in wrappedValue.utf8 { hasher.combine(byte) }
        }
        // The end, which no UTF-8 contains, so that two texts in a row are not taken for two others.
        hasher.combine(0xFF as UInt8)
    }
}

extension UTF8Text: Comparable {
    /// Orders by UTF-8, which is the order of the Unicode scalars.
    @inlinable
    public static func < (left: Self, right: Self) -> Bool {
        left.wrappedValue.utf8Precedes(right.wrappedValue)
    }
}

extension UTF8Text: ExpressibleByStringLiteral {
    @inlinable
    public init(stringLiteral value: String) {
        self.init(value)
    }
}

extension UTF8Text: CustomStringConvertible {
    /// The text.
    public var description: String { wrappedValue }
}

extension Set where Element == UTF8Text {
    /// Makes a set of texts, each of which is in it once if others have other bytes.
    @inlinable
    public init(_ texts: some Sequence<String>) {
        self.init(texts.lazy.map { UTF8Text($0) })
    }

    /// Whether a text with the same UTF-8 is in the set.
    @inlinable
    public func contains(_ text: String) -> Bool {
        contains(UTF8Text(text))
    }

    /// Adds a text, and answers whether it was new.
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

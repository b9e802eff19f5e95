/// One of the parts into which the keys of every store are divided, so that a change of a key leaves caches of most others valid.
///
/// The UTF-8 of a key determines its stripe. A store that numbers its states with a ``RevisionCounter`` numbers those of each
/// stripe; a store that has one number for all keys returns it for every stripe.
public struct KeyStripe: Sendable, Hashable {
    /// The position of the stripe's number, always less than ``end``.
    @usableFromInline let position: UInt8

    /// All keys.
    public static var all: KeyStripe { KeyStripe(position: 0) }

    /// The stripe of a key.
    @_spi(StoreAuthors) public init(of key: String) {
        let range = UInt64(Self.end - Self.first)
        // The upper half of a product with the upper half of the hash is evenly distributed below the range.
        position = UInt8(truncatingIfNeeded: Self.first + Int(((key.stripeHash >> 32) &* range) >> 32))
    }

    /// All stripes, that of all keys among them.
    static var allCases: [KeyStripe] {
        [.all] + (first..<end).map { KeyStripe(position: UInt8(truncatingIfNeeded: $0)) }
    }

    private init(position: UInt8) {
        self.position = position
    }

    /// The numbers before the stripes' own: the cache line of the number for all keys.
    static var first: Int { 8 }

    /// The count of all numbers.
    static var end: Int { 256 }

    @inlinable var index: Int { Int(position) }
}

extension String {
    /// A hash of the UTF-8, which is cheap because every write asks for it.
    ///
    /// It takes no seed: keys that someone chooses so that they fall into one stripe are only cached as if there were one.
    fileprivate var stripeHash: UInt64 {
        utf8.withContiguousStorageIfAvailable { Self.stripeHash(UnsafeRawBufferPointer($0)) }
            // A text bridged from Objective-C, without contiguous bytes.
            ?? ContiguousArray(utf8).withUnsafeBytes { Self.stripeHash($0) }
    }

    private static func stripeHash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var hash = UInt64(truncatingIfNeeded: bytes.count)
        var index = 0
        while index + 8 <= bytes.count {
            hash = mixed(hash ^ bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            index += 8
        }
        var rest: UInt64 = 0
        while index < bytes.count {
            rest = rest << 8 | UInt64(bytes[index])
            index += 1
        }
        return mixed(hash ^ rest)
    }

    /// Lets each bit of a word influence the upper half of the result.
    private static func mixed(_ word: UInt64) -> UInt64 {
        // An odd constant without a pattern: the golden ratio's fraction.
        let product = word.multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        return product.high ^ product.low
    }
}

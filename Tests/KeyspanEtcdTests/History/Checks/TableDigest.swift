/// A number of 128 bits that stands for a table, and that follows a change of one key in constant time.
///
/// It is the sum of the hashes of the entries, so that it depends neither on their order nor on the way to the table. All
/// processes compute the same digest of the same table. Two tables with one digest are too unlikely to matter.
package struct TableDigest: Hashable, Codable, Sendable, CustomStringConvertible {
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    /// Computes the digest of a table.
    package init(_ table: [String: String] = [:]) {
        for (key, value) in table { add(value, forKey: key) }
    }

    package var description: String { String(high ^ low, radix: 16) }

    /// Follows that a missing key was set.
    package mutating func add(_ value: String, forKey key: String) {
        let hash = EntryHash(key: key, value: value)
        low &+= hash.low
        high &+= hash.high
    }

    /// Follows that a key with this value was removed.
    package mutating func remove(_ value: String, forKey key: String) {
        let hash = EntryHash(key: key, value: value)
        low &-= hash.low
        high &-= hash.high
    }

    /// Follows that a key got another value, where `nil` stands for a missing key.
    package mutating func replace(_ old: String?, with new: String?, forKey key: String) {
        if let old { remove(old, forKey: key) }
        if let new { add(new, forKey: key) }
    }
}

/// The hash of a key with its value.
///
/// `Hasher` has another seed in each process, and its hashes are useless in a file.
private struct EntryHash {
    private(set) var low: UInt64 = 0x2545_F491_4F6C_DD1D
    private(set) var high: UInt64 = 0x9E6C_63D0_876A_68DE

    init(key: String, value: String) {
        add(key)
        add(value)
        // The sum of a digest keeps structure that unmixed hashes have in common.
        low = Self.mixed(low)
        high = Self.mixed(high)
    }

    private mutating func add(_ text: String) {
        var text = text
        text.withUTF8 { utf8 in
            let bytes = UnsafeRawBufferPointer(utf8)
            var offset = 0
            while offset + 8 <= bytes.count {
                add(bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                offset += 8
            }
            var rest: UInt64 = 0
            while offset < bytes.count {
                rest = rest << 8 | UInt64(bytes[offset])
                offset += 1
            }
            add(rest)
            add(UInt64(bytes.count))
        }
    }

    private mutating func add(_ word: UInt64) {
        low = (low ^ word) &* 0x9E37_79B9_7F4A_7C15
        low ^= low >> 32
        high = (high &+ word) &* 0xD6E8_FEB8_6659_FD93
        high ^= high >> 29
    }

    private static func mixed(_ hash: UInt64) -> UInt64 {
        var hash = (hash ^ (hash >> 30)) &* 0xBF58_476D_1CE4_E5B9
        hash = (hash ^ (hash >> 27)) &* 0x94D0_49BB_1331_11EB
        return hash ^ (hash >> 31)
    }
}

/// The cyclic redundancy check of iSCSI (RFC 3720 section 12.1), ext4 and Btrfs: the polynomial 0x1EDC6F41, reflected.
///
/// It detects every error of up to 32 bits in a row, and any other error with a probability of 1 - 2^-32.
package enum CRC32C {
    /// The checksum of bytes.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - checksum: The checksum of the bytes before them, if the result must cover those as well.
    package static func checksum(of bytes: ArraySlice<UInt8>, continuing checksum: UInt32 = 0) -> UInt32 {
        bytes.withUnsafeBytes { bytes in
            tables.withUnsafeBufferPointer { tables in
                var remainder = ~checksum
                var index = 0
                while bytes.count - index >= 8 {
                    let raw = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                    remainder = Self.remainder(of: UInt64(littleEndian: raw) ^ UInt64(remainder), tables)
                    index += 8
                }
                while index < bytes.count {
                    let entry = UInt8(truncatingIfNeeded: remainder) ^ bytes[index]
                    remainder = tables[Int(entry)] ^ remainder >> 8
                    index += 1
                }
                return ~remainder
            }
        }
    }

    /// The remainder of eight bytes at once, the first one in the lowest bits.
    ///
    /// This is "slicing by 8" (M. Kounavis and F. Berry, *A Systematic Approach to Building High Performance Software-based
    /// CRC Generators*, 2005): the lookups of the eight bytes do not depend on one another.
    private static func remainder(of word: UInt64, _ tables: UnsafeBufferPointer<UInt32>) -> UInt32 {
        func entry(_ byte: UInt64) -> UInt32 {
            tables[Int((7 - byte) << 8 | word >> (8 * byte) & 0xFF)]
        }
        return entry(0) ^ entry(1) ^ entry(2) ^ entry(3) ^ entry(4) ^ entry(5) ^ entry(6) ^ entry(7)
    }

    /// Eight tables in a row: the remainder of each byte, and of each byte with one to seven zero bytes behind it.
    private static let tables: [UInt32] = {
        let reflectedPolynomial: UInt32 = 0x82F6_3B78
        var tables = (0..<256).map { byte in
            (0..<8).reduce(UInt32(byte)) { remainder, _ in
                remainder >> 1 ^ (remainder & 1 == 0 ? 0 : reflectedPolynomial)
            }
        }
        for index in 256..<8 * 256 {
            let remainder = tables[index - 256]
            tables.append(tables[Int(remainder & 0xFF)] ^ remainder >> 8)
        }
        return tables
    }()
}

extension FixedWidthInteger {
    /// The bytes of the number, the lowest one first.
    var littleEndianBytes: [UInt8] {
        (0..<Self.bitWidth / 8).map { UInt8(truncatingIfNeeded: self >> ($0 * 8)) }
    }

    /// Removes a number from the front of bytes that have at least its length.
    init(littleEndianFrom bytes: inout ArraySlice<UInt8>) {
        let length = Self.bitWidth / 8
        self = bytes.prefix(length).reversed().reduce(0) { $0 << 8 | Self($1) }
        bytes.removeFirst(length)
    }
}

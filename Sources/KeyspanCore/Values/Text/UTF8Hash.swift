/// The hash of texts by their UTF-8: fast for short texts such as keys, and different in each process.
///
/// Swift's own hash (SipHash) spends more time on its beginning and end than on a short text. This one multiplies 64-bit words to
/// 128 bits and folds the halves, as wyhash does (Wang Yi, *wyhash and wyrand*, 2019). Random secrets of the process take the
/// place of that function's constants, so that nobody can prepare a file whose keys collide.
@usableFromInline package enum UTF8Hash {
    /// The hash of a text.
    @inlinable
    package static func of(_ text: String) -> UInt64 {
        let hash = text.utf8.withContiguousStorageIfAvailable { of(UnsafeRawBufferPointer($0)) }
        return hash ?? ofCopy(text)
    }

    /// The hash of a text bridged from Objective-C, without contiguous bytes.
    @usableFromInline
    static func ofCopy(_ text: String) -> UInt64 {
        Array(text.utf8).withUnsafeBytes { of($0) }
    }

    /// The hash of bytes.
    @inlinable
    package static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        let (first, second) = secrets
        let count = bytes.count
        var (low, high, state): (UInt64, UInt64, UInt64) = (0, 0, first)
        if count > 16 {
            var offset = 0
            while count - offset > 16 {
                state = mix(word(at: offset, of: bytes) ^ second, word(at: offset + 8, of: bytes) ^ state)
                offset += 16
            }
            // The last sixteen bytes, some of which the loop may have had already.
            (low, high) = (word(at: count - 16, of: bytes), word(at: count - 8, of: bytes))
        } else if count >= 8 {
            (low, high) = (word(at: 0, of: bytes), word(at: count - 8, of: bytes))
        } else if count >= 4 {
            (low, high) = (halfWord(at: 0, of: bytes), halfWord(at: count - 4, of: bytes))
        } else if count > 0 {
            low = UInt64(bytes[0]) << 16 | UInt64(bytes[count / 2]) << 8 | UInt64(bytes[count - 1])
        }
        return mix(second ^ UInt64(count), mix(low ^ second, high ^ state))
    }

    /// Both halves of the product, folded.
    @inlinable
    package static func mix(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = left.multipliedFullWidth(by: right)
        return product.high ^ product.low
    }

    @inlinable
    static func word(at offset: Int, of bytes: UnsafeRawBufferPointer) -> UInt64 {
        bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    }

    @inlinable
    static func halfWord(at offset: Int, of bytes: UnsafeRawBufferPointer) -> UInt64 {
        UInt64(bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }

    @usableFromInline static let secrets: (UInt64, UInt64) = {
        var random = SystemRandomNumberGenerator()
        return (random.next(), random.next())
    }()
}

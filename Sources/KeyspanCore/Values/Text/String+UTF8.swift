/// How the model compares texts: by their bytes in UTF-8; see ``UTF8Text``.
extension String {
    /// Whether the other text has the same UTF-8; nothing is allocated.
    @inlinable
    package func hasSameUTF8(as other: String) -> Bool {
        #if _pointerBitWidth(_64)
        // Strings of the same bits are the same text, whatever the bits mean: short equal texts, and copies of a long one.
        if unsafeBitCast(self, to: (UInt64, UInt64).self) == unsafeBitCast(other, to: (UInt64, UInt64).self) {
            return true
        }
        #endif
        let answer: Bool?? = utf8.withContiguousStorageIfAvailable { left in
            other.utf8.withContiguousStorageIfAvailable { right in
                left.count == right.count
                    && UnsafeRawBufferPointer(left).commonCount(with: UnsafeRawBufferPointer(right)) == left.count
            }
        }
        // Without a view of the bytes it is a text of Objective-C.
        return (answer ?? nil) ?? utf8.elementsEqual(other.utf8)
    }

    /// Whether this text is before the other one in the order of UTF-8, which is that of Unicode scalars.
    @inlinable
    package func utf8Precedes(_ other: String) -> Bool {
        let answer: Bool?? = utf8.withContiguousStorageIfAvailable { left in
            other.utf8.withContiguousStorageIfAvailable { right in
                let count = UnsafeRawBufferPointer(left).commonCount(with: UnsafeRawBufferPointer(right))
                if count == right.count { return false }
                return count == left.count || left[count] < right[count]
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
    /// How many bytes at the beginning are equal to those of the other buffer.
    @inlinable
    func commonCount(with other: UnsafeRawBufferPointer) -> Int {
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

extension FixedWidthInteger {
    /// The bytes of the number, the lowest one first.
    var littleEndianBytes: [UInt8] {
        (0..<Self.bitWidth / 8).map { UInt8(truncatingIfNeeded: self >> ($0 * 8)) }
    }

    /// Takes a number from the front of bytes that have at least its length.
    init(littleEndianFrom bytes: inout ArraySlice<UInt8>) {
        let length = Self.bitWidth / 8
        self = bytes.prefix(length).reversed().reduce(0) { $0 << 8 | Self($1) }
        bytes.removeFirst(length)
    }
}

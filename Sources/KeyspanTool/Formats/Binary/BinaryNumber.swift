/// Unsigned numbers in network byte order.
enum BinaryNumber {
    /// The number that bytes make; of more than eight bytes the last eight.
    static func value(of bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The numbers of one width that follow one another; those beyond `Int` become its maximum, which is no offset.
    static func list(in bytes: ArraySlice<UInt8>, width: Int) -> [Int] {
        stride(from: bytes.startIndex, to: bytes.endIndex, by: width).map {
            Int(clamping: value(of: bytes[$0..<($0 + width)]))
        }
    }
}

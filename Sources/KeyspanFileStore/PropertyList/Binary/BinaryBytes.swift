/// The bytes of a binary property list: the only type that reads the input's memory while a document is parsed.
///
/// Why no access is out of bounds: each one is of a range that was compared with the number of bytes by ``slice(from:count:)``,
/// which answers `nil` for any other. The memory belongs to the array that ``PropertyListData`` holds meanwhile.
struct BinaryBytes {
    private let bytes: UnsafeBufferPointer<UInt8>

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
    }

    var count: Int { bytes.count }

    /// So many bytes from an offset on, or `nil` if there are fewer.
    func slice(from offset: Int, count: Int) -> UnsafeBufferPointer<UInt8>? {
        guard offset >= 0, count >= 0, offset <= bytes.count, count <= bytes.count - offset else { return nil }
        return UnsafeBufferPointer(rebasing: bytes[offset..<(offset + count)])
    }

    /// The unsigned number in network byte order that is there; of more than eight bytes the last eight.
    func number(at offset: Int, width: Int) -> UInt64? {
        slice(from: offset, count: width)?.reduce(0) { $0 << 8 | UInt64($1) }
    }
}

/// The last 32 bytes of a binary property list: how many objects there are, and where.
struct BinaryPropertyListTrailer {
    /// How many bytes a reference to an object has.
    let referenceWidth: Int
    /// The object that is the document's value.
    let root: Int
    /// The offset of the table of offsets, where the objects end.
    let table: Int

    private let offsetWidth: Int
    private let objectCount: Int

    private static let headerSize = 8
    private static let size = 32

    /// Reads the trailer, and checks that the table of offsets lies between the header and it.
    init(of bytes: [UInt8]) throws(BinaryFormatError) {
        let start = bytes.count - Self.size
        guard start >= Self.headerSize else {
            throw BinaryFormatError(reason: "the document is cut off", offset: bytes.count)
        }
        let invalid = BinaryFormatError(reason: "the trailer does not describe the document", offset: start)
        let numbers = BinaryNumber.list(in: bytes[(start + 8)...], width: 8)
        offsetWidth = Int(bytes[start + 6])
        referenceWidth = Int(bytes[start + 7])
        (objectCount, root, table) = (numbers[0], numbers[1], numbers[2])
        guard (1...8).contains(offsetWidth), (1...8).contains(referenceWidth) else { throw invalid }
        guard (0..<objectCount).contains(root), (Self.headerSize...start).contains(table) else { throw invalid }
        guard objectCount <= (start - table) / offsetWidth else { throw invalid }
    }

    /// The offset of an object, which is between the header and the table.
    func offset(ofObject index: Int, in bytes: [UInt8]) throws(BinaryFormatError) -> Int {
        guard (0..<objectCount).contains(index) else {
            throw BinaryFormatError(reason: "a reference leads to no object", offset: table)
        }
        let entry = table + index * offsetWidth
        let offset = Int(clamping: BinaryNumber.value(of: bytes[entry..<(entry + offsetWidth)]))
        guard (Self.headerSize..<table).contains(offset) else {
            throw BinaryFormatError(reason: "an object lies outside the document", offset: entry)
        }
        return offset
    }
}

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
    init(of bytes: BinaryBytes) throws(BinaryFault) {
        let start = bytes.count - Self.size
        guard start >= Self.headerSize else { throw BinaryFault(.cutOff, at: bytes.count) }
        let invalid = BinaryFault(.trailer, at: start)
        func number(_ offset: Int, _ width: Int) throws(BinaryFault) -> Int {
            // A number beyond `Int` is no offset and no count.
            guard let number = bytes.number(at: start + offset, width: width).flatMap(Int.init(exactly:)) else {
                throw invalid
            }
            return number
        }
        offsetWidth = try number(6, 1)
        referenceWidth = try number(7, 1)
        objectCount = try number(8, 8)
        root = try number(16, 8)
        table = try number(24, 8)
        guard (1...8).contains(offsetWidth), (1...8).contains(referenceWidth) else { throw invalid }
        guard (0..<objectCount).contains(root), (Self.headerSize...start).contains(table) else { throw invalid }
        guard objectCount <= (start - table) / offsetWidth else { throw invalid }
    }

    /// The offset of an object, which is between the header and the table.
    func offset(ofObject index: UInt64, in bytes: BinaryBytes) throws(BinaryFault) -> Int {
        guard let index = Int(exactly: index), index < objectCount else {
            throw BinaryFault(.referenceToNothing, at: table)
        }
        let entry = table + index * offsetWidth
        guard let offset = bytes.number(at: entry, width: offsetWidth).flatMap(Int.init(exactly:)),
            (Self.headerSize..<table).contains(offset)
        else { throw BinaryFault(.offsetOutside, at: entry) }
        return offset
    }
}

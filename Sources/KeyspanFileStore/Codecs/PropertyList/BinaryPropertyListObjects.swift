package import KeyspanCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The objects of a binary property list (`bplist00`), found by number and read one at a time.
///
/// This type checks every offset and count, and follows no reference: its users decide what a shared object costs and how deep
/// objects may nest. The memory of the document must outlive the instance.
package struct BinaryPropertyListObjects {
    /// One object, with the ranges of its content.
    package enum Object {
        case boolean(Bool)
        case integer(Range<Int>)
        case real(Double)
        /// The seconds since 2001.
        case date(Double)
        case data(Range<Int>)
        case ascii(Range<Int>)
        case utf16(Range<Int>)
        /// The number of an object in a keyed archive.
        case uid(Range<Int>)
        case array(References)
        case dictionary(keys: References, values: References)
    }

    /// A row of references to other objects, all of them inside the document.
    package struct References {
        fileprivate let start: Int
        /// The number of references.
        package let count: Int
    }

    /// The first bytes of a binary property list of any version.
    static let beginning = Array("bplist".utf8)

    /// The object that is the document's value.
    package var root: Int { trailer.root }
    /// The number of objects.
    package var count: Int { trailer.objectCount }
    /// Whether the table of offsets fills the space between the objects and the trailer.
    package var hasExactTable: Bool { trailer.hasExactTable }
    /// The number of bytes of the document.
    var size: Int { bytes.count }
    /// The number of bytes that all objects have together, unless objects overlap.
    package var sizeOfObjects: Int { trailer.table - Trailer.headerSize }

    private let bytes: BinaryBytes
    private let trailer: Trailer

    /// Reads the version and the trailer of a document.
    package init(_ bytes: UnsafeBufferPointer<UInt8>) throws(BinaryFault) {
        guard bytes.dropFirst(Self.beginning.count).first == UInt8(ascii: "0") else {
            throw BinaryFault(.version, at: 0)
        }
        self.bytes = BinaryBytes(bytes)
        trailer = try Trailer(of: self.bytes)
    }

    /// The offset of an object, which is between the header and the table of offsets.
    package func offset(of object: UInt64) throws(BinaryFault) -> Int {
        try trailer.offset(of: object, in: bytes)
    }

    /// The object to which a reference leads; it need not exist.
    ///
    /// - Precondition: `index` is less than the number of references.
    package func target(of index: Int, in references: References) -> UInt64 {
        precondition(index >= 0 && index < references.count)
        return bytes.number(
            at: references.start + index * trailer.referenceWidth,
            width: trailer.referenceWidth
        )
    }

    /// Reads the object at a position, and moves the position behind the object.
    package func readObject(at position: inout Int) throws(BinaryFault) -> Object {
        let start = position
        let marker = try readMarker(at: &position)
        switch marker {
        case 0x08: return .boolean(false)
        case 0x09: return .boolean(true)
        case 0x10...0x14: return .integer(try readRange(1 << Int(marker & 0x0F), at: &position))
        case 0x22:
            let bits = UInt32(truncatingIfNeeded: number(in: try readRange(4, at: &position)))
            return .real(Double(Float(bitPattern: bits)))
        case 0x23: return .real(Double(bitPattern: number(in: try readRange(8, at: &position))))
        case 0x33: return .date(Double(bitPattern: number(in: try readRange(8, at: &position))))
        case 0x40...0x4F: return .data(try readRange(try readCount(marker, at: &position), at: &position))
        case 0x50...0x5F: return .ascii(try readRange(try readCount(marker, at: &position), at: &position))
        case 0x60...0x6F:
            let (size, overflow) = try readCount(marker, at: &position).multipliedReportingOverflow(by: 2)
            guard !overflow else { throw BinaryFault(.objectCutOff, at: start) }
            return .utf16(try readRange(size, at: &position))
        case 0x80...0x8F: return .uid(try readRange(Int(marker & 0x0F) + 1, at: &position))
        case 0xA0...0xAF:
            let count = try readCount(marker, at: &position)
            return .array(try readReferences(count, of: start, at: &position))
        case 0xD0...0xDF:
            let count = try readCount(marker, at: &position)
            let keys = try readReferences(count, of: start, at: &position)
            return .dictionary(keys: keys, values: try readReferences(count, of: start, at: &position))
        default: throw BinaryFault(.marker(marker), at: start)
        }
    }

    /// The unsigned number in network byte order in a range; of more than eight bytes, the last eight.
    package func number(in range: Range<Int>) -> UInt64 {
        bytes.number(at: range.lowerBound, width: range.count)
    }

    /// The units of UTF-16 text.
    package func utf16(in range: Range<Int>) -> [UInt16] {
        let bytes = bytes[range]
        return (0..<bytes.count / 2).map { UInt16(bytes[2 * $0]) << 8 | UInt16(bytes[2 * $0 + 1]) }
    }

    /// The text of ASCII bytes, or `nil` if other bytes are among them.
    package func ascii(in range: Range<Int>) -> String? {
        let bytes = bytes[range]
        return bytes.allSatisfy { $0 < 0x80 } ? String(decoding: bytes, as: UTF8.self) : nil
    }

    /// The property-list value of an object that starts at an offset; `nil` for a collection.
    package func scalar(_ object: Object, at start: Int) throws(BinaryFault) -> PropertyListValue? {
        switch object {
        case .boolean(let value): return .boolean(value)
        case .integer(let range): return .integer(try integer(in: range))
        case .real(let value): return .real(value)
        case .date(let seconds): return .date(Date(timeIntervalSinceReferenceDate: seconds))
        case .data(let range): return .data(Data(bytes[range]))
        case .ascii(let range):
            guard let text = ascii(in: range) else { throw BinaryFault(.notASCII, at: start) }
            return .string(text)
        case .utf16(let range):
            guard let text = String(validating: utf16(in: range), as: UTF16.self) else {
                throw BinaryFault(.notUTF16, at: start)
            }
            return .string(text)
        case .uid: throw BinaryFault(.uid, at: start)
        case .array, .dictionary: return nil
        }
    }

    /// Integers of up to four bytes are unsigned, longer ones signed.
    private func integer(in range: Range<Int>) throws(BinaryFault) -> PropertyListInteger {
        let low = number(in: range)
        switch range.count {
        case ...4: return PropertyListInteger(low)
        case ...8: return PropertyListInteger(Int64(bitPattern: low))
        default:
            let high = number(in: range.lowerBound..<range.upperBound - 8)
            if high == 0 { return PropertyListInteger(low) }
            let number = Int64(bitPattern: low)
            guard high == .max, number < 0 else { throw BinaryFault(.integerRange, at: range.lowerBound) }
            return PropertyListInteger(number)
        }
    }

    /// Reads the first byte of an object, which contains its kind.
    private func readMarker(at position: inout Int) throws(BinaryFault) -> UInt8 {
        UInt8(truncatingIfNeeded: number(in: try readRange(1, at: &position)))
    }

    /// Reads the count in the low half of a marker, or in the integer after the marker.
    private func readCount(_ marker: UInt8, at position: inout Int) throws(BinaryFault) -> Int {
        guard marker & 0x0F == 0x0F else { return Int(marker & 0x0F) }
        let start = position
        let integerMarker = try readMarker(at: &position)
        guard (0x10...0x13).contains(integerMarker),
            let count = Int(exactly: number(in: try readRange(1 << Int(integerMarker & 0x0F), at: &position)))
        else { throw BinaryFault(.count, at: start) }
        return count
    }

    private func readReferences(
        _ count: Int,
        of start: Int,
        at position: inout Int
    ) throws(BinaryFault) -> References {
        // The division keeps the product from overflowing.
        guard count <= (trailer.table - position) / trailer.referenceWidth else {
            throw BinaryFault(.objectCutOff, at: start)
        }
        defer { position += count * trailer.referenceWidth }
        return References(start: position, count: count)
    }

    /// Moves a position over bytes of the objects, which end where the table of offsets begins.
    private func readRange(_ count: Int, at position: inout Int) throws(BinaryFault) -> Range<Int> {
        guard count <= trailer.table - position else { throw BinaryFault(.objectCutOff, at: position) }
        defer { position += count }
        return position..<(position + count)
    }
}

extension BinaryPropertyListObjects {
    /// The last 32 bytes of a document: how many objects there are, and where.
    private struct Trailer {
        /// The number of bytes of a reference to an object.
        let referenceWidth: Int
        let objectCount: Int
        let root: Int
        /// The offset of the table of offsets, where the objects end.
        let table: Int
        let hasExactTable: Bool

        private let offsetWidth: Int

        static let headerSize = 8
        private static let size = 32

        /// Reads the trailer, and checks that the table of offsets lies between the header and the trailer.
        init(of bytes: BinaryBytes) throws(BinaryFault) {
            let start = bytes.count - Self.size
            guard start >= Self.headerSize else { throw BinaryFault(.cutOff, at: bytes.count) }
            let invalid = BinaryFault(.trailer, at: start)
            func number(_ offset: Int, _ width: Int) throws(BinaryFault) -> Int {
                // A number beyond `Int` cannot be an offset or a count.
                guard let number = Int(exactly: bytes.number(at: start + offset, width: width)) else { throw invalid }
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
            hasExactTable = objectCount * offsetWidth == start - table
        }

        func offset(of object: UInt64, in bytes: BinaryBytes) throws(BinaryFault) -> Int {
            guard let object = Int(exactly: object), object < objectCount else {
                throw BinaryFault(.referenceToNothing, at: table)
            }
            let entry = table + object * offsetWidth
            guard let offset = Int(exactly: bytes.number(at: entry, width: offsetWidth)),
                (Self.headerSize..<table).contains(offset)
            else { throw BinaryFault(.offsetOutside, at: entry) }
            return offset
        }
    }
}

/// The bytes of a binary property list: the only type that reads the input's memory while a document is parsed.
///
/// No access is out of bounds, because each one is of a range that a precondition compares with the number of bytes. The memory
/// belongs to the array that the caller of the reader holds meanwhile.
private struct BinaryBytes {
    private let bytes: UnsafeBufferPointer<UInt8>

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
    }

    var count: Int { bytes.count }

    subscript(range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
        precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count)
        return UnsafeBufferPointer(rebasing: bytes[range])
    }

    /// The unsigned number in network byte order at an offset; of more than eight bytes, the last eight.
    func number(at offset: Int, width: Int) -> UInt64 {
        self[offset..<(offset + width)].reduce(0) { $0 << 8 | UInt64($1) }
    }
}

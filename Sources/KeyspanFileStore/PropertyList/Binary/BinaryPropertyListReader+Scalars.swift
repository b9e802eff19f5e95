import KeyspanCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Objects that have no parts.
extension BinaryPropertyListReader {
    /// The number of bytes from which on a string or data is made once for all that share it.
    static let longCount = 64

    /// Reads the object at an offset, which is no collection.
    mutating func readScalar(at start: Int) throws(BinaryFault) -> PropertyListValue {
        var position = start
        let marker = try readMarker(at: &position)
        switch marker {
        case 0x08: return .boolean(false)
        case 0x09: return .boolean(true)
        case 0x10...0x14: return .integer(try readInteger(marker, at: &position))
        case 0x22:
            let bits = UInt32(truncatingIfNeeded: try readNumber(width: 4, at: &position))
            return .real(Double(Float(bitPattern: bits)))
        case 0x23: return .real(Double(bitPattern: try readNumber(width: 8, at: &position)))
        case 0x33:
            let seconds = Double(bitPattern: try readNumber(width: 8, at: &position))
            return .date(Date(timeIntervalSinceReferenceDate: seconds))
        case 0x40...0x6F: return try readText(marker, from: start, at: &position)
        case 0x80...0x8F: throw BinaryFault(.uid, at: start)
        default: throw BinaryFault(.marker(marker), at: start)
        }
    }

    /// Reads the first byte of an object, which tells its kind.
    func readMarker(at position: inout Int) throws(BinaryFault) -> UInt8 {
        UInt8(truncatingIfNeeded: try readNumber(width: 1, at: &position))
    }

    /// The count in the low half of a marker, or in the integer after it.
    func readCount(_ marker: UInt8, at position: inout Int) throws(BinaryFault) -> Int {
        guard marker & 0x0F == 0x0F else { return Int(marker & 0x0F) }
        let start = position
        let integerMarker = try readMarker(at: &position)
        guard (0x10...0x13).contains(integerMarker),
            let count: Int = try readInteger(integerMarker, at: &position).converted(), count >= 0
        else { throw BinaryFault(.count, at: start) }
        return count
    }

    private mutating func readText(
        _ marker: UInt8,
        from start: Int,
        at position: inout Int
    ) throws(BinaryFault) -> PropertyListValue {
        let count = try readCount(marker, at: &position)
        guard count >= Self.longCount else { return try makeText(marker, count, from: start, at: &position) }
        let value: PropertyListValue
        if let known = longScalars[start] {
            value = known
        } else {
            value = try makeText(marker, count, from: start, at: &position)
            longScalars[start] = value
        }
        // What was made lies within the document, so the product does not overflow.
        try charge(marker < 0x60 ? count : 2 * count, at: start)
        return value
    }

    private func makeText(
        _ marker: UInt8,
        _ count: Int,
        from start: Int,
        at position: inout Int
    ) throws(BinaryFault) -> PropertyListValue {
        switch marker {
        case 0x40...0x4F:
            return .data(Data(try readBytes(count, at: &position)))
        case 0x50...0x5F:
            let ascii = try readBytes(count, at: &position)
            guard ascii.allSatisfy({ $0 < 0x80 }) else { throw BinaryFault(.notASCII, at: start) }
            return .string(String(decoding: ascii, as: UTF8.self))
        default:
            let (size, overflow) = count.multipliedReportingOverflow(by: 2)
            guard !overflow else { throw BinaryFault(.objectCutOff, at: start) }
            let bytes = try readBytes(size, at: &position)
            let units = (0..<count).map { UInt16(bytes[2 * $0]) << 8 | UInt16(bytes[2 * $0 + 1]) }
            guard let text = String(validating: units, as: UTF16.self) else { throw BinaryFault(.notUTF16, at: start) }
            return .string(text)
        }
    }

    private func readInteger(_ marker: UInt8, at position: inout Int) throws(BinaryFault) -> PropertyListInteger {
        let start = position
        switch marker {
        case 0x10, 0x11, 0x12: return PropertyListInteger(try readNumber(width: 1 << (marker & 0x0F), at: &position))
        case 0x13: return PropertyListInteger(Int64(bitPattern: try readNumber(width: 8, at: &position)))
        default:
            let high = try readNumber(width: 8, at: &position)
            let low = try readNumber(width: 8, at: &position)
            if high == 0 { return PropertyListInteger(low) }
            let number = Int64(bitPattern: low)
            guard high == .max, number < 0 else { throw BinaryFault(.integerRange, at: start) }
            return PropertyListInteger(number)
        }
    }

    private func readNumber(width: Int, at position: inout Int) throws(BinaryFault) -> UInt64 {
        try readBytes(width, at: &position).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The next bytes of the objects, which end where the table of offsets begins.
    private func readBytes(_ count: Int, at position: inout Int) throws(BinaryFault) -> UnsafeBufferPointer<UInt8> {
        guard count <= trailer.table - position, let slice = bytes.slice(from: position, count: count) else {
            throw BinaryFault(.objectCutOff, at: position)
        }
        position += count
        return slice
    }
}

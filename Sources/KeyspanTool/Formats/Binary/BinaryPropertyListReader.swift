import Keyspan

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Reads binary property lists (`bplist00`), keeping integers and reals apart.
///
/// Every offset is checked. An object may be shared by many collections, which would let a small file stand for an
/// endless value; more than ``maximumValues`` are refused.
struct BinaryPropertyListReader {
    /// How many values a document may stand for.
    static let maximumValues = 4_000_000

    private let bytes: [UInt8]
    private let trailer: BinaryPropertyListTrailer
    private var valuesLeft = maximumValues

    /// Whether bytes begin as a binary property list does.
    static func recognizes(_ bytes: [UInt8]) -> Bool {
        bytes.starts(with: "bplist0".utf8)
    }

    /// Reads the value of a document.
    static func parse(_ bytes: [UInt8]) throws(BinaryFormatError) -> PropertyListValue {
        var reader = BinaryPropertyListReader(bytes: bytes, trailer: try BinaryPropertyListTrailer(of: bytes))
        return try reader.readObject(reader.trailer.root, levels: Document.maximumNesting)
    }

    private init(bytes: [UInt8], trailer: BinaryPropertyListTrailer) {
        self.bytes = bytes
        self.trailer = trailer
    }

    private mutating func readObject(_ index: Int, levels: Int) throws(BinaryFormatError) -> PropertyListValue {
        var position = try trailer.offset(ofObject: index, in: bytes)
        let start = position
        valuesLeft -= 1
        guard valuesLeft >= 0 else {
            throw error("the document stands for more than \(Self.maximumValues) values", at: start)
        }
        let marker = bytes[position]
        position += 1
        switch marker {
        case 0x08: return .boolean(false)
        case 0x09: return .boolean(true)
        case 0x10...0x14: return .integer(try readInteger(marker, at: &position))
        case 0x22: return .real(Double(Float(bitPattern: UInt32(try readNumber(width: 4, at: &position)))))
        case 0x23: return .real(Double(bitPattern: try readNumber(width: 8, at: &position)))
        case 0x33:
            let seconds = Double(bitPattern: try readNumber(width: 8, at: &position))
            return .date(Date(timeIntervalSinceReferenceDate: seconds))
        case 0x40...0x4F:
            return .data(Data(try readBytes(try readCount(marker, at: &position), at: &position)))
        case 0x50...0x6F:
            return .string(try readString(marker, at: &position))
        case 0xA0...0xAF:
            guard levels > 0 else { throw nestingError(at: start) }
            let count = try readCount(marker, at: &position)
            return .array(try readObjects(try readReferences(count, at: &position), levels: levels - 1))
        case 0xD0...0xDF:
            guard levels > 0 else { throw nestingError(at: start) }
            return .dictionary(try readDictionary(marker, at: &position, levels: levels - 1))
        case 0x80...0x8F:
            throw error("the UID of a keyed archive is no value of a property list", at: start)
        default:
            throw error("no value of a property list begins with 0x\(String(marker, radix: 16))", at: start)
        }
    }

    private mutating func readDictionary(
        _ marker: UInt8,
        at position: inout Int,
        levels: Int
    ) throws(BinaryFormatError) -> [String: PropertyListValue] {
        let start = position
        let count = try readCount(marker, at: &position)
        let keys = try readObjects(try readReferences(count, at: &position), levels: 0)
        let values = try readObjects(try readReferences(count, at: &position), levels: levels)
        var entries: [String: PropertyListValue] = [:]
        for (key, value) in zip(keys, values) {
            guard let name = key.stringValue else { throw error("a key is no string", at: start) }
            guard entries.updateValue(value, forKey: name) == nil else {
                throw error("the key \(name.debugDescription) is there twice", at: start)
            }
        }
        return entries
    }

    private mutating func readObjects(
        _ references: [Int],
        levels: Int
    ) throws(BinaryFormatError) -> [PropertyListValue] {
        var objects: [PropertyListValue] = []
        for reference in references {
            objects.append(try readObject(reference, levels: levels))
        }
        return objects
    }

    private func readReferences(_ count: Int, at position: inout Int) throws(BinaryFormatError) -> [Int] {
        let width = trailer.referenceWidth
        let (size, overflow) = count.multipliedReportingOverflow(by: width)
        guard !overflow else { throw error("a count is beyond the end", at: position) }
        return BinaryNumber.list(in: try readBytes(size, at: &position), width: width)
    }

    private func readString(_ marker: UInt8, at position: inout Int) throws(BinaryFormatError) -> String {
        let start = position
        let count = try readCount(marker, at: &position)
        if marker < 0x60 {
            let ascii = try readBytes(count, at: &position)
            guard ascii.allSatisfy({ $0 < 0x80 }) else { throw error("an ASCII string has other bytes", at: start) }
            return String(decoding: ascii, as: UTF8.self)
        }
        let (size, overflow) = count.multipliedReportingOverflow(by: 2)
        guard !overflow else { throw error("a count is beyond the end", at: start) }
        let units = BinaryNumber.list(in: try readBytes(size, at: &position), width: 2).map(
            UInt16.init(truncatingIfNeeded:)
        )
        guard let text = String(validating: units, as: UTF16.self) else {
            throw error("a string is not UTF-16", at: start)
        }
        return text
    }

    /// The count in the low half of a marker, or in the integer after it.
    private func readCount(_ marker: UInt8, at position: inout Int) throws(BinaryFormatError) -> Int {
        let start = position
        guard marker & 0x0F == 0x0F else { return Int(marker & 0x0F) }
        let integerMarker = try readBytes(1, at: &position)[position - 1]
        guard (0x10...0x13).contains(integerMarker),
            let count: Int = try readInteger(integerMarker, at: &position).converted(), count >= 0
        else { throw error("a count is no number", at: start) }
        return count
    }

    private func readInteger(
        _ marker: UInt8,
        at position: inout Int
    ) throws(BinaryFormatError) -> PropertyListInteger {
        let start = position
        switch marker {
        case 0x10, 0x11, 0x12: return PropertyListInteger(try readNumber(width: 1 << (marker & 0x0F), at: &position))
        case 0x13: return PropertyListInteger(Int64(bitPattern: try readNumber(width: 8, at: &position)))
        default:
            let high = try readNumber(width: 8, at: &position)
            let low = try readNumber(width: 8, at: &position)
            if high == 0 { return PropertyListInteger(low) }
            let number = Int64(bitPattern: low)
            guard high == .max, number < 0 else {
                throw error("an integer is beyond the range of 64 bits", at: start)
            }
            return PropertyListInteger(number)
        }
    }

    private func readNumber(width: Int, at position: inout Int) throws(BinaryFormatError) -> UInt64 {
        BinaryNumber.value(of: try readBytes(width, at: &position))
    }

    /// The next bytes of the objects, which end where the table of offsets begins.
    private func readBytes(_ count: Int, at position: inout Int) throws(BinaryFormatError) -> ArraySlice<UInt8> {
        guard count <= trailer.table - position else { throw error("an object is cut off", at: position) }
        defer { position += count }
        return bytes[position..<(position + count)]
    }

    private func nestingError(at offset: Int) -> BinaryFormatError {
        error("there are more than \(PropertyListValue.maximumNesting) nested collections", at: offset)
    }

    private func error(_ reason: String, at offset: Int) -> BinaryFormatError {
        BinaryFormatError(reason: reason, offset: offset)
    }
}

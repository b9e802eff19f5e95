package import KeyspanCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Writes binary property lists (`bplist00`), which hold every value exactly.
///
/// The layout is that of `CFBinaryPList.c` in Apple's CoreFoundation: a header, the objects, a table of their offsets and a trailer.
/// Equal scalars are written once. Long ones are repeated as often as ``BinaryPropertyListReader`` requires, which rejects a document
/// that stands for too much.
///
/// Foundation's `PropertyListEncoder` would write `-0.0` as `0.0` if both occur.
package struct BinaryPropertyListWriter {
    /// An object, which refers to others by their indices.
    package enum Object {
        case scalar(PropertyListValue)
        /// The number of an object in a keyed archive.
        case uid(Int)
        case array([Int])
        case dictionary(keys: [Int], values: [Int])
    }

    private var objects: [Object] = []
    private var scalars: [PropertyListValue: Int] = [:]
    /// The numbers of uses of long scalars, by their indices.
    private var uses: [Int: Int] = [:]
    /// The collections whose parts have not been added yet, with their indices.
    private var unfinished: [(index: Int, value: PropertyListValue)] = []
    private var bytes = Array("bplist00".utf8)

    /// The bytes of a document of objects; the first one is the value.
    package static func bytes(of objects: [Object]) -> [UInt8] {
        var writer = BinaryPropertyListWriter()
        writer.objects = objects
        return writer.document()
    }

    /// The bytes of a document of one value.
    static func bytes(of value: PropertyListValue) -> [UInt8] {
        var writer = BinaryPropertyListWriter()
        _ = writer.add(value)
        return writer.document()
    }

    /// The bytes of a document of a table.
    static func bytes(of table: PropertyListTable) -> [UInt8] {
        var writer = BinaryPropertyListWriter()
        writer.objects.reserveCapacity(2 * table.count + 1)
        writer.scalars.reserveCapacity(2 * table.count)
        writer.objects.append(.array([]))
        writer.fill(0, with: table)
        return writer.document()
    }

    /// Adds a value, whose parts are added later, and returns its index.
    private mutating func add(_ value: PropertyListValue) -> Int {
        switch value {
        case .array, .dictionary:
            objects.append(.array([]))
            unfinished.append((objects.count - 1, value))
            return objects.count - 1
        default:
            if let index = scalars[value], mayShare(value, at: index) { return index }
            objects.append(.scalar(value))
            scalars[value] = objects.count - 1
            return objects.count - 1
        }
    }

    /// Counts a use of a scalar, and returns whether it may be used once more.
    private mutating func mayShare(_ value: PropertyListValue, at index: Int) -> Bool {
        guard value.contentSize >= BinaryPropertyListReader.longCount else { return true }
        let count = uses[index, default: 1] + 1
        uses[index] = count
        return count <= BinaryPropertyListReader.contentPerByte
    }

    private mutating func fill(_ index: Int, with entries: some Sequence<(key: String, value: PropertyListValue)>) {
        let sorted = entries.sorted { $0.key.utf8Precedes($1.key) }
        let keys = sorted.map { add(.string($0.key)) }
        objects[index] = .dictionary(keys: keys, values: sorted.map { add($0.value) })
    }

    /// Adds the parts of unfinished collections, and writes all objects; the first one is the value.
    private mutating func document() -> [UInt8] {
        while let (index, value) = unfinished.popLast() {
            switch value {
            case .array(let elements): objects[index] = .array(elements.map { add($0) })
            case .dictionary(let entries): fill(index, with: entries)
            default: break  // Scalars are never unfinished.
            }
        }
        let referenceWidth = Self.width(of: objects.count)
        bytes.reserveCapacity(objects.count * 24)
        var offsets: [Int] = []
        offsets.reserveCapacity(objects.count)
        for object in objects {
            offsets.append(bytes.count)
            write(object, referenceWidth: referenceWidth)
        }
        let table = bytes.count
        let offsetWidth = Self.width(of: table)
        for offset in offsets {
            append(UInt64(offset), width: offsetWidth)
        }
        bytes += [0, 0, 0, 0, 0, 0, UInt8(offsetWidth), UInt8(referenceWidth)]
        for number in [objects.count, 0, table] {
            append(UInt64(number), width: 8)
        }
        return bytes
    }

    private mutating func write(_ object: Object, referenceWidth: Int) {
        switch object {
        case .scalar(let value):
            write(value)
        case .uid(let number):
            let width = Self.width(of: number)
            bytes.append(0x80 | UInt8(width - 1))
            append(UInt64(number), width: width)
        case .array(let elements):
            appendMarker(0xA0, count: elements.count)
            append(elements, width: referenceWidth)
        case .dictionary(let keys, let values):
            appendMarker(0xD0, count: keys.count)
            append(keys, width: referenceWidth)
            append(values, width: referenceWidth)
        }
    }

    private mutating func append(_ references: [Int], width: Int) {
        for reference in references {
            append(UInt64(reference), width: width)
        }
    }

    private mutating func write(_ value: PropertyListValue) {
        switch value {
        case .boolean(let value): bytes.append(value ? 0x09 : 0x08)
        case .integer(let value): write(value)
        case .real(let value): append(marker: 0x23, value.bitPattern)
        case .date(let value): append(marker: 0x33, value.timeIntervalSinceReferenceDate.bitPattern)
        case .data(let value):
            appendMarker(0x40, count: value.count)
            bytes += value
        case .string(let value): write(value)
        case .array, .dictionary:
            break  // `add` never makes scalars of collections.
        }
    }

    /// Writes ASCII text with one byte for each character, and any other text as UTF-16.
    private mutating func write(_ text: String) {
        var text = text
        let isASCII = text.withUTF8 { utf8 in
            guard utf8.allSatisfy({ $0 < 0x80 }) else { return false }
            appendMarker(0x50, count: utf8.count)
            bytes.append(contentsOf: utf8)
            return true
        }
        guard !isASCII else { return }
        appendMarker(0x60, count: text.utf16.count)
        for unit in text.utf16 {
            append(UInt64(unit), width: 2)
        }
    }

    /// Writes an integer: numbers of up to 4 bytes are unsigned, those of 8 signed, and larger ones have 16 bytes.
    private mutating func write(_ integer: PropertyListInteger) {
        if let number = integer.int64 {
            let width = number < 0 ? 8 : Self.width(of: Int(number))
            bytes.append(0x10 | UInt8(width.trailingZeroBitCount))
            append(UInt64(bitPattern: number), width: width)
        } else if let number = integer.uint64 {
            bytes.append(0x14)
            append(0, width: 8)
            append(number, width: 8)
        }
    }

    private mutating func append(marker: UInt8, _ bits: UInt64) {
        bytes.append(marker)
        append(bits, width: 8)
    }

    private mutating func appendMarker(_ marker: UInt8, count: Int) {
        bytes.append(marker | UInt8(min(count, 15)))
        if count >= 15 { write(PropertyListInteger(count)) }
    }

    private mutating func append(_ number: UInt64, width: Int) {
        for shift in (0..<width).reversed() {
            bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(8 * shift)))
        }
    }

    /// The number of bytes that a number needs: 1, 2, 4 or 8.
    private static func width(of number: Int) -> Int {
        switch number {
        case 0..<0x100: 1
        case 0..<0x1_0000: 2
        case 0..<0x1_0000_0000: 4
        default: 8
        }
    }
}

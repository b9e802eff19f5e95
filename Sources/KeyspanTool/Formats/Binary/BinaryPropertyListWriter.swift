import Keyspan

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Writes binary property lists (`bplist00`), which hold every value exactly.
///
/// The layout is that of `CFBinaryPList.c` in Apple's CoreFoundation: a header, the objects, a table of their offsets
/// and a trailer. Equal scalars are written once.
///
/// Foundation's `PropertyListEncoder` is not used because it writes `-0.0` as `0.0` when both are there.
struct BinaryPropertyListWriter {
    private enum Object {
        case scalar(PropertyListValue)
        case array([Int])
        case dictionary(keys: [Int], values: [Int])
    }

    private var objects: [Object] = []
    private var scalars: [PropertyListValue: Int] = [:]
    private var bytes = Array("bplist00".utf8)

    /// The bytes of a document of one value.
    static func bytes(of value: PropertyListValue) -> [UInt8] {
        var writer = BinaryPropertyListWriter()
        let root = writer.add(value)
        writer.writeDocument(root: root)
        return writer.bytes
    }

    private mutating func add(_ value: PropertyListValue) -> Int {
        switch value {
        case .array(let elements):
            let index = reserve()
            objects[index] = .array(elements.map { add($0) })
            return index
        case .dictionary(let entries):
            let index = reserve()
            let sorted = entries.sorted { $0.key < $1.key }
            let keys = sorted.map { add(.string($0.key)) }
            objects[index] = .dictionary(keys: keys, values: sorted.map { add($0.value) })
            return index
        default:
            if let index = scalars[value] { return index }
            objects.append(.scalar(value))
            scalars[value] = objects.count - 1
            return objects.count - 1
        }
    }

    /// The place of a collection, before those of its parts.
    private mutating func reserve() -> Int {
        objects.append(.array([]))
        return objects.count - 1
    }

    private mutating func writeDocument(root: Int) {
        let referenceWidth = Self.width(of: objects.count)
        var offsets: [Int] = []
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
        for number in [objects.count, root, table] {
            append(UInt64(number), width: 8)
        }
    }

    private mutating func write(_ object: Object, referenceWidth: Int) {
        switch object {
        case .scalar(let value):
            write(value)
        case .array(let elements):
            appendMarker(0xA0, count: elements.count)
            for index in elements {
                append(UInt64(index), width: referenceWidth)
            }
        case .dictionary(let keys, let values):
            appendMarker(0xD0, count: keys.count)
            for index in keys + values {
                append(UInt64(index), width: referenceWidth)
            }
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
        case .string(let value) where value.utf8.allSatisfy { $0 < 0x80 }:
            appendMarker(0x50, count: value.utf8.count)
            bytes += value.utf8
        case .string(let value):
            appendMarker(0x60, count: value.utf16.count)
            for unit in value.utf16 {
                append(UInt64(unit), width: 2)
            }
        case .array, .dictionary:
            break  // Objects of their own, which `add` never makes scalars.
        }
    }

    /// Numbers of up to 4 bytes are unsigned, those of 8 signed, and what is above them has 16 bytes.
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

    /// How many bytes a number needs: 1, 2, 4 or 8.
    private static func width(of number: Int) -> Int {
        switch number {
        case 0..<0x100: 1
        case 0..<0x1_0000: 2
        case 0..<0x1_0000_0000: 4
        default: 8
        }
    }
}

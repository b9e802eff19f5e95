#if !canImport(Darwin)
import Foundation

/// The objects of a keyed archive that no archiver has written: each entry can be anything.
struct ArchiveContents {
    indirect enum Value {
        case integer(Int)
        case real(Double)
        case boolean(Bool)
        case text(String)
        case data([UInt8])
        /// A reference to an object by its number.
        case object(Int)
        case list([Value])
        case entries([(String, Value)])
    }

    /// The first is what `nil` refers to, the second one is the archived object.
    private(set) var objects: [Value] = [.text("$null")]

    /// Adds an object, and returns a reference to it.
    @discardableResult
    mutating func add(_ value: Value) -> Value {
        objects.append(value)
        return .object(objects.count - 1)
    }

    /// Adds an object of a class, and the class after it, and returns a reference to the object.
    @discardableResult
    mutating func add(_ type: String, _ entries: [(String, Value)]) -> Value {
        let reference = add(.entries(entries + [("$class", .object(objects.count + 1))]))
        add(.entries([("$classname", .text(type))]))
        return reference
    }

    /// The bytes of the archive.
    func data(root: Int = 1) -> Data {
        var archive = WrittenArchive(referenceSize: 2)
        let top = Value.entries([
            ("$version", .integer(100_000)), ("$archiver", .text("NSKeyedArchiver")),
            ("$top", .entries([("root", .object(root))])), ("$objects", .list(objects)),
        ])
        let part = Self.add(top, to: &archive)
        return archive.data(top: part)
    }

    private static func add(_ value: Value, to archive: inout WrittenArchive) -> Int {
        switch value {
        case .integer(let value): return archive.add([0x13] + bytes(of: UInt64(bitPattern: Int64(value)), 8))
        case .real(let value): return archive.add([0x23] + bytes(of: value.bitPattern, 8))
        case .boolean(let value): return archive.add([value ? 0x09 : 0x08])
        case .text(let value): return add(text: value, to: &archive)
        case .data(let value): return archive.add([0x4F, 0x11] + bytes(of: UInt64(value.count), 2) + value)
        case .object(let index): return archive.add([0x81] + bytes(of: UInt64(index), 2))
        case .list(let values):
            let parts = values.map { add($0, to: &archive) }
            return archive.add(array: parts)
        case .entries(let entries):
            let parts = entries.map { (name: add(text: $0, to: &archive), value: add($1, to: &archive)) }
            return archive.add(dictionary: parts)
        }
    }

    private static func add(text: String, to archive: inout WrittenArchive) -> Int {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return archive.add(text: text) }
        let units = Array(text.utf16)
        return archive.add(
            [0x6F, 0x11] + bytes(of: UInt64(units.count), 2) + units.flatMap { bytes(of: UInt64($0), 2) }
        )
    }

    private static func bytes(of number: UInt64, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
}
#endif

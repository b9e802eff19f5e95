import Foundation
import Keyspan
import Testing

@testable import KeyspanTool

@Suite struct BinaryPropertyListTests {
    @Test(arguments: 0..<120 as Range<UInt64>)
    func `reads back what it wrote`(seed: UInt64) throws {
        var random = RandomValue(.all, seed: seed)
        let value = random.value()
        #expect(try BinaryPropertyListReader.parse(BinaryPropertyListWriter.bytes(of: value)) == value)
    }

    @Test func `keeps kinds and signs apart that are equal numbers`() throws {
        let value: PropertyListValue = [
            true, 1, 1.0, "1", false, 0, 0.0, .real(-0.0), .integer(PropertyListInteger(UInt64.max)),
        ]
        #expect(try BinaryPropertyListReader.parse(BinaryPropertyListWriter.bytes(of: value)) == value)
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `survives a round trip through Foundation`(seed: UInt64) throws {
        let value = FoundationOracle.value(seed: seed)
        let theirs = try FoundationOracle.rewritten(BinaryPropertyListWriter.bytes(of: value), as: .binary)
        #expect(try BinaryPropertyListReader.parse(theirs) == value)
    }

    @Test func `refuses every document that is cut off`() {
        let bytes = BinaryPropertyListWriter.bytes(of: ["key": [1, "text", .data(Data(0..<40))]])
        for count in 0..<bytes.count {
            #expect(throws: BinaryFormatError.self) { try BinaryPropertyListReader.parse(Array(bytes[..<count])) }
        }
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `survives any damage of single bytes`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let bytes = BinaryPropertyListWriter.bytes(of: ["key": [1, "tëxt", 1.5, ["a": []], .data(Data(0..<20))]])
        for _ in 0..<50 {
            var damaged = bytes
            damaged[Int.random(in: bytes.indices, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            // Either is right; what counts is that the process lives and a value respects the limits.
            if let value = try? BinaryPropertyListReader.parse(damaged) {
                #expect(!value.isNestedDeeper(than: Document.maximumNesting))
            }
        }
    }

    @Test func `refuses a collection that contains itself`() {
        // One array whose only element is object 0, the array.
        #expect(throws: BinaryFormatError.self) { try BinaryPropertyListReader.parse(document([[0xA1, 0]])) }
    }

    @Test func `refuses a small document that stands for an endless value`() {
        let levels: [[UInt8]] = (1...30).map { [0xA2, UInt8($0), UInt8($0)] } + [[0x09]]
        let error = #expect(throws: BinaryFormatError.self) { try BinaryPropertyListReader.parse(document(levels)) }
        #expect(error?.reason.contains("4000000") == true)
    }

    @Test(
        arguments: [
            ([0x00], "null"), ([0x80, 1], "UID"), ([0xC0], "set"),
            ([0x14, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0], "2^64"),
            ([0x51, 0xFF], "ASCII"), ([0x61, 0xD8, 0x00], "half a surrogate pair"), ([0x5F, 0x09], "count"),
            ([0x4F, 0x13, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], "huge count"), ([0xD1, 0, 0], "key"),
            ([0xA1, 9], "reference"),
        ] as [([UInt8], String)]
    )
    func `refuses what is no value of a property list`(object: [UInt8], what: String) {
        #expect(throws: BinaryFormatError.self) { try BinaryPropertyListReader.parse(document([object])) }
    }

    @Test func `reads reals of four bytes and negative integers of sixteen`() throws {
        #expect(try BinaryPropertyListReader.parse(document([[0x22, 0x3F, 0xC0, 0, 0]])) == 1.5)
        let minusTwo: [UInt8] = [0x14] + Array(repeating: 0xFF, count: 15) + [0xFE]
        #expect(try BinaryPropertyListReader.parse(document([minusTwo])) == -2)
    }

    /// A document of objects, the first of which is its value.
    private func document(_ objects: [[UInt8]]) -> [UInt8] {
        var bytes = Array("bplist00".utf8)
        var offsets: [UInt8] = []
        for object in objects {
            offsets.append(UInt8(bytes.count))
            bytes += object
        }
        let table = UInt8(bytes.count)
        let count = UInt8(objects.count)
        let zeros = [UInt8](repeating: 0, count: 7)
        return bytes + offsets + [0, 0, 0, 0, 0, 0, 1, 1] + zeros + [count] + zeros + [0] + zeros + [table]
    }
}

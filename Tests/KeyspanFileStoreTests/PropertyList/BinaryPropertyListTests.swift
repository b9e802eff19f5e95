import KeyspanCore
import KeyspanFileStore
import KeyspanTesting
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite("A binary property list")
struct BinaryPropertyListTests {
    @Test func `keeps kinds and signs apart that are equal numbers`() throws {
        let value: PropertyListValue = [
            true, 1, 1.0, "1", false, 0, 0.0, .real(-0.0), .integer(PropertyListInteger(UInt64.max)),
        ]
        #expect(try PropertyListData.parse(PropertyListData.encode(value, as: .binary)) == value)
    }

    @Test func `refuses every document that is cut off`() throws {
        let bytes = try PropertyListData.encode(.array([1, "text", .data(Data(0..<40))]), as: .binary)
        for count in 6..<bytes.count {
            #expect(throws: PropertyListDataError.self) { try PropertyListData.parse(Array(bytes[..<count])) }
        }
    }

    @Test func `refuses a collection that contains itself`() {
        // One array whose only element is object 0, the array.
        #expect(throws: PropertyListDataError.self) { try PropertyListData.parse(document([[0xA1, 0]])) }
    }

    @Test func `refuses a small document that stands for an endless value`() {
        let levels: [[UInt8]] = (1...30).map { [0xA2, UInt8($0), UInt8($0)] } + [[0x09]]
        let error = #expect(throws: PropertyListDataError.self) { try PropertyListData.parse(document(levels)) }
        #expect(error?.reason.contains("65536") == true)
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
        #expect(throws: PropertyListDataError.self) { try PropertyListData.parse(document([object])) }
    }

    @Test func `names the byte where it is wrong`() {
        let error = #expect(throws: PropertyListDataError.self) {
            try PropertyListData.parse(document([[0xA1, 1], [0x80, 0]]))
        }
        #expect(error?.place == .byte(10))
        #expect(error?.format == .binary)
        #expect(error?.reason.contains("UID") == true)
    }

    @Test func `of another version is refused with a remedy`() {
        let error = #expect(throws: PropertyListDataError.self) {
            try PropertyListData.parse(Array("bplist15....".utf8))
        }
        #expect(error?.remedy?.contains("plutil") == true)
    }

    @Test func `makes a long text once, however many values share it`() throws {
        let text = String(repeating: "x", count: 1 << 16)
        let value = PropertyListValue.array(Array(repeating: .string(text), count: 1 << 12))
        let bytes = try PropertyListData.encode(value, as: .binary)
        #expect(bytes.count < 1 << 20)
        // 256 MiB if each had its own.
        #expect(try PropertyListData.parse(bytes) == value)
    }

    @Test func `keeps how accents are composed`() throws {
        let value: PropertyListValue = ["\u{E9}", "e\u{301}"]
        guard case .array(let elements) = try PropertyListData.parse(try PropertyListData.encode(value, as: .binary))
        else {
            Issue.record("no array")
            return
        }
        #expect(elements.map { $0.stringValue.map { Array($0.utf8).count } } == [2, 3])
    }

    @Test func `reads reals of four bytes and negative integers of sixteen`() throws {
        #expect(try PropertyListData.parse(document([[0x22, 0x3F, 0xC0, 0, 0]])) == 1.5)
        let minusTwo: [UInt8] = [0x14] + Array(repeating: 0xFF, count: 15) + [0xFE]
        #expect(try PropertyListData.parse(document([minusTwo])) == -2)
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

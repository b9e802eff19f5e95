import Foundation
import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@Suite(.heavy)
struct BinaryPropertyListTests {
    @Test func `a binary property list refuses every document that is cut off`() throws {
        let bytes = try PropertyListData.encode(.array([1, "text", .data(Data(0..<40))]), as: .binary)
        for count in 6..<bytes.count {
            #expect(throws: PropertyListDataError.self) { try PropertyListData.parse(Array(bytes[..<count])) }
        }
    }

    @Test func `a binary property list refuses a collection that contains itself`() {
        // One array whose only element is object 0, the array.
        #expect(throws: PropertyListDataError.self) { try PropertyListData.parse(document([[0xA1, 0]])) }
    }

    @Test func `a binary property list refuses a small document that stands for an endless value`() {
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
    func `a binary property list refuses objects that are not values of a property list`(object: [UInt8], what: String)
    {
        #expect(throws: PropertyListDataError.self) { try PropertyListData.parse(document([object])) }
    }

    @Test func `a binary property list names the byte where it is wrong`() {
        let error = #expect(throws: PropertyListDataError.self) {
            try PropertyListData.parse(document([[0xA1, 1], [0x80, 0]]))
        }
        #expect(error?.place == .byte(10))
        #expect(error?.format == .binary)
        #expect(error?.reason.contains("UID") == true)
    }

    @Test func `a binary property list of another version is refused with a remedy`() {
        let error = #expect(throws: PropertyListDataError.self) {
            try PropertyListData.parse(Array("bplist15....".utf8))
        }
        #expect(error?.remedy?.contains("plutil") == true)
    }

    @Test func `a binary property list makes a long text once, however many values share it`() throws {
        let text = String(repeating: "x", count: 1 << 16)
        let value = PropertyListValue.array(Array(repeating: .string(text), count: 1 << 12))
        let bytes = try PropertyListData.encode(value, as: .binary)
        // It is repeated for every 64 values: 4 MiB, and 256 MiB if each had its own.
        #expect(bytes.count < 5 << 20)
        #expect(try PropertyListData.parse(bytes) == value)
    }

    /// A string, a UTF-16 string and data of 20 kB, as an element, and the first of them as a key.
    @Test(arguments: [(0x5F as UInt8, false), (0x6F, false), (0x4F, false), (0x5F, true)])
    func `a binary property list refuses a small document that stands for a huge text`(marker: UInt8, isKey: Bool)
        throws
    {
        let length = 20_000
        let text: [UInt8] = Array(repeating: 0x41, count: marker == 0x6F ? 2 * length : length)
        let shared: [UInt8] = [marker, 0x11, UInt8(length >> 8), UInt8(length & 0xFF)] + text
        let references = 60_000
        let (high, low) = (UInt8(references >> 8), UInt8(references & 0xFF))
        let collection: [[UInt8]] =
            isKey
            ? [[0xAF, 0x11, high, low] + Array(repeating: 2, count: references), shared, [0xD1, 1, 3], [0x09]]
            : [[0xAF, 0x11, high, low] + Array(repeating: 1, count: references), shared]
        let error = #expect(throws: PropertyListDataError.self) {
            try PropertyListData.parse(document(collection))
        }
        #expect(error?.reason.contains("bytes") == true, "\(error?.reason ?? "")")
    }

    @Test(arguments: [1, 63, 64, 65, 1000], [1, 64, 65, 129, 5000])
    func `a binary property list reads what it wrote, however often a text is shared`(length: Int, count: Int) throws {
        let text = String(repeating: "x", count: length)
        let value = PropertyListValue.array(
            Array(repeating: [.string(text), .data(.init(repeating: 7, count: length)), [text: 1]], count: count)
        )
        #expect(try PropertyListData.parse(PropertyListData.encode(value, as: .binary)) == value)
    }

    @Test func `a binary property list reads what it wrote when a text is shared more often than other documents may`()
        throws
    {
        let text = PropertyListValue.string(String(repeating: "x", count: 1 << 10))
        var table = PropertyListTable()
        for index in 0..<40_000 { table["key\(index)"] = text }
        let bytes = try PropertyListData.encode(table, as: .binary)
        #expect(try PropertyListData.parseTable(bytes) == table)
    }

    @Test func `a binary property list reads reals of four bytes and negative integers of sixteen`() throws {
        #expect(try PropertyListData.parse(document([[0x22, 0x3F, 0xC0, 0, 0]])) == 1.5)
        let minusTwo: [UInt8] = [0x14] + Array(repeating: 0xFF, count: 15) + [0xFE]
        #expect(try PropertyListData.parse(document([minusTwo])) == -2)
    }

    /// A document of objects, the first of which is its value.
    private func document(_ objects: [[UInt8]]) -> [UInt8] {
        var bytes = Array("bplist00".utf8)
        var offsets: [Int] = []
        for object in objects {
            offsets.append(bytes.count)
            bytes += object
        }
        let table = bytes.count
        bytes += offsets.flatMap { number($0, width: 4) } + [0, 0, 0, 0, 0, 0, 4, 1]
        return bytes + [objects.count, 0, table].flatMap { number($0, width: 8) }
    }

    private func number(_ number: Int, width: Int) -> [UInt8] {
        (0..<width).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
}

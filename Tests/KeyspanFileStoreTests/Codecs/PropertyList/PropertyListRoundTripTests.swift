import Foundation
@_spi(StoreAuthors) import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanTesting
import Testing

@Suite
struct PropertyListRoundTripTests {
    /// A value as the format holds it, or `nil` if it cannot.
    private static func held(_ value: PropertyListValue, _ format: PropertyListFormat) -> PropertyListValue? {
        try? PropertyListFileCodec(format).written(value, forKey: "key")
    }

    @Test(arguments: PropertyListFormat.allCases, 0..<TestLevel.current.pick(100, thorough: 400) as Range<UInt64>)
    func `a property list of either format reads back what it wrote, in the same bytes`(
        format: PropertyListFormat,
        seed: UInt64
    ) throws {
        var random = RandomValues(seed: seed)
        let value = random.value(levels: 4)
        guard let held = Self.held(value, format) else {
            // Values that `apply` rejects are rejected here.
            #expect(throws: ValueEncodingError.self) { try PropertyListData.encode(value, as: format) }
            return
        }
        let bytes = try PropertyListData.encode(value, as: format)
        #expect(PropertyListData.format(of: bytes) == format)
        let read = try PropertyListData.parse(bytes)
        #expect(read == held)
        #expect(try PropertyListData.parse(try PropertyListData.encode(read, as: format)) == read)
    }

    @Test(arguments: PropertyListFormat.allCases, 0..<TestLevel.current.pick(20, thorough: 60) as Range<UInt64>)
    func `a property list of either format reads back the table that it wrote`(
        format: PropertyListFormat,
        seed: UInt64
    ) throws {
        var random = RandomValues(seed: seed)
        var table = PropertyListTable()
        for (key, value) in random.dictionary(levels: 3) {
            let codec = PropertyListFileCodec(format)
            if let held = try? codec.written(value, forKey: key) { table[key] = held }
        }
        let bytes = try PropertyListData.encode(table, as: format)
        #expect(try PropertyListData.parseTable(bytes) == table)
        #expect(try PropertyListData.parse(bytes) == .dictionary(table.dictionary))
    }

    @Test(arguments: PropertyListFormat.allCases)
    func `a property list of either format keeps kinds and signs apart that are equal numbers`(
        format: PropertyListFormat
    ) throws {
        let value: PropertyListValue = [
            true, 1, 1.0, "1", false, 0, 0.0, .real(-0.0), .integer(PropertyListInteger(UInt64.max)),
            .integer(PropertyListInteger(Int64.min)), .real(.nan), .real(.infinity), .real(-.infinity),
            .real(.greatestFiniteMagnitude), .real(.leastNonzeroMagnitude),
        ]
        #expect(try PropertyListData.parse(PropertyListData.encode(value, as: format)) == value)
    }

    @Test(arguments: PropertyListFormat.allCases)
    func `a property list of either format is nested as deep as values are, and no deeper`(
        format: PropertyListFormat
    ) throws {
        func nested(_ levels: Int) -> PropertyListValue {
            (0..<levels).reduce(1) { inner, level in level.isMultiple(of: 2) ? [inner] : ["a": inner] }
        }
        let limit = PropertyListValue.maximumNesting
        let deepest = nested(limit)
        #expect(try PropertyListData.parse(PropertyListData.encode(deepest, as: format)) == deepest)
        #expect(throws: ValueEncodingError.self) { try PropertyListData.encode(nested(limit + 1), as: format) }
        let table: PropertyListTable = ["key": deepest]
        #expect(try PropertyListData.parseTable(PropertyListData.encode(table, as: format)) == table)
        let tooDeep = try PropertyListData.encode(["key": nested(limit + 1)] as PropertyListTable, as: format)
        #expect(throws: PropertyListDataError.self) { try PropertyListData.parseTable(tooDeep) }
        #expect(throws: PropertyListDataError.self) { try PropertyListData.parse(tooDeep) }
    }

    @Test(arguments: PropertyListFormat.allCases)
    func `a property list of either format is the content of a store only if it is a dictionary`(
        format: PropertyListFormat
    ) throws {
        let bytes = try PropertyListData.encode([1], as: format)
        let error = #expect(throws: PropertyListDataError.self) { try PropertyListData.parseTable(bytes) }
        #expect(error?.reason.contains("no dictionary") == true)
    }

    @Test(arguments: PropertyListFormat.allCases, 0..<TestLevel.current.pick(10, thorough: 40) as Range<UInt64>)
    func `a property list of either format is a value or an error, whatever the damage`(
        format: PropertyListFormat,
        seed: UInt64
    ) throws {
        var generator = SeededGenerator(seed: seed)
        let bytes = try PropertyListData.encode(
            .array([1, "tëxt &", 1.5, ["a": []], .data(Data(0..<20)), .date(Date(timeIntervalSinceReferenceDate: 9))]),
            as: format
        )
        for _ in 0..<100 {
            var damaged = bytes
            let place = Int.random(in: bytes.indices, using: &generator)
            switch Int.random(in: 0..<3, using: &generator) {
            case 0: damaged[place] = UInt8.random(in: 0...255, using: &generator)
            case 1: damaged.removeSubrange(place...)
            default: damaged.insert(contentsOf: bytes[place...].prefix(7), at: place)
            }
            do throws(PropertyListDataError) {
                let value = try PropertyListData.parse(damaged)
                #expect(!value.isNestedDeeper())
            } catch {
                #expect(!error.reason.isEmpty && !error.reason.hasSuffix("."))
            }
        }
    }
}

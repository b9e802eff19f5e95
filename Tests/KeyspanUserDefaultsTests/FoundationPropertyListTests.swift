import Foundation
@_spi(StoreAuthors) import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanUserDefaults

/// The readers accept Foundation's output, and Foundation reads the writers' output.
@Suite
struct FoundationPropertyListTests {
    typealias Format = PropertyListFormat

    /// A document after Foundation has read and written it.
    private static func rewritten(_ bytes: [UInt8], as format: Format) throws -> [UInt8] {
        let object = try PropertyListSerialization.propertyList(from: Data(bytes), options: [], format: nil)
        let format = format == .xml ? PropertyListSerialization.PropertyListFormat.xml : .binary
        return [UInt8](try PropertyListSerialization.data(fromPropertyList: object, format: format, options: 0))
    }

    /// A value of kinds that Foundation keeps apart: reals have fractions, and integers fit `Int64`.
    private static func value(_ size: UInt64, using generator: inout SeededGenerator) -> PropertyListValue {
        func integer() -> PropertyListValue {
            .integer(PropertyListInteger(Int64.random(in: .min ... .max, using: &generator) >> Int64(size)))
        }
        func date() -> PropertyListValue {
            let seconds = Double(Int.random(in: -9_999_999...999_999_999, using: &generator))
            return .date(Date(timeIntervalSinceReferenceDate: seconds))
        }
        return [
            "boolean": [true, false],
            "integers": [integer(), integer(), 0, 1, 255, 256, 65_536, -1],
            "real": .real(Double(Int.random(in: 0..<1000, using: &generator)) + 0.5),
            "dates": [date(), date()],
            "data": .data(Data((0..<UInt8(size * 7)).map { $0 })),
            "strings": ["", "é<&>\"' 日😀", .string(String(repeating: "long ", count: Int(size)))],
            "empty": [[], [:]],
            "k <&> é": ["nested": [["deep": [1]]]],
        ]
    }

    @Test(.seeded, arguments: Format.allCases, Format.allCases)
    func `Foundation and a property list keep every value of each other`(ours: Format, theirs: Format) throws {
        var generator = SeededGenerator(seed: SeededGenerator.seedOfRun)
        for size in 0..<20 as Range<UInt64> {
            let value = Self.value(size, using: &generator)
            let rewritten = try Self.rewritten(PropertyListData.encode(value, as: ours), as: theirs)
            #expect(PropertyListData.format(of: rewritten) == theirs)
            #expect(try PropertyListData.parse(rewritten) == value)
        }
    }

    @Test func `Foundation and a property list keep control characters in XML, although XML forbids them`() throws {
        let object = ["key": "a\u{1}b\u{1F}\u{FFFF}"]
        let theirs = try PropertyListSerialization.data(fromPropertyList: object, format: .xml, options: 0)
        #expect(try PropertyListData.parseTable(Array(theirs)) == ["key": "a\u{1}b\u{1F}\u{FFFF}"])
    }

    #if canImport(Glibc) || canImport(Musl)
    @Test(arguments: Format.allCases)
    func `Foundation and a property list share a suite of UserDefaults`(format: Format) throws {
        let suite = Suites.makeName()
        let path = Suites.path(of: suite)
        do {
            let store = try PropertyListFileStore(path: path, format: format, options: .init(journal: .none))
            var batch = PropertyListBatch(.set("dark", key: "theme"))
            batch.set(["a", 1, true, 0.5], forKey: "list")
            try store.apply(batch)
        }
        let defaults = try #require(UserDefaults(suiteName: suite))
        #expect(defaults.string(forKey: "theme") == "dark")
        #expect(try FoundationValue.value(defaults.array(forKey: "list") ?? []) == ["a", 1, true, 0.5])
        defaults.set(Data([1, 2]), forKey: "data")
        #expect(defaults.synchronize())
        let table = try PropertyListFileStore(path: path).snapshot()
        #expect(table == ["theme": "dark", "list": ["a", 1, true, 0.5], "data": .data(Data([1, 2]))])
    }
    #endif
}

import Foundation
@_spi(StoreAuthors) import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// The readers accept Foundation's output, and Foundation reads the writers' output.
@Suite
struct FoundationPropertyListTests {
    typealias Format = PropertyListFormat

    private static func foundationFormat(_ format: Format) -> PropertyListSerialization.PropertyListFormat {
        format == .xml ? .xml : .binary
    }

    /// A document after Foundation has read and written it.
    private static func rewritten(_ bytes: [UInt8], as format: Format) throws -> [UInt8] {
        let object = try PropertyListSerialization.propertyList(from: Data(bytes), options: [], format: nil)
        return Array(
            try PropertyListSerialization.data(
                fromPropertyList: object,
                format: foundationFormat(format),
                options: 0
            )
        )
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

    @Test(arguments: Format.allCases)
    func `Foundation and a property list agree on every kind of value`(format: Format) throws {
        let object: [String: Any] = [
            "true": true, "false": false, "int": 42, "negative": -42, "real": 2.5, "text": "a\tb\r\nc <&>",
            "date": Date(timeIntervalSinceReferenceDate: 700_000_000), "data": Data([0, 1, 255]),
            "list": [1, "two", [3.5, false], [:] as [String: Any]] as [Any],
        ]
        let table: PropertyListTable = [
            "true": true, "false": false, "int": 42, "negative": -42, "real": 2.5, "text": "a\tb\r\nc <&>",
            "date": .date(Date(timeIntervalSinceReferenceDate: 700_000_000)), "data": .data(Data([0, 1, 255])),
            "list": [1, "two", [3.5, false], [:]],
        ]
        let theirs = try PropertyListSerialization.data(
            fromPropertyList: object,
            format: Self.foundationFormat(format),
            options: 0
        )
        #expect(try PropertyListData.parseTable(Array(theirs)) == table)
        let ours = Data(try PropertyListData.encode(table, as: format))
        let back = try PropertyListSerialization.propertyList(from: ours, options: [], format: nil)
        #expect(try #require(back as? NSDictionary).isEqual(object as NSDictionary))
    }

    @Test func `Foundation and a property list keep control characters in XML, although XML forbids them`() throws {
        let object = ["key": "a\u{1}b\u{1F}\u{FFFF}"]
        let theirs = try PropertyListSerialization.data(fromPropertyList: object, format: .xml, options: 0)
        #expect(try PropertyListData.parseTable(Array(theirs)) == ["key": "a\u{1}b\u{1F}\u{FFFF}"])
    }

    #if canImport(Glibc) || canImport(Musl)
    @Test(arguments: Format.allCases)
    func `Foundation and a property list share a suite of UserDefaults`(format: Format) throws {
        let suite = "com.example.keyspan-\(UUID().uuidString)"
        let file = "\(Suites.folder)/\(suite).plist"
        defer {
            let folder = (file as NSString).deletingLastPathComponent
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            for name in names where name.contains(suite) {
                try? FileManager.default.removeItem(atPath: "\(folder)/\(name)")
            }
        }
        do {
            let store = try PropertyListFileStore(path: file, format: format, options: .init(journal: .none))
            var batch = PropertyListBatch(.set("dark", key: "theme"))
            batch.set(3, forKey: "count")
            batch.set(0.5, forKey: "ratio")
            batch.set(true, forKey: "on")
            batch.set(["a", 1], forKey: "list")
            try store.apply(batch)
        }
        let defaults = try #require(UserDefaults(suiteName: suite))
        #expect(defaults.string(forKey: "theme") == "dark")
        #expect(defaults.integer(forKey: "count") == 3)
        #expect(defaults.double(forKey: "ratio") == 0.5)
        #expect(defaults.bool(forKey: "on"))
        #expect(defaults.array(forKey: "list")?.count == 2)
        defaults.set(Data([1, 2]), forKey: "data")
        #expect(defaults.synchronize())
        let store = try PropertyListFileStore(path: file)
        #expect(
            store.snapshot() == [
                "theme": "dark", "count": 3, "ratio": 0.5, "on": true, "list": ["a", 1], "data": .data(Data([1, 2])),
            ]
        )
    }
    #endif
}

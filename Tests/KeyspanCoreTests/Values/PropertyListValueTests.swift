import Foundation
import KeyspanTestSupport
import KeyspanTesting
import Testing

@_spi(StoreAuthors) @testable import KeyspanCore

@Suite struct PropertyListValueTests {
    /// Values of which no two are equal, however alike they look.
    static let distinct: [PropertyListValue] = [
        true, false, 1, 0, 1.0, 0.0, -0.0, "1", "true", "", .real(.nan), .real(.infinity), .init(UInt64.max), -1,
        .init(Int64.max), .init(Int64.min), .date(Date(timeIntervalSinceReferenceDate: 1)), .data(Data([1])),
        .data(Data()), [], [1], [1.0], [[]], [:], ["a": 1], ["a": 1.0], ["b": 1],
    ]

    @Test(arguments: distinct.indices)
    func `values are equal to themselves and to no other`(_ index: Int) {
        for (other, value) in Self.distinct.enumerated() {
            #expect((value == Self.distinct[index]) == (other == index))
        }
        #expect(Set(Self.distinct + [Self.distinct[index]]).count == Self.distinct.count)
    }

    @Test func `all NaNs are one value`() {
        let other = PropertyListValue.real(Double(nan: 42, signaling: false))
        #expect(other == .real(.nan))
        #expect(Set([other, .real(.nan), .real(-.nan)]).count == 1)
        #expect(
            PropertyListValue.date(Date(timeIntervalSinceReferenceDate: .nan)).hashValue
                == PropertyListValue.date(Date(timeIntervalSinceReferenceDate: -.nan)).hashValue
        )
    }

    @Test(
        arguments: [
            (true, "true"), (1, "1"), (1.0, "1.0"), (.init(UInt64.max), "18446744073709551615"), ("a\"b", "\"a\\\"b\""),
            ([1, ["b": 2, "a": []]], "[1, [\"a\": [], \"b\": 2]]"), ([:], "[:]"),
            (.data(Data([0, 255])), "<2 bytes: 00ff>"),
            (.data(Data(count: 17)), "<17 bytes: 00000000000000000000000000000000…>"),
            (.date(Date(timeIntervalSinceReferenceDate: 0.5)), "2001-01-01T00:00:00.5Z"),
            (.date(Date(timeIntervalSinceReferenceDate: .infinity)), "inf s from 2001-01-01T00:00:00Z"),
        ] as [(PropertyListValue, String)]
    )
    func `descriptions are for people`(_ value: PropertyListValue, text: String) {
        #expect(value.description == text)
    }

    @Test(arguments: distinct)
    func `each accessor answers for its own kind only`(_ value: PropertyListValue) {
        let answers: [(PropertyListKind, Bool)] = [
            (.boolean, value.booleanValue != nil), (.integer, value.integerValue != nil),
            (.real, value.realValue != nil), (.string, value.stringValue != nil), (.date, value.dateValue != nil),
            (.data, value.dataValue != nil), (.array, value.arrayValue != nil),
            (.dictionary, value.dictionaryValue != nil),
        ]
        #expect(answers.filter(\.1).map(\.0) == [value.kind])
    }

    @Test func `subscripts reach into collections and nowhere else`() {
        let value: PropertyListValue = ["list": [1, "two"], "name": "x"]
        #expect(value["list"]?[1] == "two")
        #expect(value["list"]?[2] == nil)
        #expect(value["list"]?[-1] == nil)
        #expect(value["name"]?[0] == nil)
        #expect(value["absent"] == nil)
        #expect(value[0] == nil)
    }

    @Test(arguments: [(0, 0), (1, 1), (512, 512), (513, 512), (1, 0)])
    func `nesting is counted in collections`(levels: Int, limit: Int) {
        var value: PropertyListValue = 1
        for level in 0..<levels {
            value = level.isMultiple(of: 2) ? [value] : ["a": value]
        }
        #expect(value.isNestedDeeper(than: limit) == (levels > limit))
    }

    @Test func `a description of a value that is too deep ends`() {
        var value: PropertyListValue = 1
        for _ in 0..<2_000 {
            value = [value]
        }
        #expect(value.description.contains("[…]"))
    }

    /// Values of all kinds, each after the ones before it.
    static let ascending =
        StoreSynchronizerTests.ascending.compactMap(\.self).filter { $0.arrayValue == nil && $0.dictionaryValue == nil }
        + [
            [5.0], [.data(Data(count: 16))], [.data(Data(count: 17))], [.data(Data(count: 16) + [1])], ["a": [9]],
            ["a": [10]],
        ]

    @Test func `the order of stored sets is total over values of all kinds`() {
        for (index, lesser) in Self.ascending.enumerated() {
            #expect(!PropertyListValue.isOrderedBefore(lesser, lesser))
            for greater in Self.ascending[(index + 1)...] {
                #expect(PropertyListValue.isOrderedBefore(lesser, greater), "\(lesser) \(greater)")
                #expect(!PropertyListValue.isOrderedBefore(greater, lesser), "\(lesser) \(greater)")
            }
        }
    }

    @Test func `of entries with one name the last stays`() {
        #expect(PropertyListValue(dictionaryLiteral: ("a", 1), ("a", 2)) == ["a": 2])
    }
}

@Suite struct PropertyListIntegerTests {
    static let ascending: [PropertyListInteger] = [
        .init(Int64.min), -2, -1, 0, 1, .init(Int64.max), .init(UInt64(Int64.max) + 1), .init(UInt64.max),
    ]

    @Test(.seeded) func `order, description and conversion agree`() {
        var generator = SeededGenerator(seed: SeededGenerator.seedOfRun)
        #expect(Self.ascending.shuffled(using: &generator).sorted() == Self.ascending)
        #expect(
            Self.ascending.map(\.description) == [
                "-9223372036854775808", "-2", "-1", "0", "1", "9223372036854775807", "9223372036854775808",
                "18446744073709551615",
            ]
        )
    }

    @Test(arguments: ascending)
    func `a number converts to exactly the types that hold it`(_ integer: PropertyListInteger) throws {
        let number = try #require(Int128(integer.description))
        #expect(integer.converted(to: Int8.self) == Int8(exactly: number))
        #expect(integer.converted(to: UInt.self) == UInt(exactly: number))
        #expect(integer.converted(to: Int128.self) == number)
        #expect(integer.int64 == Int64(exactly: number))
        #expect(integer.uint64 == UInt64(exactly: number))
        #expect(integer.exactDouble == Double(exactly: number))
        #expect(PropertyListInteger(exactly: number) == integer)
    }

    @Test(arguments: [Int128(Int64.min) - 1, Int128(UInt64.max) + 1])
    func `a number outside the range makes no integer`(_ number: Int128) {
        #expect(PropertyListInteger(exactly: number) == nil)
    }

    @Test func `one number is one integer, whatever it came from`() {
        #expect(Set([PropertyListInteger(exactly: UInt8(7)), .init(Int64(7)), .init(UInt64(7)), 7]).count == 1)
    }
}

import KeyspanCore
import Testing

@Suite struct PropertyListIntegerTests {
    static let ascending: [PropertyListInteger] = [
        .init(Int64.min), -2, -1, 0, 1, .init(Int64.max), .init(UInt64(Int64.max) + 1), .init(UInt64.max),
    ]

    @Test func `order, description and conversion agree`() {
        #expect(Self.ascending.shuffled().sorted() == Self.ascending)
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

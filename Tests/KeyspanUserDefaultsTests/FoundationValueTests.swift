import Foundation
import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanUserDefaults

@Suite
struct FoundationValueTests {
    @Test(.seeded) func `the border to Foundation is crossed by every value without a change`() throws {
        var generator = SeededGenerator(seed: SeededGenerator.seedOfRun)
        for _ in 0..<200 {
            let value = PropertyListValue.random(using: &generator)
            try #require(try FoundationValue.value(FoundationValue.object(value)) == value)
            let list = ["value": FoundationValue.object(value)]
            let data = try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
            let read = try PropertyListSerialization.propertyList(from: data, format: nil)
            try #require(try FoundationValue.value(read) == .dictionary(["value": value]))
        }
    }

    @Test func `the border to Foundation distinguishes the kinds of objects`() throws {
        let kinds: [(NSObject, PropertyListValue)] = [
            (NSNumber(value: true), .boolean(true)),
            (NSNumber(value: 1), .integer(1)),
            (NSNumber(value: Int8(1)), .integer(1)),
            (NSNumber(value: 1.0), .real(1)),
            (NSNumber(value: Float(1.5)), .real(1.5)),
            (NSNumber(value: UInt64.max), .integer(PropertyListInteger(UInt64.max))),
            (NSNumber(value: Int64.min), .integer(PropertyListInteger(Int64.min))),
            (NSString(string: "1"), .string("1")),
            (NSArray(array: [NSNumber(value: true), NSNumber(value: 1)]), .array([.boolean(true), .integer(1)])),
        ]
        for (object, value) in kinds {
            #expect(try FoundationValue.value(object) == value)
        }
    }

    @Test func `the border to Foundation keeps a real that is not a number`() throws {
        guard case .real(let real) = try FoundationValue.value(FoundationValue.object(.real(.nan))) else {
            Issue.record("it is no real")
            return
        }
        #expect(real.isNaN)
    }

    @Test(arguments: [
        (UUID() as any Sendable, "UUID", ""),
        (Decimal(1.1), "Decimal", ""),
        ([1: "a"], "Dictionary<Int, String>", ""),
        (["a": [1, URL(filePath: "/")] as [any Sendable]] as [String: any Sendable], "URL", ".a[1]"),
        ([Int?.none], "Optional<Int>", "[0]"),
    ])
    func `the border to Foundation refuses anything but a property list, and says what it is and where`(
        object: any Sendable,
        type: String,
        path: String
    ) {
        let error = #expect(throws: ForeignValue.self) { try FoundationValue.value(object) }
        #expect(error?.type == type)
        #expect(error?.path.description == path)
    }

    @Test func `the border to Foundation refuses a value that is nested deeper than a store can hold`() {
        var object: Any = 1
        for _ in 0...PropertyListValue.maximumNesting { object = [object] }
        #expect(throws: ForeignValue.self) { try FoundationValue.value(object) }
    }
}

import Foundation
@_spi(StoreAuthors) import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanTestSupport
import Testing

@Suite
struct JSONNestingTests {
    /// The texts that open and close one level, and the length of the opening one.
    private static let levels = [("[", "]"), ("{\"a\":", "}"), ("[{\"a\":", "}]")]

    private static let limit = PropertyListValue.maximumNesting

    private static func nested(_ level: (String, String), _ count: Int, around core: String = "1") -> [UInt8] {
        Array((String(repeating: level.0, count: count) + core + String(repeating: level.1, count: count)).utf8)
    }

    @Test(arguments: levels)
    func `as many levels as allowed are read and written back, on a small stack`(level: (String, String)) throws {
        let count = level.0.hasPrefix("[{") ? Self.limit / 2 : Self.limit
        let bytes = Self.nested(level, count)
        // Only reading and writing happens there: comparing two such values takes more stack in a debug build.
        let results = try #require(
            SmallStackThread.run {
                Result {
                    let value = try JSONText.parse(bytes)
                    let table = try JSONText.parseTable(Array("{\"k\":".utf8) + bytes + Array("}".utf8))
                    let again = try JSONText.parse(try JSONText.encode(value))
                    return [value, table["k"], again, try JSONText.parseTable(JSONText.encode(table))["k"]]
                }
            }
        ).get()
        #expect(results.allSatisfy { $0 != nil && $0 == results[0] })
    }

    @Test func `the error for one level too many names the bracket that begins it`() {
        for (level, column) in [(("[", "]"), Self.limit + 1), (("{\"a\":", "}"), Self.limit * 5 + 1)] {
            let error = #expect(throws: JSONTextError.self) { try JSONText.parse(Self.nested(level, Self.limit + 1)) }
            #expect(error?.column == column)
            #expect(error?.description.contains("at most \(Self.limit) nested collections") == true)
        }
    }

    @Test(arguments: levels + [("{\"$dictionary\":", "}")])
    func `millions of brackets are refused at once, on a small stack`(level: (String, String)) throws {
        let bytes = Array(String(repeating: level.0, count: 2_000_000).utf8)
        let errors = try #require(
            SmallStackThread.run {
                [
                    Self.error { () throws(JSONTextError) in _ = try JSONText.parse(bytes) },
                    Self.error { () throws(JSONTextError) in
                        _ = try JSONText.parseTable(Array("{\"k\":".utf8) + bytes)
                    },
                ]
            }
        )
        for error in errors {
            #expect(error?.expected.contains("\(Self.limit) nested collections") == true)
            #expect(error.map { $0.column < 20_000 } == true)
        }
    }

    private static func error(from body: () throws(JSONTextError) -> Void) -> JSONTextError? {
        do throws(JSONTextError) {
            try body()
            return nil
        } catch {
            return error
        }
    }

    @Test func `a tagged form is not a level`() throws {
        var value = PropertyListValue.date(Date(timeIntervalSinceReferenceDate: 0.5))
        for _ in 0..<Self.limit { value = [value] }
        #expect(try JSONText.parse(try JSONText.encode(value)) == value)
        let (open, close) = (String(repeating: "[", count: Self.limit), String(repeating: "]", count: Self.limit))
        #expect(throws: JSONTextError.self) { try JSONText.parse(Array((open + "{\"$date\": true}" + close).utf8)) }
        #expect(throws: JSONTextError.self) { try JSONText.parse(Array((open + "{\"$dictionary\": {}}" + close).utf8)) }
    }

    @Test func `an escape is not a level`() throws {
        var value: PropertyListValue = ["$dictionary": .date(Date(timeIntervalSinceReferenceDate: 0.5))]
        for _ in 1..<Self.limit { value = ["$dictionary": value] }
        #expect(!value.isNestedDeeper())
        #expect(try JSONText.parse(try JSONText.encode(value)) == value)
        let table: PropertyListTable = ["$dictionary": value]
        #expect(try JSONText.parseTable(JSONText.encode(table)) == table)
    }

    @Test func `an object that turns out to be no escape counts as a level`() throws {
        func text(_ count: Int) -> [UInt8] {
            Self.nested(("{\"$dictionary\":", ",\"x\":1}"), count, around: "{}")
        }
        #expect(!(try JSONText.parse(text(Self.limit - 1))).isNestedDeeper())
        #expect(throws: JSONTextError.self) { try JSONText.parse(text(Self.limit)) }
        #expect(throws: JSONTextError.self) { try JSONText.parse(text(Self.limit + 100)) }
    }

    @Test func `levels inside an object that turns out not to be an escape are counted as well`() throws {
        func text(_ count: Int) -> [UInt8] {
            let arrays = String(decoding: Self.nested(("[", "]"), count), as: UTF8.self)
            return Array("{\"$dictionary\": {\"a\": \(arrays)}, \"x\": 1}".utf8)
        }
        #expect(!(try JSONText.parse(text(Self.limit - 2))).isNestedDeeper())
        #expect(throws: JSONTextError.self) { try JSONText.parse(text(Self.limit - 1)) }
    }
}

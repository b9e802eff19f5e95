import Foundation
import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore
import Testing

@Suite
struct TaggedFormTests {
    @Test(
        arguments: [
            (#"{"$data": ""}"#, .data(Data())), (#"{"$data": "aGk="}"#, .data(Data("hi".utf8))),
            (#"{"$real": "nan"}"#, .real(.nan)), (#"{"$real": "inf"}"#, .real(.infinity)),
            (#"{"$date": "nan"}"#, date(.nan)), (#"{"$date": "-inf"}"#, date(-.infinity)), (#"{"$date": 5}"#, date(5)),
            (#"{"$date": -2.5e300}"#, date(-2.5e300)), (#"{"\u0024date": 5, "x": null}"#, date(5)),
            (#"{"$dictionary": {}}"#, [:]), (#"{"$dictionary": {"$date": 5}}"#, ["$date": 5]),
            (#"{"$dictionary": {"$dictionary": {"$date": 5}}}"#, ["$dictionary": date(5)]),
            (#"{"$dictionary": {"$dictionary": {"$dictionary": {"$date": 5}}}}"#, ["$dictionary": ["$date": 5]]),
            (#"{"$dictionary": {"a": {"$date": 5}}}"#, ["a": date(5)]),
        ] as [(String, PropertyListValue)]
    )
    func `a tagged form reads as the value it stands for`(text: String, value: PropertyListValue) throws {
        #expect(try JSONText.parse(Array(text.utf8)) == value)
        #expect(try JSONText.parse(Array("[\(text)]".utf8)) == [value])
        #expect(try JSONText.parseTable(Array("{\"k\": \(text)}".utf8)) == ["k": value])
    }

    @Test(
        arguments: [
            ["$data": 5], ["$data": "a"], ["$data": "aGk"], ["$data": "aGl="], ["$data": " aGk="], ["$data": "aGk=\n"],
            ["$data": "a-_="], ["$date": "soon"], ["$date": true], ["$date": ["nan"]], ["$date": .real(.nan)],
            ["$date": .integer(PropertyListInteger(UInt64.max))], ["$real": "NaN"], ["$real": 1.5], ["$real": "1.5"],
            ["$ref": "x"], ["$Date": 5], ["$date": 5, "x": 1], ["$dictionary": 1], ["$dictionary": [1]],
            ["$dictionary": "x"],
            ["$dictionary": [:], "x": 1], ["$dictionary": ["$date": "soon"], "x": 1], ["$": 1], ["": 1],
        ] as [PropertyListValue]
    )
    func `a dictionary without a tag stays plain both ways`(value: PropertyListValue) throws {
        let text = String(decoding: try JSONText.encode(value), as: UTF8.self)
        #expect(text.firstRange(of: "$dictionary\": {\n    \"") == nil || value["$dictionary"] != nil)
        #expect(try JSONText.parse(Array(text.utf8)) == value)
    }

    @Test(
        arguments: [
            ["$data": "aGk="], ["$data": ""], ["$date": 5], ["$date": -0.5], ["$date": "inf"], ["$real": "-inf"],
            ["$date": "2026-11-21T10:50:00Z"], ["$dictionary": [:]], ["$dictionary": ["a": 1]],
            ["$dictionary": ["$date": 5]],
            ["$dictionary": date(5)], ["$dictionary": .data(Data())], ["$dictionary": .real(.nan)],
            ["$dictionary": ["$dictionary": ["$dictionary": date(5)]]],
        ] as [PropertyListValue]
    )
    func `a dictionary that would read as a tagged form is escaped`(value: PropertyListValue) throws {
        let text = String(decoding: try JSONText.encode(value), as: UTF8.self)
        #expect(text.hasPrefix("{\n  \"$dictionary\": {\n    \"$"))
        #expect(try JSONText.parse(Array(text.utf8)) == value)
        let table: PropertyListTable = ["k": value, "l": [value]]
        #expect(try JSONText.parseTable(JSONText.encode(table)) == table)
    }

    @Test(
        arguments: [
            (#"{"$dictionary": {"$date": 5}, "x": 1}"#, ["$dictionary": date(5), "x": 1]),
            (#"{"$dictionary": {"$dictionary": {"$date": 5}}, "x": 1}"#, ["$dictionary": ["$date": 5], "x": 1]),
            (#"{"x": 1, "$dictionary": {"$date": 5}}"#, ["$dictionary": date(5), "x": 1]),
            (
                #"{"$dictionary": {"$dictionary": {"$dictionary": {"$date": 5}}}, "x": 1}"#,
                ["$dictionary": ["$dictionary": date(5)], "x": 1]
            ),
            (#"{"$dictionary": {"$date": 5}, "x": null}"#, ["$date": 5]),
        ] as [(String, PropertyListValue)]
    )
    func `an escape is one only without other members`(text: String, value: PropertyListValue) throws {
        #expect(try JSONText.parse(Array(text.utf8)) == value)
        #expect(try JSONText.parse(try JSONText.encode(value)) == value)
    }

    private static func date(_ interval: Double) -> PropertyListValue {
        .date(Date(timeIntervalSinceReferenceDate: interval))
    }
}

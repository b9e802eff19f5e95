import Foundation
@_spi(StoreAuthors) import KeyspanCore
import Testing

/// Swift's dictionaries and sets hold only one of several texts that are equal to `String`; the others are reported.
@Suite struct EqualTextTests {
    private static let entries: PropertyListValue = ["\u{E9}": 1, "e\u{301}": 2, "z": 3]

    @Test func `a name that is equal to another one is reported with both`() throws {
        let defaults = Defaults(InMemoryStore(["d": Self.entries]))
        let key = Defaults.Key<[String: Int]>("d", default: [:])
        let problems = reportedProblems { #expect(defaults[key] == ["e\u{301}": 2, "z": 3]) }
        #expect(problems.count == 1)
        #expect(problems.first?.contains(#""\u{00E9}""#) == true && problems.first?.contains(#""e\u{0301}""#) == true)
        let error = #expect(throws: Defaults.ReadError.self) { try defaults.value(for: key) }
        #expect(error?.cause.path == ValuePath([.name("\u{E9}")]))
    }

    @Test func `an exact dictionary refuses it`() throws {
        let error = #expect(throws: ValueDecodingError.self) { try [String: Int](propertyListValue: Self.entries) }
        #expect(error?.description.contains(#""e\u{0301}""#) == true)
    }

    @Test func `numbers that are written in two ways are reported too`() throws {
        let defaults = Defaults(InMemoryStore(["d": ["7": 1.5, "07": 2.5]]))
        let key = Defaults.Key<[Int: Double]>("d", default: [:])
        let problems = reportedProblems { #expect(defaults[key] == [7: 2.5]) }
        #expect(problems.count == 1)
    }

    /// A stored dictionary with names that make one key, and its strict readers.
    struct Collision: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let read: @Sendable () throws -> Void

        init<Value: Defaults.Serializable>(_ type: Value.Type, _ stored: PropertyListValue) {
            testDescription = "\(stored) as \(type)"
            read = { _ = try Defaults(InMemoryStore(["d": stored])).value(for: Defaults.Key<Value?>("d")) }
        }

        init<Value: Defaults.Serializable>(_ type: Value.Type, json: String) {
            self.init(type, .data(Data(json.utf8)))
        }
    }

    struct Counts: Codable, Defaults.Serializable, Defaults.PreferStructured {
        var counts: [Int: Int]
    }

    enum Digit: Int, Codable, CodingKeyRepresentable {
        case one = 1
    }

    struct Digits: Codable, Defaults.Serializable, Defaults.PreferStructured {
        var counts: [Digit: Int]
    }

    @Test(arguments: [
        Collision([Int: Int].self, ["1": 5, "01": 6, "+1": 7]),
        Collision([Int: Int].self, ["1": "5", "01": "6", "+1": "7"]),
        Collision([[Int: Int]].self, [["1": 5, "+1": 7]]),
        Collision([Double: Int].self, ["1": 5, "1.0": 6]),
        Collision([Int: Int].self, json: #"{"1":5,"01":6,"+1":7}"#),
        Collision([Int: [String]].self, json: #" { "1" : ["{\"1\":[", "]"] , "\u0030\u0031":[] } "#),
        Collision([String: Int].self, json: #"{"a":5,"a":6}"#),
        Collision([String: Int].self, json: "{\"\u{E9}\":5,\"e\u{301}\":6}"),
        Collision(Counts.self, ["counts": ["1": 5, "01": 6, "+1": 7]]),
        Collision(Digits.self, ["counts": ["1": 5, "01": 6]]),
    ])
    func `a strict read of names that make one key throws and names them`(_ collision: Collision) {
        let error = #expect(throws: Defaults.ReadError.self) { try collision.read() }
        #expect(error?.description.contains("make equal keys") == true)
        let texts = [#""01""#, #""1""#, #""1.0""#, #""a""#, #""e\u{0301}""#]
        #expect(texts.contains { error?.description.contains($0) == true })
    }

    @Test func `names that differ only inside of JSON text in data are read`() throws {
        let json = Data(#"{"a":{"b":1},"b":{"b":2,"a":3},"\"a":{"\\":4}}"#.utf8)
        let defaults = Defaults(InMemoryStore(["d": .data(json)]))
        let key = Defaults.Key<[String: [String: Int]]>("d", default: [:])
        #expect(try defaults.value(for: key) == ["a": ["b": 1], "b": ["b": 2, "a": 3], "\"a": ["\\": 4]])
    }

    @Test func `a text that is equal to another one of a set is reported with its index`() throws {
        let defaults = Defaults(InMemoryStore(["s": ["\u{E9}", "e\u{301}", "a", "a"]]))
        let key = Defaults.Key<Set<String>>("s", default: [])
        let problems = reportedProblems { #expect(defaults[key] == ["\u{E9}", "a"]) }
        #expect(problems.count == 1)
        #expect(problems.first?.contains("[1]") == true)
        #expect(throws: Defaults.ReadError.self) { try defaults.value(for: key) }
    }

    @Test func `a structured value with such a dictionary is not read`() throws {
        #expect(throws: (any Error).self) {
            try PropertyListValueDecoder().decode([String: Int].self, from: Self.entries)
        }
    }

    @Test func `all of it is there for who reads property-list values`() throws {
        let defaults = Defaults(InMemoryStore(["d": Self.entries]))
        #expect(defaults[Defaults.Key<PropertyListValue>("d", default: [:])] == Self.entries)
    }
}

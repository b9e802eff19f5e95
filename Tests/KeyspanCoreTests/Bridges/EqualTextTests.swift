import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
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
        let defaults = Defaults(InMemoryStore(["d": ["7": 1.5, "07": 2.5, "+7": 3.5, "08": 4.5]]))
        let key = Defaults.Key<[Int: Double]>("d", default: [:])
        // The name that the key itself writes counts.
        let problems = reportedProblems { #expect(defaults[key] == [7: 1.5, 8: 4.5]) }
        #expect(problems.count == 2)
        #expect(problems.allSatisfy { $0.contains(#"and "7" make equal keys"#) }, "\(problems)")
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

    struct Tag: Codable, Hashable, Defaults.Serializable {
        var text: String
    }

    struct StructuredTag: Codable, Hashable, Defaults.Serializable, Defaults.PreferStructured {
        var text: String
    }

    struct Tags: Codable, Defaults.Serializable, Defaults.PreferStructured {
        var set: Set<String> = []
        var counts: [String: Int] = [:]
        var list: [String] = []
    }

    @Test(arguments: [
        Collision([[String: Int]].self, json: "[{\"\u{E9}\":1,\"e\u{301}\":2}]"),
        Collision([String: [String: Int]].self, json: #"{"a":{"\u00e9":1,"e\u0301":2}}"#),
        Collision([String: [Int: Int]].self, json: #"{"a":{"1":1,"01":2}}"#),
        Collision([[String: Int]].self, json: #"[{"K":1,"\u212a":2}]"#),
        Collision([[String: Int]].self, json: "[{\"K\":1,\"\u{212A}\":2}]"),
        Collision([[String: Int]].self, json: "[{\"\u{419}\":1,\"\u{418}\u{306}\":2}]"),
        Collision(Set<String>.self, json: "[\"\u{E9}\",\"e\u{301}\"]"),
        Collision(Set<[String]>.self, json: "[[\"\u{E9}\"],[\"e\u{301}\"]]"),
        Collision(Tags.self, .string("{\"set\":[],\"counts\":{\"\u{E9}\":1,\"e\u{301}\":2},\"list\":[]}")),
        Collision(Tags.self, json: "{\"set\":[\"\u{E9}\",\"e\u{301}\"],\"counts\":{},\"list\":[\"\u{E9}\"]}"),
        Collision(Tags.self, ["set": ["\u{E9}", "e\u{301}"], "counts": [:], "list": []]),
        Collision(Tags.self, ["set": [], "counts": ["\u{E9}": 1, "e\u{301}": 2], "list": []]),
        Collision(Set<Tag>.self, json: "[{\"text\":\"\u{E9}\"},{\"text\":\"e\u{301}\"}]"),
    ])
    func `a value that would hold one of two such texts is not read`(_ collision: Collision) {
        let error = #expect(throws: Defaults.ReadError.self) { try collision.read() }
        #expect(error?.description.contains("\u{E9}") == false)
    }

    @Test(arguments: [.utf16, .utf16LittleEndian, .utf16BigEndian, .utf32LittleEndian] as [String.Encoding])
    func `the encoding of JSON text makes no difference`(_ encoding: String.Encoding) throws {
        for json in ["{\"\u{E9}\":1,\"e\u{301}\":2}", "{\"a\":1,\"a\":2}"] {
            let collision = Collision([String: Int].self, .data(try #require(json.data(using: encoding))))
            let error = #expect(throws: Defaults.ReadError.self) { try collision.read() }
            #expect(error?.description.contains("make equal keys") == true)
        }
        let nested = try #require("[{\"\u{E9}\":1,\"e\u{301}\":2}]".data(using: encoding))
        #expect(throws: Defaults.ReadError.self) { try Collision([[String: Int]].self, .data(nested)).read() }
    }

    @Test func `JSON text whose type holds both texts is read`() throws {
        let list = Collision([String].self, json: "[\"\u{E9}\",\"e\u{301}\"]")
        let names = Collision([String: [String: Int]].self, json: #"{"a":{"1":1,"01":2},"b":{"\u00e9":1}}"#)
        let numbers = Collision([String: [Int: Int]].self, json: #"{"a":{"1":1},"b":{"01":2}}"#)
        let ignored = "[{\"text\":\"\u{E9}\",\"title\":\"e\u{301}\"},{\"text\":\"e\u{301}\",\"title\":\"\u{E9}\"}]"
        let known = Collision([Tag].self, json: ignored)
        for collision in [list, names, numbers, known] { try collision.read() }
        let key = Defaults.Key<Tags>("t", default: Tags())
        let json = "{\"set\":[\"\u{E9}\"],\"counts\":{\"e\u{301}\":1},\"list\":[\"\u{E9}\",\"e\u{301}\",\"e\u{301}\"]}"
        let tags = try Defaults(InMemoryStore(["t": .string(json)])).value(for: key)
        #expect(tags.list.map { Array($0.utf8) } == ["\u{E9}", "e\u{301}", "e\u{301}"].map { Array($0.utf8) })
    }

    /// A set whose second element is equal to the first one, and reads of it.
    struct EqualElements: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let check: @Sendable () throws -> Void

        init<Value: Defaults.Serializable & Sendable>(_ type: Value.Type, empty: Value, _ stored: PropertyListValue) {
            testDescription = "\(stored) as \(type)"
            check = {
                let defaults = Defaults(InMemoryStore(["s": stored]))
                let key = Defaults.Key<Value>("s") { empty }
                let problems = reportedProblems { _ = defaults[key] }
                #expect(problems.count == 1 && problems.first?.contains("[1]") == true, "\(problems)")
                let error = #expect(throws: Defaults.ReadError.self) { try defaults.value(for: key) }
                #expect(error?.cause.path == ValuePath([.index(1)]))
                defaults[key] = empty
                #expect(defaults.keptValues(for: key).map(\.entries) == [["s": stored]])
            }
        }
    }

    @Test(arguments: [
        EqualElements(Set<String>.self, empty: [], ["\u{E9}", "e\u{301}"]),
        EqualElements(Set<[String]>.self, empty: [], [["\u{E9}"], ["e\u{301}"], ["e"], ["e"]]),
        EqualElements(Set<StructuredTag>.self, empty: [], [["text": "\u{E9}"], ["text": "e\u{301}"]]),
        EqualElements(Set<Tag>.self, empty: [], ["{\"text\":\"\u{E9}\"}", "{\"text\":\"e\u{301}\"}"]),
        EqualElements(Set<Double>.self, empty: [], [0.0, -0.0]),
        EqualElements(Basket<[String]>.self, empty: [], [["\u{E9}"], ["e\u{301}"]]),
    ])
    func `an element that only a set takes for another one is reported and kept`(_ elements: EqualElements) throws {
        try elements.check()
    }

    @Test func `elements that are written in two ways but store as one are duplicates`() throws {
        let store = InMemoryStore(["numbers": [1, 1.0], "tags": [#"{"text":"a"}"#, #"{ "text": "a" }"#]])
        #expect(try Defaults(store).value(for: Defaults.Key<Set<Double>>("numbers", default: [])) == [1])
        #expect(try Defaults(store).value(for: Defaults.Key<Set<Tag>>("tags", default: [])).count == 1)
    }

    @Test func `names that differ only inside of JSON text in data are read`() throws {
        let json = Data(#"{"a":{"b":1},"b":{"b":2,"a":3},"\"a":{"\\":4}}"#.utf8)
        let defaults = Defaults(InMemoryStore(["d": .data(json)]))
        let key = Defaults.Key<[String: [String: Int]]>("d", default: [:])
        #expect(try defaults.value(for: key) == ["a": ["b": 1], "b": ["b": 2, "a": 3], "\"a": ["\\": 4]])
    }

    @Test func `all of it is there for who reads property-list values`() throws {
        let defaults = Defaults(InMemoryStore(["d": Self.entries]))
        #expect(defaults[Defaults.Key<PropertyListValue>("d", default: [:])] == Self.entries)
    }
}

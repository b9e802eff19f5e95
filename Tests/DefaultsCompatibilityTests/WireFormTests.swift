import Foundation
import Keyspan
import KeyspanTestSupport
import Testing

/// What Defaults 9 stores for each type, as the literal property list that its bridges make, and what Keyspan does with it.
@Suite struct WireFormTests {
    /// A value and the form that Defaults stores for it.
    struct Form: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let verify: @Sendable () throws -> Void

        init<Value: Defaults.Serializable & Equatable & Sendable>(_ value: Value, is stored: PropertyListValue) {
            testDescription = "\(Value.self): \(stored)"
            verify = {
                let defaults = Defaults(InMemoryStore(["key": stored]))
                let key = Defaults.Key<Value?>("key")
                let strictlyRead = try defaults.storedValue(for: key)
                #expect(strictlyRead == value)
                #expect(defaults[key] == value)
                #expect(Value.toValue(stored) == value)
                let store = InMemoryStore()
                try Defaults(store).set(value, for: Defaults.Key<Value?>("key"))
                #expect(store.value(forKey: "key") == stored)
                #expect(Value.toSerializable(value) == stored)
            }
        }
    }

    private static let native = [
        Form(true, is: true), Form(false, is: false), Form(-7, is: -7), Form(Int8.min, is: -128),
        Form(Int16.max, is: 32_767), Form(Int32.min, is: -2_147_483_648), Form(Int64.max, is: .init(Int64.max)),
        Form(UInt.max, is: .init(UInt.max)), Form(UInt8.max, is: 255), Form(UInt16.max, is: 65_535),
        Form(UInt32.max, is: 4_294_967_295), Form(UInt64.max, is: .init(UInt64.max)),
        Form(Float(0.1), is: .real(Double(Float(0.1)))), Form(0.1, is: 0.1), Form("text", is: "text"),
        Form(Date(timeIntervalSinceReferenceDate: 1.5), is: .date(Date(timeIntervalSinceReferenceDate: 1.5))),
        Form(Data([0xCA, 0xFE]), is: .data(Data([0xCA, 0xFE]))),
    ]

    private static let converted = [
        Form(URL(string: "https://example.com/a?b=c"), is: #""https:\/\/example.com\/a?b=c""#),
        Form(UUID(uuidString: "c0ffee00-0000-4000-8000-00000000000a"), is: "C0FFEE00-0000-4000-8000-00000000000A"),
        Form(Difficulty.hard, is: 5), Form(Alerts([.storm, .nightfall]), is: 5),
        Form(Region.alps, is: #""alps""#), Form(Units.metric, is: "metric"), Form(Grade.second, is: "2"),
        Form(Shelter(name: "Hut", beds: 4), is: #"{"beds":4,"name":"Hut"}"#),
        Form(
            Visit(at: Date(timeIntervalSinceReferenceDate: 2.5), photo: Data([1, 2]), link: nil),
            is: #"{"at":2.5,"photo":"AQI="}"#
        ),
        Form(Coordinate(latitude: 1, longitude: 2), is: ["lat": 1.0, "lon": 2.0]),
        Form(
            Stage(from: Shelter(name: "A", beds: 1), to: Shelter(name: "B", beds: 2)),
            is: [#"{"beds":1,"name":"A"}"#, #"{"beds":2,"name":"B"}"#]
        ),
    ]

    private static let collections = [
        Form([1, 2], is: [1, 2]), Form([[true], []], is: [[true], []]), Form([Int?](), is: []),
        Form([1, 2] as [Int?], is: [1, 2]), Form(["a": 1] as [String: Int?], is: ["a": 1]),
        Form([Region.alps, .highlands], is: [#""alps""#, #""highlands""#]),
        Form([Shelter(name: "Hut", beds: 4)], is: [#"{"beds":4,"name":"Hut"}"#]),
        Form([Coordinate(latitude: 1, longitude: 2)], is: [["lat": 1.0, "lon": 2.0]]),
        Form(Set([2, 1]), is: [1, 2]), Form(Set([Difficulty.hard, .easy]), is: [1, 5]),
        Form(Set([Region.highlands]), is: [#""highlands""#]),
        Form(["k": "v"], is: ["k": "v"]), Form(["k": [Units.metric]], is: ["k": ["metric"]]),
        Form(["k": Shelter(name: "Hut", beds: 4)], is: ["k": #"{"beds":4,"name":"Hut"}"#]),
        Form([["k": Set([Region.alps])]], is: [["k": [#""alps""#]]]),
        Form(Waypoints([Coordinate(latitude: 1, longitude: 2)]), is: [["lat": 1.0, "lon": 2.0]]),
        Form(Waypoints(["b", "a"]), is: ["b", "a"]),
        Form(GearSet([Units.metric]), is: ["metric"]), Form(GearSet(["axe"]), is: ["axe"]),
    ]

    /// In a dictionary whose keys are not strings, Defaults stores what is native elsewhere as JSON text.
    private static let dictionariesOfOtherKeys = [
        Form([7: 1.5], is: ["7": "1.5"]), Form([true: "yes"], is: ["true": #""yes""#]),
        Form([1: true], is: ["1": "true"]),
        Form([1: Float(0.1)], is: ["1": "0.1"]), Form([1: UInt64.max], is: ["1": "18446744073709551615"]),
        Form([1: Date(timeIntervalSinceReferenceDate: 2.5)], is: ["1": "2.5"]),
        Form([1: Data([1, 2])], is: ["1": #""AQI=""#]),
        Form([0.5: ["a", "b"]], is: ["0.5": [#""a""#, #""b""#]]), Form([1: [[2], []]], is: ["1": [["2"], []]]),
        Form([1: ["k": [2]]], is: ["1": ["k": ["2"]]]), Form(["k": [1: 2]], is: ["k": ["1": "2"]]),
        Form([1: 2] as [Int: Int?], is: ["1": "2"]),
        Form([1: Set([2])], is: ["1": [2]]), Form([1: 2...3], is: ["1": [2, 3]]),
        Form([1: Waypoints([2])], is: ["1": [2]]),
        Form([1: Difficulty.hard], is: ["1": 5]), Form([1: Units.metric], is: ["1": "metric"]),
        Form([1: Region.alps], is: ["1": #""alps""#]), Form([1: [Difficulty.hard]], is: ["1": [5]]),
        Form([1: Coordinate(latitude: 1, longitude: 2)], is: ["1": ["lat": 1.0, "lon": 2.0]]),
        Form([1: "x" as Defaults.AnySerializable], is: ["1": "x"]),
    ]

    private static let ranges = [
        Form(1..<3, is: [1, 3]), Form(1...3, is: [1, 3]), Form("a"..."b", is: ["a", "b"]),
        Form(
            Date(timeIntervalSinceReferenceDate: 0)..<Date(timeIntervalSinceReferenceDate: 1),
            is: [.date(Date(timeIntervalSinceReferenceDate: 0)), .date(Date(timeIntervalSinceReferenceDate: 1))]
        ),
        Form(Grade.first..<Grade.second, is: ["1", "2"]), Form([0.5...1.5], is: [[0.5, 1.5]]),
    ]

    private static let any = [
        Form(42 as Defaults.AnySerializable, is: 42), Form(true as Defaults.AnySerializable, is: true),
        Form(0.5 as Defaults.AnySerializable, is: 0.5), Form("text" as Defaults.AnySerializable, is: "text"),
        Form([1, "a"] as Defaults.AnySerializable, is: [1, "a"]),
        Form(["a": 1, "b": "c"] as Defaults.AnySerializable, is: ["a": 1, "b": "c"]),
        Form(Defaults.AnySerializable(Data([1])), is: .data(Data([1]))),
        Form(Defaults.AnySerializable(Region.alps), is: #""alps""#),
        Form(Defaults.AnySerializable(Difficulty.hard), is: 5),
        Form(["k": 1, "l": [true]] as [String: Defaults.AnySerializable], is: ["k": 1, "l": [true]]),
    ]

    private static let all = native + converted + collections + dictionariesOfOtherKeys + ranges + any

    @Test(arguments: all)
    func `what Defaults wrote is read, and what is written is what Defaults writes`(_ form: Form) throws {
        try form.verify()
    }

    @Test func `nil is no entry`() throws {
        let store = InMemoryStore(["number": 1, "any": 1])
        Defaults(store)[Defaults.Key<Int?>("number")] = nil
        Defaults(store)[Defaults.Key<Defaults.AnySerializable>("any", default: 0)] = nil
        #expect(store.snapshot().isEmpty)
    }

    /// Defaults stores a set in the order in which its elements happen to be; any order is read.
    @Test(arguments: [[1, 2, 3], [3, 1, 2], [2, 2, 3, 1]] as [PropertyListValue])
    func `a set is read in any order`(_ stored: PropertyListValue) {
        #expect(Set<Int>.toValue(stored) == [1, 2, 3])
        #expect(GearSet<Int>.toValue(stored) == GearSet([1, 2, 3]))
    }

    @Test func `the plain form is read in dictionaries of other keys too`() {
        #expect([Int: Double].toValue(["7": 1.5]) == [7: 1.5])
        #expect([Int: [String]].toValue(["7": ["plain"]]) == [7: ["plain"]])
        #expect([Int: String].toValue(["7": "1"]) == [7: "1"])
        #expect([Int: Bool].toValue(["7": 1]) == nil)
    }

    /// A part that cannot be read is left out of a collection whose elements have a bridge, as Defaults leaves it out.
    @Test func `elements that cannot be read are left out, and told`() {
        let store = InMemoryStore(["regions": [#""alps""#, #""moon""#], "units": ["a": "metric", "b": "cubits"]])
        let reported = reportedProblems {
            #expect(Defaults(store)[Defaults.Key<[Region]>("regions", default: [])] == [.alps])
            #expect(Defaults(store)[Defaults.Key<[String: Units]>("units", default: [:])] == ["a": .metric])
        }
        #expect(reported.count == 2)
    }

    /// Where Defaults goes on with another value in silence, and Keyspan does not; each is in *Coming from Defaults*.
    @Test func `known differences`() throws {
        // Foundation's number objects convert between truth values, integers and reals; there is no such conversion here.
        #expect(Bool.toValue(1) == nil && Int.toValue(true) == nil && Int.toValue(1.0) == nil)
        #expect(Double.toValue(1) == 1.0)
        // Defaults makes a range of bounds that are out of order, which traps later, and ignores a third element.
        #expect(ClosedRange<Int>.toValue([3, 1]) == nil && ClosedRange<Int>.toValue([1, 3, 5]) == nil)
        // Defaults removes the key when a value cannot be encoded.
        let store = InMemoryStore()
        let ratio = Defaults.Key<Ratio?>("ratio")
        try Defaults(store).set(Ratio(value: 0.5), for: ratio)
        let reported = reportedProblems { Defaults(store)[ratio] = Ratio(value: .nan) }
        #expect(reported.count == 1)
        #expect(store.value(forKey: "ratio") == #"{"value":0.5}"#)
        // A nil inside a collection ends the program in Defaults, because a store has no form for it.
        #expect([Int?].toSerializable([1, nil]) == nil)
    }
}

private enum Grade: Int, Codable, Comparable, Defaults.Serializable {
    case first = 1
    case second = 2

    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

private struct Visit: Codable, Equatable, Defaults.Serializable {
    var at: Date
    var photo: Data
    var link: URL?
}

private struct Ratio: Codable, Defaults.Serializable {
    var value: Double
}

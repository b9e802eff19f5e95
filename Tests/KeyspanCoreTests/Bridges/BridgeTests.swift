import Foundation
@_spi(StoreAuthors) import KeyspanCore
import Testing

/// Every built-in bridge: the forms that it stores, reads back and rejects.
@Suite struct BridgeTests {
    /// A value and the form that a store has of it, checked in both directions.
    struct Pair: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let verify: @Sendable () throws -> Void

        init<Value: Defaults.Serializable & Equatable & Sendable>(_ value: Value, _ stored: PropertyListValue) {
            testDescription = "\(Value.self): \(stored)"
            verify = {
                let store = InMemoryStore()
                let defaults = Defaults(store)
                let key = Defaults.Key<Value?>("key")
                try defaults.set(value, for: key)
                #expect(store.value(forKey: "key") == stored)
                #expect(try defaults.storedValue(for: key) == value)
                #expect(defaults[key] == value)
                // A second key has no cache, so it decodes what was stored.
                #expect(defaults[Defaults.Key<Value?>("key")] == value)
                defaults[key] = nil
                #expect(store.value(forKey: "key") == nil)
            }
        }
    }

    /// `DefaultsCompatibilityTests` has the forms of more types.
    @Test(arguments: [
        Pair(Double.infinity, .real(.infinity)), Pair(PropertyListValue.array([1, "a"]), [1, "a"]),
        Pair(UUID(uuidString: "C0FFEE00-0000-4000-8000-00000000000A")!, "C0FFEE00-0000-4000-8000-00000000000A"),
        Pair(URL(string: "https://a.b/c?d=e")!, "\"https:\\/\\/a.b\\/c?d=e\""),
        Pair(Decimal(string: "1.10")!, "1.1"),
        Pair(Decimal(string: "-0.000000000000000000000000000001")!, "-0.000000000000000000000000000001"),
        Pair(Decimal(UInt64.max), "18446744073709551615"),
        Pair(Fruit.pear, "pear"), Pair(Level.high, "2"), Pair(Mode.safe, "safe"),
        Pair(User(name: "Ann", age: 3), "{\"age\":3,\"name\":\"Ann\"}"), Pair(Point(x: 1, y: 2), ["x": 1.0, "y": 2.0]),
    ])
    func `a value that is no collection is stored in the documented form`(_ pair: Pair) throws {
        try pair.verify()
    }

    @Test(arguments: [
        Pair([1, 2], [1, 2]), Pair([[true], []], [[true], []]), Pair([Fruit.apple], ["apple"]),
        Pair([User(name: "A", age: 1)], ["{\"age\":1,\"name\":\"A\"}"]),
        Pair([Point(x: 0, y: 1)], [["x": 0.0, "y": 1.0]]),
        Pair(Set([3, 1, 2]), [1, 2, 3]), Pair(Set([Fruit.pear, .apple]), ["apple", "pear"]),
        Pair(["a": 1], ["a": 1]), Pair([1: "one", -2: "two"], ["1": #""one""#, "-2": #""two""#]),
        Pair(["k": [Fruit.pear]], ["k": ["pear"]]), Pair([1.5: Set([true])], ["1.5": [true]]),
        Pair(1..<3, [1, 3]), Pair(1...3, [1, 3]), Pair("a"..<"b", ["a", "b"]), Pair(0.5...0.5, [0.5, 0.5]),
        Pair([1...2], [[1, 2]]),
        Pair([1: Double.infinity, 2: 0.5], ["1": .real(.infinity), "2": "0.5"]),
        Pair([1: [0, -Float.infinity]], ["1": ["0", .real(-.infinity)]]),
        Pair([1: ["a": Optional(Double.infinity)]], ["1": ["a": .real(.infinity)]]),
        Pair(["a": [1: Double.infinity]], ["a": ["1": .real(.infinity)]]),
        Pair(
            [1: Date(timeIntervalSinceReferenceDate: .infinity)],
            ["1": .date(Date(timeIntervalSinceReferenceDate: .infinity))]
        ),
    ])
    func `collections and ranges are stored by their elements`(_ pair: Pair) throws {
        try pair.verify()
    }

    @Test func `an optional of optionals has no entry if one of them is nil`() throws {
        let store = InMemoryStore()
        let defaults = Defaults(store)
        let twice = Defaults.Key<Int??>("k", default: .some(nil))
        let values: [(Int???, PropertyListValue?)] = [
            (5, 5), (.some(.some(nil)), nil), (5, 5), (.some(nil), nil), (5, 5), (nil, nil),
        ]
        for (value, stored) in values {
            try defaults.set(value, for: Defaults.Key<Int???>("k"))
            #expect(
                store.value(forKey: "k") == stored && defaults[Defaults.Key<Int???>("k")] == (stored == nil ? nil : 5)
            )
        }
        try defaults.set(.some(nil), for: twice)
        #expect(store.value(forKey: "k") == nil && defaults[twice] == .some(nil))
        defaults.update { $0[twice] = 6 }
        #expect(store.value(forKey: "k") == 6 && defaults[Defaults.Key<Int??>("k", default: nil)] == 6)
        defaults.modify(twice) { $0 = .some(nil) }
        #expect(store.value(forKey: "k") == nil)

        let date = Defaults.Key<Date??>("date")
        try defaults.set(Date(timeIntervalSinceReferenceDate: 1), for: date)
        try defaults.set(.some(nil), for: date)
        let theme = Defaults.Key<Fruit??>("theme")
        try defaults.set(.pear, for: theme)
        #expect(store.value(forKey: "theme") == "pear")
        try defaults.set(.some(nil), for: theme)
        // Of a bridge with several entries, too.
        let window = Defaults.Key<Window??>("window")
        try defaults.set(Window(width: 1, height: 2), for: window)
        #expect(store.value(forKey: "window.width") == 1.0)
        #expect(try defaults.value(for: Defaults.Key<Window??>("window")) == Window(width: 1, height: 2))
        try defaults.set(.some(nil), for: window)
        #expect(store.snapshot().isEmpty)
        #expect(throws: Defaults.WriteError.self) {
            try defaults.set([.some(nil)], for: Defaults.Key<[Int??]>("l", default: []))
        }
        try store.apply(PropertyListBatch(.set("x", key: "k")))
        let error = #expect(throws: Defaults.ReadError.self) { try defaults.value(for: twice) }
        #expect(error?.description.contains("expected an integer but found the string") == true)
    }

    /// A stored value that a type refuses, and the words of the refusal.
    struct Refusal: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let verify: @Sendable () -> Void

        init<Value: Defaults.Serializable>(_ stored: PropertyListValue, as type: Value.Type, because reason: String) {
            self.init(stored, as: type, ValueDecodingError.unreadable(stored, reason: reason).description)
        }

        init<Value: Defaults.Serializable>(_ stored: PropertyListValue, as type: Value.Type, _ description: String) {
            testDescription = "\(stored) as \(type)"
            verify = {
                let key = Defaults.Key<Value?>("key")
                let store = InMemoryStore(["key": stored])
                let error = #expect(throws: Defaults.ReadError.self) { try Defaults(store).storedValue(for: key) }
                #expect(error?.cause.description == description)
                #expect(store.value(forKey: "key") == stored)
            }
        }
    }

    @Test(arguments: [
        Refusal("true", as: Bool.self, "expected true or false but found a string"),
        Refusal(1, as: Bool.self, "expected true or false but found an integer"),
        Refusal(true, as: Int.self, "expected an integer but found a boolean"),
        Refusal(1.0, as: Int.self, "expected an integer but found a real"),
        Refusal(1, as: String.self, "expected a string but found an integer"),
        Refusal("1", as: Double.self, "expected a number but found a string"),
        Refusal("x", as: Data.self, "expected data but found a string"),
        Refusal("2001-01-01", as: Date.self, because: "it is not a date; write it as 2026-11-21T10:50:00Z"),
        Refusal(1, as: [Int].self, "expected an array but found an integer"),
        Refusal([], as: [String: Int].self, "expected a dictionary but found an array"),
        Refusal([1, "2"], as: [Int].self, "expected an integer but found a string (at [1])"),
        Refusal([["a": [true]]], as: [[String: [Int]]].self, "expected an integer but found a boolean (at [0].a[0])"),
        Refusal(["x": 1.0, "y": "2"], as: Point.self, "expected a number but found a string (at .y)"),
        Refusal(["one", 2], as: Set<String>.self, "expected a string but found an integer (at [1])"),
        Refusal([1, true], as: Range<Int>.self, "expected an integer but found a boolean (at [1])"),
        Refusal(1, as: User.self, "expected a dictionary but found an integer"),
        Refusal(256, as: UInt8.self, because: "it is not between 0 and 255"),
        Refusal(-1, as: UInt64.self, because: "it is not between 0 and 18446744073709551615"),
        Refusal(
            .init(UInt64.max),
            as: Int.self,
            because: "it is not between -9223372036854775808 and 9223372036854775807"
        ),
        Refusal(
            9_007_199_254_740_993,
            as: Double.self,
            because: "a floating-point number of 64 bits cannot hold this integer exactly"
        ),
        Refusal(1e300, as: Float.self, because: "it is too large for a floating-point number of 32 bits"),
        Refusal(-1e-60, as: Float.self, because: "it is too close to zero for a floating-point number of 32 bits"),
        Refusal(
            16_777_217,
            as: Float.self,
            because: "a floating-point number of 32 bits cannot hold this integer exactly"
        ),
        Refusal(
            .init(UInt64.max),
            as: Float.self,
            because: "a floating-point number of 32 bits cannot hold this integer exactly"
        ),
        Refusal("kiwi", as: Fruit.self, because: "it is not a value of the type Fruit"),
        Refusal(
            "no-uuid",
            as: UUID.self,
            because: "it is not a UUID; write it as 6F1A0A3C-55A5-4A31-9C3F-0C8B7B6C1E57"
        ),
        Refusal("", as: URL.self, because: "it is not a URL; write it as https://example.com/path"),
        Refusal("1.1kg", as: Decimal.self, because: "it is not a decimal number; write it as 1.10"),
        Refusal("", as: Decimal.self, because: "it is not a decimal number; write it as 1.10"),
        Refusal(["x": 1.0], as: Point.self, because: "PointBridge makes no Point from it"),
        Refusal([3, 1], as: ClosedRange<Int>.self, because: "a range is two bounds, the lower one first"),
        Refusal([1], as: Range<Int>.self, because: "a range is two bounds, the lower one first"),
        Refusal(
            ["x": 1],
            as: [Int: Int].self,
            "found an integer that cannot be read: its name is not an integer (at .x)"
        ),
        Refusal(
            ["1e-400": 1],
            as: [Double: Int].self,
            "found an integer that cannot be read: its name is not a number (at .1e-400)"
        ),
        Refusal(
            ["16777217": 1],
            as: [Float: Int].self,
            "found an integer that cannot be read: its name is not a number (at .16777217)"
        ),
        Refusal(["1": "yes"], as: [Int: Bool].self, "expected true or false but found a string (at .1)"),
        Refusal(["1": "1e-400"], as: [Int: Double].self, "expected a number but found a string (at .1)"),
        Refusal(["1": "300"], as: [Int: UInt8].self, "expected an integer but found a string (at .1)"),
        Refusal(
            ["1": ["1e-400"]],
            as: [Int: [Int]].self,
            "found a string that cannot be read: an integer has neither a fraction nor an exponent (at .1[0])"
        ),
        Refusal(
            ["1": "16777217"],
            as: [Int: Float?].self,
            "found a string that cannot be read: a floating-point number of 32 bits cannot hold this integer exactly (at .1)"
        ),
        Refusal(
            ["1": "soon"],
            as: [Int: Date].self,
            "found a string that cannot be read: it is not a date; write it as 2026-11-21T10:50:00Z (at .1)"
        ),
        // The initializer of `Character` would end the program.
        Refusal(
            ["ab": 1],
            as: [Character: Int].self,
            "found an integer that cannot be read: its name is not of the type Character (at .ab)"
        ),
        Refusal("{\"name\":\"A\"}", as: User.self, because: #"the JSON has no "age""#),
        Refusal(
            "{\"name\":1,\"age\":1}",
            as: User.self,
            "found a string that cannot be read: the JSON is not text (at .name)"
        ),
        Refusal("{", as: User.self, because: "it is not valid JSON of this type"),
    ])
    func `a stored value that makes no value is refused with the reason and its place`(_ refusal: Refusal) {
        refusal.verify()
    }

    @Test func `a number that is not one is stored in every dictionary`() throws {
        let store = InMemoryStore()
        try Defaults(store).set([1: [.nan]], for: Defaults.Key<[Int: [Double]]>("key", default: [:]))
        #expect(store.value(forKey: "key") == ["1": [.real(.nan)]])
        #expect(Defaults(store)[Defaults.Key<[Int: [Double]]>("key", default: [:])][1]?.first?.isNaN == true)
    }

    /// The whole dictionary as JSON text in data, as `JSONEncoder` writes it and as people do.
    @Test func `a dictionary is read from JSON text in data, whatever its keys are`() throws {
        func read<Value: Defaults.Serializable>(_ json: String, as type: Value.Type = Value.self) throws -> Value? {
            let store = InMemoryStore(["key": .data(Data(json.utf8))])
            return try Defaults(store).value(for: Defaults.Key<Value?>("key"))
        }
        #expect(try read(#"{"1": 0.5}"#) == [1: 0.5])
        #expect(try read(#"{"1": 0.5}"#) == [UInt8(1): 0.5])
        #expect(try read(#"{"1.5": [1]}"#) == [1.5: [1]])
        #expect(try read(#"{"true": {"name": "Ann", "age": 3}}"#) == [true: User(name: "Ann", age: 3)])
        #expect(try read("[1.5, 2, 2.5, 3]") == [1.5: 2, 2.5: 3])
        #expect(try read("{}", as: [Double: Int].self)?.isEmpty == true)
        #expect(throws: Defaults.ReadError.self) { try read(#"{"256": 1}"#, as: [UInt8: Int].self) }
        #expect(throws: Defaults.ReadError.self) { try read(#"{"1": 1, "01": 2}"#, as: [UInt8: Int].self) }
        #expect(throws: Defaults.ReadError.self) { try read(#"{"1": "a"}"#, as: [UInt8: Int].self) }
        #expect(throws: Defaults.ReadError.self) { try read("[1.5, 2, 2.5]", as: [Double: Int].self) }
    }

    @Test func `what has no stored form is an error that names its place, and the old value stays`() throws {
        let defaults = Defaults(InMemoryStore())
        let points = Defaults.Key<[String: [Point]]>("points", default: [:])
        try defaults.set(["a": [Point(x: 1, y: 1)]], for: points)
        let error = #expect(throws: Defaults.WriteError.self) {
            try defaults.set(["a": [Point(x: 1, y: 1), Point(x: .nan, y: 1)]], for: points)
        }
        #expect(error?.description.contains("key \"points\".a[1]") == true)
        #expect(defaults[points] == ["a": [Point(x: 1, y: 1)]])
        #expect(throws: Defaults.WriteError.self) {
            try defaults.set([1, nil], for: Defaults.Key<[Int?]>("list", default: []))
        }
        #expect(throws: Defaults.WriteError.self) {
            try defaults.set(.nan, for: Defaults.Key<Decimal>("decimal", default: 0))
        }
        let reading = Defaults.Key<Reading>("reading", default: Reading(values: [:]))
        let refused = #expect(throws: Defaults.WriteError.self) {
            try defaults.set(Reading(values: ["bad": .nan]), for: reading)
        }
        #expect(refused?.description.contains("key \"reading\".values.bad") == true)
    }

    /// A set of elements, in the storage of sets of different capacity, whose orders differ.
    private static func storedForms<Element: Defaults.Serializable & Hashable>(
        _ elements: [Element]
    ) throws -> Set<PropertyListValue> {
        Set(
            try (0..<60).map { number in
                var set = Set<Element>(minimumCapacity: number * 17)
                set.formUnion(elements)
                return try #require(Set<Element>.toSerializable(set))
            }
        )
    }

    @Test func `equal sets have equal stored forms`() throws {
        let data = [1, 2, 3].map { [Data(repeating: 0, count: 16) + [$0]] }
        let mixed: [Defaults.AnySerializable] = [9, 10, 5.0, "9", true, [10], [9]]
        #expect(try Self.storedForms(data).count == 1)
        #expect(try Self.storedForms(mixed).count == 1)
        #expect(Set<Int>.toSerializable([10, 9, -1]) == [-1, 9, 10])
        #expect(
            Set<Double>.toSerializable([.nan, 10, .infinity, 9.5, -1]) == [
                -1.0, 9.5, 10.0, .real(.infinity), .real(.nan),
            ]
        )
        #expect(Set<String>.toSerializable(["b", "\u{E9}", "B", "10", "9"]) == ["10", "9", "B", "b", "\u{E9}"])
        #expect(Set<Bool>.toSerializable([true, false]) == [false, true])
    }
}

private struct Reading: Codable, Defaults.Serializable {
    var values: [String: Double]
}

enum Fruit: String, Defaults.Serializable {
    case apple, pear
}

enum Level: Int, Codable, Defaults.Serializable {
    case low = 1
    case high = 2
}

enum Mode: String, Codable, Defaults.Serializable, Defaults.PreferRawRepresentable {
    case fast, safe
}

struct User: Codable, Hashable, Defaults.Serializable {
    var name: String
    var age: Int
}

struct Point: Hashable {
    var x: Double
    var y: Double
}

/// A bridge with the two methods that every bridge has, and no more.
struct PointBridge: Defaults.Bridge {
    func serialize(_ value: Point?) -> [String: Double]? {
        value.flatMap { $0.x.isNaN ? nil : ["x": $0.x, "y": $0.y] }
    }

    func deserialize(_ object: [String: Double]?) -> Point? {
        guard let x = object?["x"], let y = object?["y"] else { return nil }
        return Point(x: x, y: y)
    }
}

extension Point: Defaults.Serializable {
    static let bridge = PointBridge()
}

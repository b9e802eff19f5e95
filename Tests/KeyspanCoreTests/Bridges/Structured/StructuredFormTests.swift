import Foundation
@_spi(StoreAuthors) import KeyspanCore
import Testing

/// The form of `Codable` values in a store, and the way back.
@Suite struct StructuredFormTests {
    /// A value and its structured form, checked in both directions.
    struct Pair: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let verify: @Sendable () throws -> Void

        init<Value: Codable & Equatable & Sendable>(_ value: Value, _ form: PropertyListValue) {
            testDescription = "\(Value.self): \(form)"
            verify = { () throws in
                #expect(try PropertyListValueEncoder().encode(value) == form)
                #expect(try PropertyListValueDecoder().decode(Value.self, from: form) == value)
            }
        }
    }

    @Test(arguments: [
        Pair(true, true), Pair(-1, -1), Pair(UInt64.max, .init(UInt64.max)), Pair(Int8.min, -128), Pair(1.0, 1.0),
        Pair(Float(0.1), .real(Double(Float(0.1)))), Pair(Double.infinity, .real(.infinity)), Pair("text", "text"),
        Pair(Date(timeIntervalSince1970: 0.25), .date(Date(timeIntervalSince1970: 0.25))),
        Pair(Data([1, 2]), .data(Data([1, 2]))), Pair([UInt8(1), 2], [1, 2]),
        Pair(Decimal(string: "-1.10")!, "-1.1"), Pair(URL(string: "https://a.b/c?d=e")!, "https://a.b/c?d=e"),
        Pair(URL(string: "/a")!, "/a"),
        Pair(UUID(uuidString: "C0FFEE00-0000-4000-8000-00000000000A")!, "C0FFEE00-0000-4000-8000-00000000000A"),
        Pair(Celsius(rawValue: 36.6), 36.6), Pair(Weekday.monday, "monday"),
    ])
    func `a value other than a collection is stored as itself`(_ pair: Pair) throws {
        try pair.verify()
    }

    @Test(arguments: [
        Pair(Empty(), [:]), Pair(Envelope(content: 1), ["content": 1]), Pair(Shape.point, ["point": [:]]),
        Pair(Shape.circle(radius: 1), ["circle": ["radius": 1.0]]),
        Pair(Shape.line(1, 2), ["line": ["_0": 1, "_1": 2]]),
        Pair(Shape.line(1, nil), ["line": ["_0": 1]]), Pair([[1], []], [[1], []]),
        Pair(["a": ["b": 1]], ["a": ["b": 1]]),
        Pair([1: "one"], ["1": "one"]), Pair([Weekday.monday: 1], ["monday": 1]), Pair([Int8(1): 2], [1, 2]),
        Pair(Set([1]), [1]), Pair(1..<3, [1, 3]),
        Pair(Matrix(rows: [[1, 2], []]), ["size": ["height": 2], "rows": [[1, 2], []]]),
        Pair(Link.chain(of: 3), ["next": ["next": [:]]]),
    ])
    func `a collection is an array or a dictionary`(_ pair: Pair) throws {
        try pair.verify()
    }

    @Test(arguments: [
        Pair([1, nil], [1, "$null"]), Pair(["a": 1, "b": nil] as [String: Int?], ["a": 1, "b": "$null"]),
        Pair(
            ["$null", nil, "$$null", "$$$null", "null", "$nul", "$"],
            ["$$null", "$null", "$$$null", "$$$$null", "null", "$nul", "$"] as PropertyListValue
        ),
        Pair(Envelope<Int?>(content: nil), ["content": "$null"]), Pair(Int?.none, "$null"),
        Pair(["$null": 1], ["$null": 1]),
        Pair([[nil], [3]] as [[Int?]], [["$null"], [3]]),
    ])
    func `nil keeps its place and no string is taken for it`(_ pair: Pair) throws {
        try pair.verify()
    }

    @Test func `an optional without an entry is nil, also in a generic type`() throws {
        #expect(try PropertyListValueDecoder().decode(Envelope<Int?>.self, from: [:]) == Envelope(content: nil))
        #expect(
            try PropertyListValueDecoder().decode(Shape.self, from: ["line": ["_0": 1, "_1": "$null"]]) == .line(1, nil)
        )
    }

    @Test func `an integer is read where a real is asked for, as people write it`() throws {
        #expect(try PropertyListValueDecoder().decode([Double].self, from: [3, 0.5]) == [3, 0.5])
        #expect(
            try PropertyListValueDecoder().decode(Envelope<Float>.self, from: ["content": 3]) == Envelope(content: 3)
        )
    }

    @Test func `a subclass and its superclass can have two dictionaries or one`() throws {
        let dog = try PropertyListValueEncoder().encode(Dog(name: "Rex"))
        #expect(dog == ["name": "Rex", "super": ["legs": 4]])
        let rex = try PropertyListValueDecoder().decode(Dog.self, from: dog)
        #expect((rex.name, rex.legs) == ("Rex", 4))
        let cat = try PropertyListValueEncoder().encode(Cat(lives: 7))
        #expect(cat == ["lives": 7, "legs": 4])
        #expect(try PropertyListValueDecoder().decode(Cat.self, from: cat).legs == 4)
    }

    @Test func `user info reaches the parts of a value`() throws {
        let key = try #require(CodingUserInfoKey(rawValue: "unit"))
        var encoder = PropertyListValueEncoder()
        encoder.userInfo[key] = "km"
        var decoder = PropertyListValueDecoder()
        decoder.userInfo[key] = "mi"
        #expect(try encoder.encode([Noted(note: nil)]) == ["km"])
        #expect(try decoder.decode([Noted].self, from: ["x"]).first?.note == "mi")
    }

    /// Writes and reads what the user info of the coder is.
    private struct Noted: Codable {
        var note: String?

        private static let key = CodingUserInfoKey(rawValue: "unit")

        init(note: String?) {
            self.note = note
        }

        init(from decoder: any Decoder) throws {
            note = Self.key.flatMap { decoder.userInfo[$0] as? String }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(Self.key.flatMap { encoder.userInfo[$0] as? String })
        }
    }
}

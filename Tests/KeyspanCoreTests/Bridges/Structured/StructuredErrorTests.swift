import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import Testing

/// The values that the structured form rejects, with the message and the place of each error.
@Suite struct StructuredErrorTests {
    /// A stored value that a type refuses.
    struct Refusal: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let verify: @Sendable () -> Void

        init<T: Decodable & SendableMetatype>(_ stored: PropertyListValue, as type: T.Type, because reason: String) {
            self.init(stored, as: type, ValueDecodingError.unreadable(stored, reason: reason).description)
        }

        init<T: Decodable & SendableMetatype>(_ stored: PropertyListValue, as type: T.Type, _ description: String) {
            testDescription = "\(stored) as \(type)"
            verify = {
                let error = #expect(throws: ValueDecodingError.self) {
                    try PropertyListValueDecoder().decode(T.self, from: stored)
                }
                #expect(error?.description == description)
            }
        }
    }

    @Test(arguments: [
        Refusal(1, as: Bool.self, "expected true or false but found an integer"),
        Refusal(true, as: Int.self, "expected an integer but found a boolean"),
        Refusal(1.0, as: Int.self, "expected an integer but found a real"),
        Refusal("1", as: Double.self, "expected a number but found a string"),
        Refusal("x", as: Data.self, "expected data but found a string"),
        Refusal([1], as: Matrix.self, "expected a dictionary but found an array"),
        Refusal(["a": 2], as: [Int].self, "expected an array but found a dictionary"),
        Refusal(["a": [1, "2"]], as: [String: [Int]].self, "expected an integer but found a string (at .a[1])"),
        Refusal(
            ["size": ["height": 1], "rows": [[1], [true]]],
            as: Matrix.self,
            "expected an integer but found a boolean (at .rows[1][0])"
        ),
        Refusal(
            ["name": "Rex", "super": ["legs": "4"]],
            as: Dog.self,
            "expected an integer but found a string (at .super.legs)"
        ),
        Refusal(256, as: [UInt8].self, "expected an array but found an integer"),
        Refusal([256], as: [UInt8].self, "found an integer that cannot be read: it is not between 0 and 255 (at [0])"),
        Refusal([:], as: Envelope<Int>.self, because: #"it has no "content""#),
        Refusal(
            ["a": [:]],
            as: [String: Envelope<Int>].self,
            #"found a dictionary that cannot be read: it has no "content" (at .a)"#
        ),
        Refusal(["name": "Rex"], as: Dog.self, because: #"it has no "super""#),
        Refusal([1], as: Range<Int>.self, because: "it has only 1 elements"),
        Refusal("$null", as: String.self, because: "it stands for nil where text is needed"),
        Refusal(
            ["$null"],
            as: [Matrix].self,
            "found a string that cannot be read: it stands for nil where a dictionary of values is needed (at [0])"
        ),
        Refusal(
            ["no day"],
            as: [Weekday].self,
            "found a string that cannot be read: its content is not valid for its type (at [0])"
        ),
        Refusal(
            ["no id"],
            as: [UUID].self,
            "found a string that cannot be read: its content is not valid for its type (at [0])"
        ),
        Refusal(
            ["1kg"],
            as: [Decimal].self,
            "found a string that cannot be read: it is not a decimal number; write it as 1.10 (at [0])"
        ),
        Refusal(
            ["size": ["height": 2], "rows": [[1]]],
            as: Matrix.self,
            "found a dictionary that cannot be read: its content is not valid for its type (at .size)"
        ),
        Refusal([1], as: [Grumpy].self, because: "its init(from:) threw Refused"),
    ])
    func `a form that makes no value is refused with its place, and without its content`(_ refusal: Refusal) {
        refusal.verify()
    }

    /// A value that has no structured form.
    struct Unstorable: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let verify: @Sendable () -> Void

        init<Value: Encodable & Sendable>(_ value: Value, _ description: String) {
            testDescription = "\(Value.self): \(description)"
            verify = {
                let error = #expect(throws: ValueEncodingError.self) { try PropertyListValueEncoder().encode(value) }
                #expect(error?.description == description)
            }
        }
    }

    private static let containers = "its encode(to:) asked for containers that exclude each other"
    private static let tooDeep = "it is nested deeper than 128 levels"

    @Test(arguments: [
        Unstorable(["a": [Decimal.nan]], "it is not a number (at .a[0])"),
        Unstorable([Grumpy()], "its encode(to:) threw Refused"),
        Unstorable([Undecided.dictionaryAndArray], containers + " (at [0])"),
        Unstorable([Undecided.valueAndDictionary], containers + " (at [0])"),
        Unstorable([Undecided.twoValues], containers + " (at [0])"),
        Unstorable(["a": Undecided.nested], containers + " (at .a.x)"),
        Unstorable(Link.chain(of: 129), tooDeep),
        Unstorable([Link.chain(of: 128)], tooDeep),
        Unstorable(Link.chain(of: 130), tooDeep),
        Unstorable(Link.chain(of: 5000), tooDeep),
        Unstorable(Endless(), tooDeep),
        Unstorable(Undecided.deepContainers, tooDeep),
    ])
    func `what has no structured form is an error, never a crash`(_ unstorable: Unstorable) {
        unstorable.verify()
    }

    @Test func `the deepest value that a store takes can be encoded and decoded on a small stack`() throws {
        let chain = try #require(Link.chain(of: PropertyListValue.maximumNesting))
        let again = SmallStackThread.run {
            Result {
                let form = try PropertyListValueEncoder().encode(chain)
                return try PropertyListValueDecoder().decode(Link.self, from: form)
            }
        }
        #expect(try #require(again).get() == chain)
    }

    @Test func `an endless init is an error`() {
        #expect(throws: ValueDecodingError.self) { try PropertyListValueDecoder().decode(Endless.self, from: 1) }
    }
}

private struct Refused: Error {}

private struct Grumpy: Codable {
    init() {}
    init(from decoder: any Decoder) throws { throw Refused() }
    func encode(to encoder: any Encoder) throws { throw Refused() }
}

/// Encodes and decodes itself as itself.
private struct Endless: Codable {
    init() {}

    init(from decoder: any Decoder) throws {
        self = try decoder.singleValueContainer().decode(Endless.self)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Endless())
    }
}

/// Uses an encoder in ways that make no value.
private enum Undecided: Encodable {
    case dictionaryAndArray, valueAndDictionary, twoValues, nested, deepContainers

    private enum Keys: CodingKey { case x }

    func encode(to encoder: any Encoder) throws {
        switch self {
        case .dictionaryAndArray:
            _ = encoder.container(keyedBy: Keys.self)
            _ = encoder.unkeyedContainer()
        case .valueAndDictionary:
            var single = encoder.singleValueContainer()
            try single.encode(1)
            var keyed = encoder.container(keyedBy: Keys.self)
            try keyed.encode(1, forKey: .x)
        case .twoValues:
            var single = encoder.singleValueContainer()
            try single.encode(1)
            try single.encode(2)
        case .nested:
            var keyed = encoder.container(keyedBy: Keys.self)
            _ = keyed.nestedUnkeyedContainer(forKey: .x)
            _ = keyed.nestedContainer(keyedBy: Keys.self, forKey: .x)
        case .deepContainers:
            var inner = encoder.unkeyedContainer()
            for _ in 0..<5000 { inner = inner.nestedUnkeyedContainer() }
        }
    }
}

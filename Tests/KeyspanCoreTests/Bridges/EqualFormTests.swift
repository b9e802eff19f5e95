import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// A key that a dictionary encodes as an element, so that the dictionary is an array.
private struct Spot: Codable, Hashable {
    var x: Int
}

/// A value with collections that have no order, some inside of others.
private struct Tags: Codable, Hashable, Defaults.Serializable {
    var names: Set<String>
    var numbers: Set<Double>
    var weights: [Spot: Set<Int>]
    var groups: [Set<Spot?>]
    var inner: Set<Set<Int>>
}

private struct ReadableTags: Codable, Hashable, Defaults.Serializable, Defaults.PreferStructured {
    var tags: Tags
    var named: [String: Set<Spot>]
}

/// A value that may contain itself.
private final class Loop: Codable, Defaults.Serializable, @unchecked Sendable {
    // Changed by the thread that made the value only.
    var next: Loop?
    var others: [String: [Loop]] = [:]

    static func closed() -> Loop {
        let loop = Loop()
        loop.next = loop
        return loop
    }

    static func crossed() -> Loop {
        let (one, other) = (Loop(), Loop())
        one.others = ["a": [Loop(), other]]
        other.others = ["b": [one]]
        return one
    }
}

private final class StructuredLoop: Codable, Defaults.Serializable, Defaults.PreferStructured, @unchecked Sendable {
    // Changed by the thread that made the value only.
    var next: StructuredLoop?

    static func closed() -> StructuredLoop {
        let loop = StructuredLoop()
        loop.next = loop
        return loop
    }
}

/// Asks for containers that exclude each other, which `JSONEncoder` answers by ending the program.
private struct Torn: Codable, Defaults.Serializable {
    func encode(to encoder: any Encoder) throws {
        _ = encoder.unkeyedContainer()
        _ = encoder.container(keyedBy: CodingKeys.self)
    }

    init() {}

    init(from decoder: any Decoder) throws {}

    private enum CodingKeys: CodingKey { case a }
}

/// A store in memory with a form of its own.
private final class FormStore: ForwardingStore {
    let base = InMemoryStore()
    let valueForm: Defaults.ValueForm

    init(valueForm: Defaults.ValueForm) {
        self.valueForm = valueForm
    }
}

/// Equal values have equal stored forms, and each value has one that ends.
@Suite(.seeded) struct EqualFormTests {
    private static func random(using generator: inout SeededGenerator) -> ReadableTags {
        func some<Element: Hashable>(_ element: (Int) -> Element) -> Set<Element> {
            Set(
                (0..<Int.random(in: 0...20, using: &generator)).map { _ in
                    element(Int.random(in: -15...15, using: &generator))
                }
            )
        }
        let names = some { "name \($0)" }
        let numbers = some { Double($0) * 7 / 4 }
        let weights = Dictionary(some { Spot(x: $0) }.map { ($0, some { $0 }) }) { first, _ in first }
        let groups = (0..<3).map { _ in some { $0 == 0 ? nil : Spot(x: $0) } }
        let inner = Set((0..<5).map { _ in some { $0 } })
        let named = ["a": some { Spot(x: $0) }, "b": some { Spot(x: $0) }]
        let tags = Tags(names: names, numbers: numbers, weights: weights, groups: groups, inner: inner)
        return ReadableTags(tags: tags, named: named)
    }

    /// An equal value whose collections have another capacity and other ways to it, and so another order.
    private static func twin(of value: ReadableTags, using generator: inout SeededGenerator) -> ReadableTags {
        func again<Element: Hashable>(_ set: Set<Element>) -> Set<Element> {
            var twin = Set<Element>(minimumCapacity: Int.random(in: 0...2_000, using: &generator))
            for element in set.shuffled(using: &generator) { twin.insert(element) }
            return twin
        }
        var weights = [Spot: Set<Int>](minimumCapacity: Int.random(in: 0...2_000, using: &generator))
        for point in value.tags.weights.keys.sorted(by: { $0.x > $1.x }) {
            weights[point] = again(value.tags.weights[point] ?? [])
        }
        let tags = Tags(
            names: again(value.tags.names),
            numbers: again(value.tags.numbers),
            weights: weights,
            groups: value.tags.groups.map(again),
            inner: again(Set(value.tags.inner.map(again)))
        )
        return ReadableTags(tags: tags, named: value.named.mapValues(again))
    }

    @Test func `equal values with sets inside have equal forms`() throws {
        for seed in SeededGenerator.seeds(TestLevel.current.pick(20, thorough: 400)) {
            var generator = SeededGenerator(seed: seed)
            let value = Self.random(using: &generator)
            let twin = Self.twin(of: value, using: &generator)
            try #require(value == twin, "seed \(seed)")
            let (text, structured) = (try Tags.bridge.encode(value.tags), try ReadableTags.bridge.encode(value))
            #expect(try Tags.bridge.encode(twin.tags) == text, "seed \(seed)")
            #expect(try ReadableTags.bridge.encode(twin) == structured, "seed \(seed)")
            var context = Defaults.DecodingContext(isStrict: true)
            #expect(try Tags.bridge.decode(text, in: &context) == value.tags, "seed \(seed)")
            #expect(try ReadableTags.bridge.decode(structured, in: &context) == value, "seed \(seed)")
        }
    }

    @Test func `the members of a set stand in the order of numbers and texts`() throws {
        let tags = Tags(
            names: ["b", "a", "a/"],
            numbers: [10, 9, -0.5, 1e20],
            weights: [Spot(x: 10): [3, 20], Spot(x: 9): []],
            groups: [[nil, Spot(x: 1)]],
            inner: [[2, 1], [1]]
        )
        let text = try #require(Tags.bridge.serialize(tags))
        #expect(
            text == #"""
                {"groups":[[null,{"x":1}]],"inner":[[1,2],[1]],"names":["a","a\/","b"],"numbers":[-0.5,9,10,1e+20],\#
                "weights":[{"x":10},[3,20],{"x":9},[]]}
                """#
        )
    }

    @Test func `a write of the present value is no change`() throws {
        var generator = SeededGenerator(seed: SeededGenerator.seedOfRun)
        let value = Self.random(using: &generator)
        let store = InMemoryStore()
        let defaults = Defaults(store)
        let (text, structured) = (Defaults.Key<Tags?>("text"), Defaults.Key<ReadableTags?>("structured"))
        try defaults.set(value.tags, for: text)
        try defaults.set(value, for: structured)
        let changes = Recorder<PropertyListChange>()
        let observation = store.observe(.all, initial: false) { changes.record($0) }
        let twin = Self.twin(of: value, using: &generator)
        try defaults.set(twin.tags, for: text)
        try defaults.set(twin, for: structured)
        #expect(changes.values.isEmpty)
        observation.cancel()
    }

    /// A type that is encoded in the place of its set, as property wrappers may be.
    private struct Wrapped<Content: Codable & Hashable>: Codable, Hashable {
        var content: Content

        init(_ content: Content) {
            self.content = content
        }

        init(from decoder: any Decoder) throws {
            content = try decoder.singleValueContainer().decode(Content.self)
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(content)
        }
    }

    /// A set behind the number of its format, which the order of all elements together would move.
    private struct Numbered: Codable, Equatable, Defaults.Serializable {
        var elements: Set<Int>

        init(_ elements: Set<Int>) {
            self.elements = elements
        }

        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            _ = try container.decode(Int.self)
            elements = []
            while !container.isAtEnd { elements.insert(try container.decode(Int.self)) }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.unkeyedContainer()
            try container.encode(99)
            for element in elements.sorted() { try container.encode(element) }
        }
    }

    private struct Wrapping: Codable, Hashable, Defaults.Serializable {
        var set: Wrapped<Set<String>>
        var dictionary: Wrapped<[Spot: Int]>
    }

    @Test func `a set is sorted inside of a wrapper, and no other array is`() throws {
        let names = (0..<20).map { "name \($0)" }
        func value(_ capacity: Int, _ names: [String]) -> Wrapping {
            var (set, dictionary) = (Set<String>(minimumCapacity: capacity), [Spot: Int](minimumCapacity: capacity))
            for name in names { set.insert(name) }
            for name in names { dictionary[Spot(x: name.utf8.count)] = 1 }
            return Wrapping(set: Wrapped(set), dictionary: Wrapped(dictionary))
        }
        let form = try Wrapping.bridge.encode(value(0, names))
        #expect(try Wrapping.bridge.encode(value(1_000, names.reversed())) == form)
        #expect(try Numbered.bridge.encode(Numbered([3, 1, 2])) == "[99,1,2,3]")
    }

    /// Asks for the container of a part again, as a subclass in one container with its superclass may.
    private struct Reopened: Codable, Defaults.Serializable {
        private enum Name: CodingKey { case list, part, a, b }

        init() {}

        init(from decoder: any Decoder) throws {}

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Name.self)
            try container.encode(["a": 1], forKey: .part)
            try container.encode([1, 2], forKey: .list)
            var part = container.nestedContainer(keyedBy: Name.self, forKey: .part)
            try part.encode(2, forKey: .b)
            var list = container.nestedUnkeyedContainer(forKey: .list)
            try list.encode(3)
        }
    }

    /// Encodes a part, and then another one in its place.
    private struct Replacing: Codable, Defaults.Serializable {
        private enum Name: CodingKey { case kind, list }

        init() {}

        init(from decoder: any Decoder) throws {}

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Name.self)
            try container.encode([1, 2], forKey: .list)
            try container.encode(["old": 1], forKey: .kind)
            try [3].encode(to: container.superEncoder(forKey: .list))
            try "new".encode(to: container.superEncoder(forKey: .kind))
        }
    }

    @Test func `a part that was encoded can be replaced`() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let text = String(decoding: try encoder.encode(Replacing()), as: UTF8.self)
        #expect(text == #"{"kind":"new","list":[3]}"#)
        #expect(try Replacing.bridge.encode(Replacing()) == .string(text))
    }

    @Test func `a part that was encoded can be continued`() throws {
        #expect(try Reopened.bridge.encode(Reopened()) == #"{"list":[1,2,3],"part":{"a":1,"b":2}}"#)
    }

    /// A list of two levels for each element.
    private indirect enum List: Codable, Equatable, Sendable, Defaults.Serializable {
        case end
        case element(Int, List)
    }

    @Test func `JSON text has the levels that JSONEncoder wrote`() throws {
        let list = (0..<90).reduce(List.end) { .element($1, $0) }
        let text = try #require(SmallStackThread.run { Result { try List.bridge.encode(list) } }).get()
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        #expect(text == .string(String(decoding: try encoder.encode(list), as: UTF8.self)))
        let read = SmallStackThread.run {
            Result { try Defaults(InMemoryStore(["key": text])).storedValue(for: Defaults.Key<List?>("key")) }
        }
        #expect(try #require(read).get() == list)
    }

    // MARK: Values without an end

    @Test(arguments: [Defaults.ValueForm.jsonText, .readable])
    func `a value that contains itself is refused on a small stack`(form: Defaults.ValueForm) throws {
        let errors = SmallStackThread.run {
            let defaults = Defaults(FormStore(valueForm: form))
            func error(_ write: () throws -> Void) -> String {
                do { try write() } catch { return "\(error)" }
                return "written"
            }
            return [
                error { try defaults.set(Loop.closed(), for: Defaults.Key<Loop?>("key")) },
                error { try defaults.set(Loop.crossed(), for: Defaults.Key<Loop?>("key")) },
                error { try defaults.set([Loop.crossed()], for: Defaults.Key<[Loop]>("key", default: [])) },
                error { try defaults.set(StructuredLoop.closed(), for: Defaults.Key<StructuredLoop?>("key")) },
            ]
        }
        for error in try #require(errors) {
            #expect(error.contains("it is nested deeper than 128 levels"), "\(error)")
        }
    }

    @Test(arguments: [193, 300, 500, 600, 100_000])
    func `JSON text of any depth ends no thread`(depth: Int) throws {
        let text = String(repeating: #"{"others":{"a":["#, count: depth) + String(repeating: "]}}", count: depth)
        let next =
            String(repeating: #"{"others":{},"next":"#, count: depth) + "null" + String(repeating: "}", count: depth)
        let reasons = SmallStackThread.run {
            [text, next].map { text in
                let defaults = Defaults(InMemoryStore(["key": .string(text)]))
                do {
                    _ = try defaults.storedValue(for: Defaults.Key<Loop?>("key"))
                } catch {
                    return "\(error)"
                }
                return "read"
            }
        }
        for reason in try #require(reasons) {
            #expect(reason.contains("it is nested deeper than 128 levels"), "\(reason)")
        }
    }

    @Test(arguments: [130, 190]) func `JSON text of the levels that are read ends no thread`(levels: Int) throws {
        let wide =
            String(repeating: #"{"others":{"a":["#, count: levels / 3) + String(repeating: "]}}", count: levels / 3)
        let next =
            String(repeating: #"{"others":{},"next":"#, count: levels) + "null" + String(repeating: "}", count: levels)
        let hasRead = SmallStackThread.run {
            [wide, next].allSatisfy { text in
                let defaults = Defaults(InMemoryStore(["key": .string(text)]))
                return (try? defaults.storedValue(for: Defaults.Key<Loop?>("key"))) != nil
            }
        }
        #expect(try #require(hasRead))
    }

    @Test func `brackets inside of texts are no levels`() throws {
        let text = #"{"others":{},"name":"\#(String(repeating: #"[{\""#, count: 200))"}"#
        #expect(try Defaults(InMemoryStore(["key": .string(text)])).storedValue(for: Defaults.Key<Loop?>("key")) != nil)
        let wide = "[" + String(repeating: "{},", count: 500) + "{}]"
        let key = Defaults.Key<[[String: Int]]?>.jsonCoded("key")
        #expect(try Defaults(InMemoryStore(["key": .string(wide)])).storedValue(for: key)??.count == 501)
    }

    @Test func `a type that asks for containers that exclude each other is refused`() throws {
        let error = #expect(throws: Defaults.WriteError.self) {
            try Defaults(InMemoryStore()).set(Torn(), for: Defaults.Key<Torn?>("key"))
        }
        #expect(error.map { "\($0)" }?.contains("its encode(to:) asked for containers that exclude each other") == true)
    }
}

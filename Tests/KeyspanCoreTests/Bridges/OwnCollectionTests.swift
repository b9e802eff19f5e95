import KeyspanCore
import Testing

/// Collections and sets that are none of the standard library's.
@Suite struct OwnCollectionTests {
    @Test func `a strict read names the element that cannot be read, a lenient one leaves it out`() {
        let store = InMemoryStore(["list": ["apple", "kiwi", "pear"], "set": ["apple", 2]])
        let list = Defaults.Key<Row<Fruit>>("list", default: Row([]))
        let set = Defaults.Key<Basket<Fruit>>("set", default: [])
        let listError = #expect(throws: Defaults.ReadError.self) { try Defaults(store).value(for: list) }
        #expect(listError?.cause.path.description == "[1]")
        let setError = #expect(throws: Defaults.ReadError.self) { try Defaults(store).value(for: set) }
        #expect(setError?.cause.path.description == "[1]")
        Defaults.withProblemHandler({ _ in }) {
            #expect(Array(Defaults(store)[list]) == [.apple, .pear])
            #expect(Defaults(store)[set] == [.apple])
        }
    }

    @Test func `an element that has no stored form is named`() {
        let defaults = Defaults(InMemoryStore())
        let list = Defaults.Key<Row<Point>>("list", default: Row([]))
        let error = #expect(throws: Defaults.WriteError.self) {
            try defaults.set(Row([Point(x: 0, y: 0), Point(x: .nan, y: 0)]), for: list)
        }
        #expect(error?.description.contains("\"list\"[1]") == true)
        let set = Defaults.Key<Basket<Point>>("set", default: [])
        #expect(throws: Defaults.WriteError.self) { try defaults.set([Point(x: .nan, y: 0)], for: set) }
    }

    @Test func `the two methods of the bridges agree with what is stored`() {
        #expect(Row<Fruit>.bridge.serialize(Row([.pear, .apple])) == ["pear", "apple"])
        #expect(Row<Fruit>.bridge.deserialize(["pear"]).map(Array.init) == [.pear])
        #expect(Basket<Fruit>.bridge.serialize([.pear]) == ["pear"])
        #expect(Basket<Fruit>.bridge.deserialize(["pear", "pear"]) == [.pear])
        #expect(Row<Fruit>.bridge.serialize(nil) == nil && Basket<Fruit>.bridge.deserialize(nil) == nil)
    }

    @Test func `a decoded value is shared only if that is safe for its elements`() {
        #expect(Row<Int>.sharesDecodedValues && Basket<Int>.sharesDecodedValues)
        #expect(!Row<Counter>.sharesDecodedValues && !Basket<Counter>.sharesDecodedValues)
    }
}

private struct Row<Element: Defaults.Serializable>: Defaults.CollectionSerializable {
    private let elements: [Element]

    init(_ elements: [Element]) { self.elements = elements }

    var startIndex: Int { elements.startIndex }
    var endIndex: Int { elements.endIndex }
    func index(after index: Int) -> Int { elements.index(after: index) }
    subscript(index: Int) -> Element { elements[index] }
}

struct Basket<Element: Defaults.Serializable & Hashable>: Defaults.SetAlgebraSerializable {
    private var elements: Set<Element> = []

    init() {}

    func toArray() -> [Element] { Array(elements) }

    func contains(_ member: Element) -> Bool { elements.contains(member) }
    func union(_ other: Self) -> Self { changed { $0.formUnion(other.elements) } }
    func intersection(_ other: Self) -> Self { changed { $0.formIntersection(other.elements) } }
    func symmetricDifference(_ other: Self) -> Self { changed { $0.formSymmetricDifference(other.elements) } }
    mutating func insert(_ member: Element) -> (inserted: Bool, memberAfterInsert: Element) { elements.insert(member) }
    mutating func remove(_ member: Element) -> Element? { elements.remove(member) }
    mutating func update(with member: Element) -> Element? { elements.update(with: member) }
    mutating func formUnion(_ other: Self) { elements.formUnion(other.elements) }
    mutating func formIntersection(_ other: Self) { elements.formIntersection(other.elements) }
    mutating func formSymmetricDifference(_ other: Self) { elements.formSymmetricDifference(other.elements) }

    private func changed(_ change: (inout Set<Element>) -> Void) -> Self {
        var copy = self
        change(&copy.elements)
        return copy
    }
}

extension Basket: Sendable where Element: Sendable {}

/// A type whose instances a reader could change under the others.
private final class Counter: Defaults.Serializable, Hashable {
    struct Bridge: Defaults.Bridge {
        func serialize(_ value: Counter?) -> Int? { value.map { _ in 0 } }
        func deserialize(_ object: Int?) -> Counter? { object.map { _ in Counter() } }
    }

    static var bridge: Bridge { Bridge() }

    static func == (left: Counter, right: Counter) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
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

    @Test func `an option set is stored as its raw value`() throws {
        let store = InMemoryStore()
        let defaults = Defaults(store)
        let key = Defaults.Key<Rights>("rights", default: [.read])
        try defaults.set([.read, .write], for: key)
        #expect(store.value(forKey: "rights") == 3)
        let copy = Defaults.Key<Rights>("rights", default: [])
        #expect(try defaults[copy] == [.read, .write] && defaults.value(for: copy) == [.read, .write])
        #expect(Rights.sharesDecodedValues && key.storedKind == .integer)
        let list = Defaults.Key<[Rights]>("list", default: [])
        try defaults.set([[.read], []], for: list)
        #expect(store.value(forKey: "list") == [1, 0])
        #expect(try defaults.value(for: Defaults.Key<[Rights]>("list", default: [])) == [[.read], []])
        let coded = Defaults.Key<CodedRights>("coded", default: [])
        try defaults.set([.read, .write], for: coded)
        #expect(store.value(forKey: "coded") == 3 && defaults[coded] == [.read, .write])
        try store.apply(PropertyListBatch(.set([1, 2], key: "rights")))
        #expect(throws: Defaults.ReadError.self) { try defaults.value(for: copy) }
    }

    @Test func `a collection can contain itself, directly and through others`() throws {
        let store = InMemoryStore()
        let defaults = Defaults(store)
        let tree = Tree([Tree([]), Tree([Tree([])])])
        try defaults.set(tree, for: Defaults.Key<Tree>("tree", default: Tree([])))
        #expect(store.value(forKey: "tree") == [[], [[]]])
        #expect(try defaults.value(for: Defaults.Key<Tree>("tree", default: Tree([]))) == tree)

        let shelf = Shelf([["a": [Box([Shelf([])])]], [:]])
        try defaults.set(shelf, for: Defaults.Key<Shelf>("shelf", default: Shelf([])))
        #expect(store.value(forKey: "shelf") == [["a": [[[]]]], [:]])
        #expect(try defaults.value(for: Defaults.Key<Shelf>("shelf", default: Shelf([]))) == shelf)

        let folder = Folder(inside: ["a": Folder(inside: [:])])
        try defaults.set(folder, for: Defaults.Key<Folder>("folder", default: Folder(inside: [:])))
        #expect(store.value(forKey: "folder") == ["a": [:]])
        let menu = Menu(rawValue: [Menu(rawValue: [])])
        try defaults.set(menu, for: Defaults.Key<Menu?>("menu"))
        #expect(store.value(forKey: "menu") == [[]])
        #expect(try defaults.value(for: Defaults.Key<Menu?>("menu")) == menu)
        let basket: Nest = [Nest(), [Nest()]]
        try defaults.set(basket, for: Defaults.Key<Nest>("nest", default: Nest()))
        #expect(store.value(forKey: "nest") == [[], [[]]])
        #expect(try defaults.value(for: Defaults.Key<Nest>("nest", default: Nest())) == basket)
    }

    @Test func `what is asked of a type that contains itself has an end`() throws {
        #expect(Tree.sharesDecodedValues && Shelf.sharesDecodedValues && Box.sharesDecodedValues)
        #expect(!Album.sharesDecodedValues && !Page.sharesDecodedValues)
        let keys: [Defaults.AnyKey] = [
            Defaults.Key<Tree>("tree", default: Tree([])), Defaults.Key<[Tree]>("trees", default: []),
            Defaults.Key<Shelf>("shelf", default: Shelf([])), Defaults.Key<[String: Box]>("boxes", default: [:]),
            Defaults.Key<Folder?>("folder"), Defaults.Key<Menu?>("menu"), Defaults.Key<Menu??>("menu2"),
            Defaults.Key<Set<Nest>>("nests", default: []),
        ]
        #expect(keys[0].storedKind == .array(of: .other) && keys[4].storedKind == .other)
        let defaults = Defaults(InMemoryStore(["menu": 1, "tree": 1, "shelf": 1, "folder": 1]))
        for key in keys {
            let schemas = defaults.describe([key]).rows.map { "\($0.schemas)" }.joined()
            #expect(schemas.utf8.count < 5_000, "\(key)")
        }
        let error = #expect(throws: Defaults.ValidationError.self) { try defaults.validate(keys) }
        #expect(error?.problems.count == 4)
        #expect(
            error?.description.contains("a list of values of the type Menu") == true,
            "\(String(describing: error))"
        )
    }

    @Test func `a value that contains itself without end is an error that names its type`() async {
        let store = InMemoryStore()
        let key = Defaults.Key<Letters>("letters", default: Letters([]))
        let looped = Defaults.Key<Loop>("loop", default: Loop())
        let errors = Recorder<String>()
        let writes: [@Sendable () throws -> Void] = [
            { try Defaults(store).set(Letters(text: "ab"), for: key) },
            { try Defaults(store).set(Loop(), for: looped) },
        ]
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let thread = Thread {
                for write in writes {
                    do {
                        try write()
                    } catch {
                        errors.record("\(error)")
                    }
                }
                continuation.resume()
            }
            // Twice as much as other threads than the main one have on Apple's systems, for the larger frames of a debug build.
            thread.stackSize = 1 << 20
            thread.start()
        }
        let parts = ["a value of the type Letters contained itself", "a value of the type Loop contained itself"]
        #expect(errors.count == 2 && zip(errors.values, parts).allSatisfy { $0.contains($1) }, "\(errors.values)")
        #expect(store.snapshot().isEmpty)
    }
}

private struct Rights: OptionSet, Hashable, Defaults.SetAlgebraSerializable {
    let rawValue: Int

    static let read = Rights(rawValue: 1)
    static let write = Rights(rawValue: 2)

    func toArray() -> [Rights] { [Self.read, .write].filter(contains) }
}

private struct CodedRights: OptionSet, Hashable, Codable, Defaults.SetAlgebraSerializable {
    let rawValue: UInt8

    static let read = CodedRights(rawValue: 1)
    static let write = CodedRights(rawValue: 2)

    func toArray() -> [CodedRights] { [Self.read, .write].filter(contains) }
}

/// A collection of elements that are known only here.
private protocol List: Defaults.CollectionSerializable where Index == Int {
    var elements: [Element] { get }
}

extension List {
    var startIndex: Int { elements.startIndex }
    var endIndex: Int { elements.endIndex }
    func index(after index: Int) -> Int { elements.index(after: index) }
    subscript(index: Int) -> Element { elements[index] }
}

private struct Tree: List, Equatable {
    typealias Element = Tree
    let elements: [Tree]
    init(_ elements: [Tree]) { self.elements = elements }
}

private struct Shelf: List, Equatable {
    typealias Element = [String: [Box]]
    let elements: [Element]
    init(_ elements: [Element]) { self.elements = elements }
}

private struct Box: List, Equatable {
    typealias Element = Shelf
    let elements: [Shelf]
    init(_ elements: [Shelf]) { self.elements = elements }
}

/// Two collections that contain each other, and instances that a reader could change.
private struct Album: List {
    typealias Element = Page
    let elements: [Page]
    init(_ elements: [Page]) { self.elements = elements }
}

private final class Page: List {
    typealias Element = Album
    let elements: [Album]
    init(_ elements: [Album]) { self.elements = elements }
}

private struct Folder: Defaults.Convertible {
    var inside: [String: Folder]

    func convertedObject() -> [String: Folder] { inside }
    static func instantiate(from object: [String: Folder]) -> Folder? { Folder(inside: object) }
}

private struct Menu: RawRepresentable, Equatable, Defaults.Serializable {
    var rawValue: [Menu]
}

/// A set of sets.
private struct Nest: Hashable, Defaults.SetAlgebraSerializable {
    typealias Element = Nest
    typealias ArrayLiteralElement = Nest

    private var elements: Set<Nest> = []

    func toArray() -> [Nest] { Array(elements) }

    func contains(_ member: Nest) -> Bool { elements.contains(member) }
    func union(_ other: Self) -> Self { changed { $0.formUnion(other.elements) } }
    func intersection(_ other: Self) -> Self { changed { $0.formIntersection(other.elements) } }
    func symmetricDifference(_ other: Self) -> Self { changed { $0.formSymmetricDifference(other.elements) } }
    mutating func insert(_ member: Nest) -> (inserted: Bool, memberAfterInsert: Nest) { elements.insert(member) }
    mutating func remove(_ member: Nest) -> Nest? { elements.remove(member) }
    mutating func update(with member: Nest) -> Nest? { elements.update(with: member) }
    mutating func formUnion(_ other: Self) { elements.formUnion(other.elements) }
    mutating func formIntersection(_ other: Self) { elements.formIntersection(other.elements) }
    mutating func formSymmetricDifference(_ other: Self) { elements.formSymmetricDifference(other.elements) }

    private func changed(_ change: (inout Set<Nest>) -> Void) -> Self {
        var copy = self
        change(&copy.elements)
        return copy
    }
}

/// A text whose letters are texts of one letter.
private struct Letters: List {
    typealias Element = Letters
    let elements: [Letters]
    private let text: String

    init(_ elements: [Letters]) { self.init(text: elements.map(\.text).joined()) }

    init(text: String) {
        self.text = text
        elements = []
    }

    var startIndex: Int { 0 }
    var endIndex: Int { text.count }
    subscript(index: Int) -> Letters { Letters(text: String(text.prefix(index + 1).suffix(1))) }
}

/// A type that converts itself to itself.
private struct Loop: Defaults.Convertible {
    func convertedObject() -> [Loop] { [self] }
    static func instantiate(from object: [Loop]) -> Loop? { object.first }
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

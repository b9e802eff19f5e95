import KeyspanCore
import Testing

/// Checks that arrays of a type with a bridge for arrays are stored by it, wherever they are.
@Suite struct ArraySerializableTests {
    @Test(arguments: [
        BridgeTests.Pair(Minnow(name: "a"), "a"),
        BridgeTests.Pair([Minnow(name: "a"), Minnow(name: "b")], "a,b"),
        BridgeTests.Pair([[Minnow(name: "a")], []], ["a", ""]),
        BridgeTests.Pair(["pond": [Minnow(name: "a"), Minnow(name: "b")]], ["pond": "a,b"]),
        BridgeTests.Pair(Set([Minnow(name: "b"), Minnow(name: "a")]), ["a", "b"]),
        BridgeTests.Pair([Toad(name: "a")], "<Toad>a"),
        BridgeTests.Pair([[Newt(name: "n")]], ["n"]),
        BridgeTests.Pair([Lizard.green, .brown], ["green": 0, "brown": 1]),
    ])
    func `an array is stored by the bridge for arrays`(_ pair: BridgeTests.Pair) throws {
        try pair.verify()
    }

    @Test func `an optional array and an array of optionals are distinguished`() throws {
        let store = InMemoryStore()
        let optional = Defaults.Key<[Minnow]?>("optional")
        try Defaults(store).set([Minnow(name: "a")], for: optional)
        #expect(store.value(forKey: "optional") == "a")
        let elements = Defaults.Key<[Minnow?]>("elements", default: [])
        try Defaults(store).set([Minnow(name: "a")], for: elements)
        #expect(store.value(forKey: "elements") == ["a"])
    }

    @Test func `what the bridge for arrays refuses is refused with its place`() throws {
        let defaults = Defaults(InMemoryStore(["ponds": ["north": "a", "south": ["b"]]]))
        let ponds = Defaults.Key<[String: [Minnow]]>("ponds", default: [:])
        let error = #expect(throws: Defaults.ReadError.self) { try defaults.storedValue(for: ponds) }
        #expect(error?.cause.description == "expected a string but found an array (at .south)")
    }

    @Test func `a class that is not final can still be serializable`() throws {
        let store = InMemoryStore()
        let pets = Defaults.Key<[Pet]>("pets", default: [])
        try Defaults(store).set([Pet(name: "a")], for: pets)
        #expect(store.value(forKey: "pets") == [#"{"name":"a"}"#])
        #expect(try Defaults(store).storedValue(for: pets)?.first?.name == "a")
    }
}

private struct Minnow: Hashable, Defaults.ArraySerializable {
    var name: String

    static let bridge = NameBridge()
    static let arrayBridge = NamesBridge()

    struct NameBridge: Defaults.Bridge {
        func serialize(_ value: Minnow?) -> String? { value?.name }
        func deserialize(_ object: String?) -> Minnow? { object.map { Minnow(name: $0) } }
    }

    struct NamesBridge: Defaults.Bridge {
        func serialize(_ value: [Minnow]?) -> String? { value?.map(\.name).joined(separator: ",") }
        func deserialize(_ object: String?) -> [Minnow]? {
            object?.split(separator: ",").map { Minnow(name: String($0)) }
        }
    }
}

/// A bridge for the arrays of any type that has a name.
private struct TaggedBridge<Element: Named>: Defaults.Bridge {
    func serialize(_ value: [Element]?) -> String? { value.map { "<\(Element.self)>" + $0.map(\.name).joined() } }
    func deserialize(_ object: String?) -> [Element]? {
        object.map { [Element(name: String($0.drop { $0 != ">" }.dropFirst()))] }
    }
}

private protocol Named {
    var name: String { get }
    init(name: String)
}

/// `Codable`, with a bridge for arrays only.
private struct Toad: Codable, Hashable, Named, Defaults.ArraySerializable {
    var name: String

    static var arrayBridge: TaggedBridge<Toad> { TaggedBridge() }
}

/// A final class.
private final class Newt: Hashable, Sendable, Defaults.ArraySerializable {
    let name: String

    init(name: String) {
        self.name = name
    }

    static func == (left: Newt, right: Newt) -> Bool { left.name == right.name }
    func hash(into hasher: inout Hasher) { hasher.combine(name) }

    struct NameBridge: Defaults.Bridge {
        func serialize(_ value: Newt?) -> String? { value?.name }
        func deserialize(_ object: String?) -> Newt? { object.map(Newt.init) }
    }

    struct FirstBridge: Defaults.Bridge {
        func serialize(_ value: [Newt]?) -> String? { value?.first?.name }
        func deserialize(_ object: String?) -> [Newt]? { object.map { [Newt(name: $0)] } }
    }

    static let bridge = NameBridge()
    static let arrayBridge = FirstBridge()
}

/// Raw-representable and `Codable`, with a bridge for arrays only.
private enum Lizard: String, Codable, Defaults.ArraySerializable {
    case green, brown

    struct PlacesBridge: Defaults.Bridge {
        func serialize(_ value: [Lizard]?) -> [String: Int]? {
            value.map { Dictionary(uniqueKeysWithValues: $0.enumerated().map { ($0.element.rawValue, $0.offset) }) }
        }

        func deserialize(_ object: [String: Int]?) -> [Lizard]? {
            object?.sorted { $0.value < $1.value }.compactMap { Lizard(rawValue: $0.key) }
        }
    }

    static let arrayBridge = PlacesBridge()
}

private class Pet: Codable, Defaults.Serializable {
    let name: String

    init(name: String) {
        self.name = name
    }
}

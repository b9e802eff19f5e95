public import KeyspanCore
import Testing

/// Types that say in two methods how they are stored.
@Suite struct ConvertibleTests {
    @Test(arguments: [
        BridgeTests.Pair(Person(name: "Ann", age: 33), ["name": "Ann", "age": 33]),
        BridgeTests.Pair(SIMD2(1, 2), ["x": 1, "y": 2]),
        BridgeTests.Pair(SIMD2(0.5, 2), ["x": 0.5, "y": 2.0]),
        BridgeTests.Pair([Person(name: "A", age: 1)], [["name": "A", "age": 1]]),
        BridgeTests.Pair(["a": SIMD2(1, 2)], ["a": ["x": 1, "y": 2]]),
        BridgeTests.Pair(Set([SIMD2(1, 2)]), [["x": 1, "y": 2]]),
        BridgeTests.Pair(Version(major: 1, minor: 2), [1, 2]),
        BridgeTests.Pair(Grade.b, "B"),
        BridgeTests.Pair(Step(rawValue: 3), ["step": 3]),
        BridgeTests.Pair(Route(stops: [Person(name: "A", age: 1)]), [["name": "A", "age": 1]]),
    ])
    func `a value is stored as what it converts to`(_ pair: BridgeTests.Pair) throws {
        try pair.verify()
    }

    @Test(arguments: [
        BridgeTests.Refusal(
            ["name": "Ann"],
            as: Person.self,
            because: "ConvertibleBridge<Person> makes no Person from it"
        ),
        BridgeTests.Refusal(1, as: Person.self, "expected a dictionary but found an integer"),
        BridgeTests.Refusal(
            [["x": 1, "y": "2"]],
            as: [SIMD2<Int>].self,
            "expected an integer but found a string (at [0].y)"
        ),
        BridgeTests.Refusal(
            [["name": "A", "age": 1], ["name": "B"]],
            as: Route.self,
            "found a dictionary that cannot be read: ConvertibleBridge<Person> makes no Person from it (at [1])"
        ),
    ])
    func `what makes no value is refused`(_ refusal: BridgeTests.Refusal) {
        refusal.verify()
    }

    @Test func `a class that is not final can be convertible`() throws {
        let store = InMemoryStore()
        let key = Defaults.Key<Tag?>("tag")
        try Defaults(store).set(Tag(text: "a"), for: key)
        #expect(store.value(forKey: "tag") == "a")
        #expect(Defaults(store)[key]?.text == "a")
    }

    @Test func `a stored value converts to the types that hold it`() {
        let person: PropertyListValue = ["name": "Ann", "age": .init(33), "ages": [1, 2]]
        #expect(person["age"]?.converted(to: Int.self) == 33)
        #expect(person["age"]?.converted() == 33.0)
        #expect(person["age"]?.converted(to: String.self) == nil)
        #expect(person["ages"]?.converted() == [UInt8(1), 2])
        #expect(PropertyListValue(256).converted(to: UInt8.self) == nil)
    }
}

private struct Person: Hashable, Defaults.Convertible {
    var name: String
    var age: Int

    func convertedObject() -> [String: PropertyListValue] {
        ["name": .init(name), "age": .init(age)]
    }

    static func instantiate(from object: [String: PropertyListValue]) -> Person? {
        guard let name = object["name"]?.stringValue, let age = object["age"]?.converted(to: Int.self) else {
            return nil
        }
        return Person(name: name, age: age)
    }
}

// A type of the standard library, which is `Codable` too.
extension SIMD2: Defaults.Serializable, Defaults.Convertible
where Scalar: Defaults.Serializable {
    public func convertedObject() -> [String: Scalar] {
        ["x": x, "y": y]
    }

    public static func instantiate(from object: [String: Scalar]) -> SIMD2? {
        guard let x = object["x"], let y = object["y"] else { return nil }
        return SIMD2(x, y)
    }
}

/// `Codable` too.
private struct Version: Codable, Hashable, Defaults.Convertible {
    var major: Int
    var minor: Int

    func convertedObject() -> [Int] { [major, minor] }

    static func instantiate(from object: [Int]) -> Version? {
        object.count == 2 ? Version(major: object[0], minor: object[1]) : nil
    }
}

/// `Codable` and raw-representable too.
private enum Grade: Int, Codable, Defaults.Convertible {
    case a, b

    func convertedObject() -> String { self == .a ? "A" : "B" }

    static func instantiate(from object: String) -> Grade? {
        switch object {
        case "A": .a
        case "B": .b
        default: nil
        }
    }
}

/// Raw-representable too.
private struct Step: RawRepresentable, Hashable, Defaults.Convertible {
    var rawValue: Int

    func convertedObject() -> [String: Int] { ["step": rawValue] }

    static func instantiate(from object: [String: Int]) -> Step? { object["step"].map(Step.init(rawValue:)) }
}

/// Converts to a type that is converted in turn.
private struct Route: Hashable, Defaults.Convertible {
    var stops: [Person]

    func convertedObject() -> [Person] { stops }

    static func instantiate(from object: [Person]) -> Route? { Route(stops: object) }
}

private class Tag: Defaults.Convertible {
    let text: String

    required init(text: String) {
        self.text = text
    }

    func convertedObject() -> String { text }

    static func instantiate(from object: String) -> Self? { Self(text: object) }
}

import Foundation
import KeyspanCore
import Testing

/// The stored forms of the libraries that users migrate from, byte for byte, and the values that a key reads from them.
///
/// The sources are the published encodings of each library: DefaultsWrapper, SwiftyUserDefaults 5 and KeyValueStorage.
/// DefaultsKey stores property lists and JSON in data, which the rows of the others cover; the forms of Defaults 9 are those of
/// `DefaultsCompatibilityTests`.
@Suite struct WireFormTests {
    /// A stored form and the value that is read from it.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let verify: @Sendable () throws -> Void

        init<Value: Defaults.Serializable & Equatable & Sendable>(_ stored: PropertyListValue, _ value: Value) {
            testDescription = "\(Value.self) from \(stored)"
            verify = { () throws in
                let defaults = Defaults(InMemoryStore(["key": stored]))
                #expect(try defaults.storedValue(for: Defaults.Key<Value?>("key")) == value)
            }
        }
    }

    private static func json(_ text: String) -> PropertyListValue { .data(Data(text.utf8)) }

    private static let id = UUID(uuid: (0xC0, 0xFF, 0xEE, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 0x0A))

    @Test(arguments: [
        // DefaultsWrapper
        Row(json(#"{"name":"Ann","age":3}"#), User(name: "Ann", age: 3)),
        Row(json("0.1"), Decimal(string: "0.1")!),
        Row(json("-12345678901234567890.123456789"), Decimal(string: "-12345678901234567890.123456789")!),
        Row(json(#"[{"name":"Ann","age":3}]"#), [User(name: "Ann", age: 3)]),
        Row(json("1e30"), Decimal(string: "1000000000000000000000000000000")!),
        Row("C0FFEE00-0000-4000-8000-00000000000A", id), Row("pear", Fruit.pear),
        Row(["x": 1.0, "y": 2.0], Point(x: 1, y: 2)), Row([["x": 1.0, "y": 2.0]], [Point(x: 1, y: 2)]),
        // People, and programs without types
        Row("https://a.b/c", URL(string: "https://a.b/c")!), Row(5, 5.0), Row(5, Float(5)), Row(7, Decimal(7)),
        // SwiftyUserDefaults
        Row(json(#"{"name":"Ann","age":3}"#), User(name: "Ann", age: 3)),
        Row(json(#"[{"name":"Ann","age":3}]"#), [User(name: "Ann", age: 3)]),
        Row(json(#""C0FFEE00-0000-4000-8000-00000000000A""#), id),
        Row("pear", Fruit.pear), Row(["pear"], [Fruit.pear]),
        Row(.date(Date(timeIntervalSince1970: 0)), Date(timeIntervalSince1970: 0)),
        Row("/Users/ann/a b.txt", URL(filePath: "/Users/ann/a b.txt")),
        Row(["a": 1], ["a": 1]),
        // KeyValueStorage
        Row(json(#"{"name":"Ann","age":3}"#), User(name: "Ann", age: 3)),
        Row(json(#"[{"name":"Ann","age":3}]"#), Team(users: [User(name: "Ann", age: 3)])),
        Row(json(#"{"a":{"name":"Ann","age":3}}"#), ["a": User(name: "Ann", age: 3)]),
        Row(json("[1,2]"), Set([1, 2])), Row(json("[1,2]"), [1, 2]),
        Row(json(#""https:\/\/a.b""#), URL(string: "https://a.b")!), Row(json("2"), Level.high),
        Row("pear", Fruit.pear), Row(["a": ["pear"]], ["a": [Fruit.pear]]), Row(2.0, Float(2)),
    ])
    func `what other libraries wrote is read`(_ row: Row) throws {
        try row.verify()
    }

    @Test func `data that is not JSON of its type is rejected`() {
        let defaults = Defaults(InMemoryStore(["key": .data(Data([1]))]))
        #expect(throws: Defaults.ReadError.self) { try defaults.storedValue(for: Defaults.Key<[Int]?>("key")) }
        #expect(throws: Defaults.ReadError.self) { try defaults.storedValue(for: Defaults.Key<[Point]?>("key")) }
        let archive = Defaults(InMemoryStore(["key": .data(Data("bplist00".utf8))]))
        #expect(throws: Defaults.ReadError.self) { try archive.storedValue(for: Defaults.Key<URL?>("key")) }
    }

    /// Texts of which `Decimal(string:)` makes another number than they say.
    @Test(arguments: [
        "--1", "1e", "1.2.3", "", ".", "e5", "1 ", "0x1", "nan", "1e200", "1e-200",
        "123456789012345678901234567890123456789.5",
    ])
    func `a decimal number that would not be exact is refused`(text: String) {
        for stored in [PropertyListValue.string(text), Self.json(text)] {
            let defaults = Defaults(InMemoryStore(["key": stored]))
            #expect(throws: Defaults.ReadError.self) { try defaults.storedValue(for: Defaults.Key<Decimal?>("key")) }
        }
    }

    @Test(arguments: [
        ("340282366920938463463374607431768211455", "340282366920938463463374607431768211455"), ("+0.10", "0.1"),
        ("1E5", "100000"), (".5", "0.5"), ("5.", "5"), ("000", "0"), ("-0.000", "0"), ("100e-1", "10"),
    ])
    func `a decimal number is exact, however it is written`(text: String, digits: String) throws {
        let defaults = Defaults(InMemoryStore(["key": .string(text)]))
        #expect(try defaults.storedValue(for: Defaults.Key<Decimal?>("key"))??.description == digits)
    }

    @Test func `a path in the home folder is resolved, and a URL without a scheme is not a path`() throws {
        let defaults = Defaults(InMemoryStore(["home": "~/a.txt", "relative": "//a.b/c"]))
        let home = try #require(try defaults.storedValue(for: Defaults.Key<URL>("home", default: URL(filePath: "/"))))
        #expect(home.isFileURL)
        #expect(home.path.hasPrefix("/") && home.path.hasSuffix("/a.txt"))
        #expect(!home.path.contains("~"))
        #expect(try defaults.storedValue(for: Defaults.Key<URL?>("relative")) == URL(string: "//a.b/c"))
    }
}

/// An array to `Codable`, one value to the key.
private struct Team: Codable, Hashable, Defaults.Serializable {
    var users: [User]

    init(users: [User]) {
        self.users = users
    }

    init(from decoder: any Decoder) throws {
        users = try [User](from: decoder)
    }

    func encode(to encoder: any Encoder) throws {
        try users.encode(to: encoder)
    }
}

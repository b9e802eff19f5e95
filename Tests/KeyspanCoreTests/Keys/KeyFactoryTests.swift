import Foundation
@_spi(StoreAuthors) import KeyspanCore
import Testing

extension Defaults.KeyName {
    fileprivate static func endpoint(of environment: String) -> Self { "endpoint.\(environment)" }
}

@Suite struct KeyFactoryTests {
    private let store = InMemoryStore(name: "the store")
    private var defaults: Defaults { Defaults(store) }

    /// A factory with a value, its stored form, and a stored form of another kind.
    struct Plain: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let check: @Sendable (InMemoryStore) throws -> Void

        init<Value: Equatable & Sendable>(
            _ name: String,
            _ key: @escaping @Sendable () -> Defaults.Key<Value?>,
            value: Value,
            stored: PropertyListValue,
            foreign: PropertyListValue
        ) {
            testDescription = name
            check = { store in
                let (key, defaults) = (key(), Defaults(store))
                #expect(defaults[key] == nil)
                defaults[key] = value
                #expect(store.value(forKey: "key") == stored)
                #expect(defaults[key] == value)
                defaults[key] = nil
                #expect(store.value(forKey: "key") == nil)
                try store.apply(PropertyListBatch(.set(foreign, key: "key")))
                let reports = reportedProblems { #expect(defaults[key] == nil) }
                #expect(reports.count == 1)
            }
        }
    }

    static let plain = [
        Plain("bool", { .bool("key") }, value: true, stored: true, foreign: "YES"),
        Plain("integer", { .integer("key") }, value: .min, stored: .integer(.init(Int.min)), foreign: "1"),
        Plain("float", { .float("key") }, value: 0.5, stored: 0.5, foreign: "0.5"),
        Plain("double", { .double("key") }, value: 0.1, stored: 0.1, foreign: "0.1"),
        Plain(
            "date",
            { .date("key") },
            value: Date(timeIntervalSinceReferenceDate: 1.5),
            stored: .date(Date(timeIntervalSinceReferenceDate: 1.5)),
            foreign: 1.5
        ),
        Plain("string", { .string("key") }, value: "text", stored: "text", foreign: 1),
        Plain("data", { .data("key") }, value: Data([1, 2]), stored: .data(Data([1, 2])), foreign: "AQI="),
    ]

    @Test(arguments: plain)
    func `a plain key stores its kind and coerces nothing`(_ plain: Plain) throws {
        try plain.check(store)
    }

    @Test func `a default and a raw value are added to other keys`() throws {
        let enabled = Defaults.Key.defaulting(.bool("enabled"), with: true)
        let fruit = Defaults.Key.defaulting(.rawRepresentable(represented: .string("fruit")), with: Fruit.apple)
        #expect(defaults[enabled])
        #expect(defaults[fruit] == .apple)
        defaults[enabled] = false
        defaults[fruit] = .pear
        #expect(store.snapshot() == ["enabled": false, "fruit": "pear"])
        #expect(!defaults[enabled])
        #expect(defaults[fruit] == .pear)
        try store.apply(PropertyListBatch(.set("stone", key: "fruit")))
        let reports = reportedProblems { #expect(defaults[fruit] == .apple) }
        #expect(reports.count == 1)
    }

    @Test func `composing keeps the store, the details and the rules of a key`() {
        let suite = InMemoryStore()
        let port = Defaults.Key<Int?>("port", suite: suite)
            .validated(by: .ifPresent(.range(1...9)))
            .summary("The port.")
            .secret()
        let composed = Defaults.Key.defaulting(port, with: 5)
        #expect(composed.suite === suite)
        #expect(composed.summary == "The port.")
        #expect(composed.isSecret)
        #expect(throws: Defaults.WriteError.self) { try defaults.set(10, for: composed) }
    }

    @Test func `a key of a raw value passes its rules on`() throws {
        let name = Defaults.Key<String?>("fruit").validated(by: .ifPresent(.oneOf("apple", "plum")))
        let fruit = Defaults.Key<Fruit?>.rawRepresentable(represented: name)
        try defaults.set(.apple, for: fruit)
        try defaults.set(nil, for: fruit)
        let error = #expect(throws: Defaults.WriteError.self) { try defaults.set(.pear, for: fruit) }
        #expect(error?.description.contains("one of apple, plum") == true)
        #expect(throws: Defaults.WriteError.self) { try defaults.set(.pear, for: .defaulting(fruit, with: .apple)) }
        let throwing = Defaults.ThrowingKey<Fruit?>.rawRepresentable(represented: name.throwing())
        #expect(throws: Defaults.WriteError.self) { try defaults.set(.pear, for: throwing) }
        try store.apply(PropertyListBatch(.set("pear", key: "fruit")))
        #expect(throws: Defaults.ValidationError.self) { try defaults.validate([fruit]) }
    }

    @Test func `JSON is written in the form that was asked for, and read in any`() throws {
        struct Visit: Codable, Equatable {
            var page: Int
        }
        let text = Defaults.Key.jsonCoded("visit", default: Visit(page: 0))
        let data = Defaults.Key.jsonCoded("visit", default: Visit(page: 0), as: .data)
        #expect(defaults[text] == Visit(page: 0))
        defaults[text] = Visit(page: 1)
        #expect(store.value(forKey: "visit") == "{\"page\":1}")
        #expect(defaults[data] == Visit(page: 1))
        defaults[data] = Visit(page: 2)
        #expect(store.value(forKey: "visit") == .data(Data("{\"page\":2}".utf8)))
        #expect(defaults[text] == Visit(page: 2))
    }

    @Test(arguments: ["null", .data(Data("null".utf8))] as [PropertyListValue])
    func `JSON null is not a value`(_ stored: PropertyListValue) throws {
        let key = Defaults.Key<User?>.jsonCoded("user")
        try store.apply(PropertyListBatch(.set(stored, key: "user")))
        #expect(try defaults.value(for: key) == nil)
        defaults[key] = User(name: "Ada", age: 36)
        #expect(try defaults.value(for: key) == User(name: "Ada", age: 36))
        defaults[key] = nil
        #expect(store.snapshot().isEmpty)
    }

    @Test func `names have a type of their own`() {
        let endpoint = Defaults.Key<String>(.endpoint(of: "test"), default: "none")
        #expect(endpoint.name == "endpoint.test")
        #expect(Defaults.Key<Int?>(.endpoint(of: "count")).name == "endpoint.count")
        #expect(Defaults.KeyName("a") == "a")
        #expect(Defaults.KeyName(rawValue: "a").rawValue == "a")
        #expect(Defaults.Key.integer(.endpoint(of: "a")).name == "endpoint.a")
    }

    @Test func `a bridge of the key comes before the one of its type`() throws {
        struct Reversed: Defaults.Bridge {
            func serialize(_ value: String?) -> String? { value.map { String($0.reversed()) } }
            func deserialize(_ object: String?) -> String? { serialize(object) }
        }
        let key = Defaults.Key<String>("name", default: "", bridge: Reversed())
        let optional = Defaults.Key<String?>("name", bridge: Reversed())
        defaults[key] = "Ada"
        #expect(store.value(forKey: "name") == "adA")
        #expect(defaults[optional] == "Ada")
        defaults[optional] = nil
        #expect(store.snapshot().isEmpty)
    }
}

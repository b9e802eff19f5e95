import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import Testing

extension Defaults.KeyName {
    fileprivate static func endpoint(of environment: String) -> Self { "endpoint.\(environment)" }
}

@Suite struct KeyFactoryTests {
    private let store = InMemoryStore(name: "the store")
    private var defaults: Defaults { Defaults(store) }

    /// A key with a value, its stored form, and a stored form of another kind.
    private func check<Value: Equatable & Sendable>(
        _ key: Defaults.Key<Value?>,
        _ value: Value,
        isStoredAs stored: PropertyListValue,
        not foreign: PropertyListValue
    ) throws {
        #expect(defaults[key] == nil)
        defaults[key] = value
        #expect(store.value(forKey: "key") == stored)
        #expect(defaults[key] == value)
        defaults[key] = nil
        #expect(store.value(forKey: "key") == nil)
        try store.apply(PropertyListBatch(.set(foreign, key: "key")))
        let problems = reportedProblems { #expect(defaults[key] == nil) }
        #expect(problems.count == 1)
        store.removeAll()
    }

    @Test func `a plain key stores its kind and coerces nothing`() throws {
        let date = Date(timeIntervalSinceReferenceDate: 1.5)
        try check(.bool("key"), true, isStoredAs: true, not: "YES")
        try check(.integer("key"), .min, isStoredAs: .integer(.init(Int.min)), not: "1")
        try check(.float("key"), 0.5, isStoredAs: 0.5, not: "0.5")
        try check(.double("key"), 0.1, isStoredAs: 0.1, not: "0.1")
        try check(.date("key"), date, isStoredAs: .date(date), not: 1.5)
        try check(.string("key"), "text", isStoredAs: "text", not: 1)
        try check(.data("key"), Data([1, 2]), isStoredAs: .data(Data([1, 2])), not: "AQI=")
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

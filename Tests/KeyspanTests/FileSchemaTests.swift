#if os(Linux) || os(macOS)
import Foundation
import Keyspan
@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// Files satisfy the schema of some keys if a strict store of those keys takes them.
struct FileSchema {
    enum Mode: String, CaseIterable, Defaults.Serializable {
        case fast, safe
    }

    private static let keys: [Defaults.AnyKey] = [
        Defaults.Key<Int>("port", default: 80).validated(by: .range(1...65535)),
        Defaults.Key<Mode>("mode", default: .fast),
        Defaults.Key<[String: Int]>("limits", default: [:]),
        Defaults.Key<Double>("ratio", default: 1),
        Defaults.Key<Duration>("timeout", default: .seconds(5)),
        Defaults.Key<UInt16>("tls.port", default: 443),
        Defaults.Key<String?>("tls.client.name"),
        Defaults.Key<Bool?>("tls.client.auth.required"),
        // A key whose value is a dictionary is not a group, although another key begins with its name.
        Defaults.Key<[String: Int]>("a.b", default: [:]),
        Defaults.Key<Int?>("a.b.c.d"),
        Defaults.Key<Int?>("größe/~1%.x y"),
        Defaults.Key<Int?>("dollar.$x"),
    ]

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Whether a store takes a file, and all keys can read their values in it.
    private func isAccepted(_ text: String, _ unknownNames: Defaults.UnknownNames = .strict) throws -> Bool {
        let path = try folder.write(text, to: UUID().uuidString + ".json")
        var options = FileStoreOptions()
        options.isWatching = false
        do {
            let store = try JSONFileStore(path: path, keys: Self.keys, unknownNames: unknownNames, options: options)
            try Defaults(store).validate(Self.keys)
            return true
        } catch is FileStoreError {
            return false
        } catch is Defaults.ValidationError {
            return false
        }
    }

    private static let accepted = [
        "{}", #"{"$schema": "settings.schema.json", "port": 8080}"#, #"{"$schema": 5}"#,
        #"{"keyspan.kept": {"x": 1}, "keyspan.migrations": 1}"#,
        // Flat, nested, and mixed.
        #"{"tls.port": 1, "tls.client.name": "a", "tls.client.auth.required": true}"#,
        #"{"tls": {"port": 1, "client": {"name": "a", "auth": {"required": true}}}}"#,
        #"{"tls": {"port": 1, "client.name": "a", "client.auth.required": true}}"#,
        #"{"tls": {"port": 1}, "tls.client": {"name": "a"}, "tls.client.auth": {"required": true}}"#,
        #"{"tls": {"client": {"auth.required": true}}, "tls.client.name": "a"}"#,
        #"{"tls": {}, "tls.client": {"auth": {}}}"#,
        // One key at two places.
        #"{"tls": {"port": 1}, "tls.port": 2}"#,
        #"{"a": {"b": {"c": 1}}}"#, #"{"a.b": {"c": 1}}"#, #"{"a": {"b.c.d": 1, "b": {}}}"#, #"{"a.b.c": {"d": 1}}"#,
        #"{"a": {"b.c": {"d": 1}}}"#,
        #"{"größe/~1%": {"x y": 1}}"#, #"{"größe/~1%.x y": 1}"#, #"{"dollar.$x": 1}"#,
        #"{"limits": {"cpu": 1}, "mode": "safe", "ratio": {"$real": "inf"}, "timeout": "1h30m"}"#,
        #"{"limits": {"$dictionary": {"$data": 1}}}"#,
    ]

    private static let refused = [
        // Names that no key has, at the top and in groups.
        #"{"prot": 1}"#, #"{"schema": 1}"#, #"{"$schemas": 1}"#, #"{"keyspan.other": 1}"#, #"{"keyspan": {"kept": 1}}"#,
        #"{"tls": {"port": 1, "prot": 1}}"#, #"{"tls": {"client": {"nam": "a"}}}"#, #"{"tls.client": {"port": 1}}"#,
        #"{"tls.prot": 1}"#, #"{"tls": {"$schema": "x"}}"#, #"{"tls": {"tls.port": 1}}"#, #"{"tls": {"": 1}}"#,
        #"{"": 1}"#, #"{"a": {"b": {"c": {"d": 1}}}}"#, #"{"a.b": {"c": {"d": 1}}}"#, #"{"a": {"c": 1}}"#,
        #"{"dollar": {"$x": 1}}"#, #"{"dollar": {"x": 1}}"#, #"{"größe/~1%": {"x": 1}}"#,
        // Wrong kinds.
        #"{"port": "8080"}"#, #"{"port": true}"#, #"{"port": 0}"#, #"{"port": 1.5}"#, #"{"port": {"x": 1}}"#,
        #"{"mode": "slow"}"#, #"{"limits": []}"#, #"{"limits": {"cpu": "x"}}"#, #"{"ratio": "1"}"#, #"{"timeout": 5}"#,
        #"{"tls": 5}"#, #"{"tls": []}"#, #"{"tls": {"port": "1"}}"#, #"{"tls": {"client": true}}"#,
        #"{"tls.port": -1}"#,
        #"{"tls": {"client": {"auth": {"required": 1}}}}"#, #"{"tls": {"client.name": 1}}"#, #"{"tls.client": "x"}"#,
        #"{"tls": {"$data": "aGk="}}"#, #"{"a": {"b": 1}}"#,
    ]

    private let schema = Defaults(InMemoryStore()).describe(Self.keys).jsonSchema

    /// Files as people write them.
    func handwrittenCases() throws -> [SchemaValidator.Case] {
        try [(Self.accepted, true), (Self.refused, false)].flatMap { texts, isValid in
            try texts.map { text in
                let isTaken = try isAccepted(text)
                #expect(isTaken == isValid, "\(text)")
                return .init(name: "file", document: text, schema: schema, isValid: isValid)
            }
        }
    }

    /// The forms that the two cannot agree on, as the schema's documentation says: null is absent for a store, a whole real is an
    /// integer for a schema, and only a store reads the escaped form of a dictionary as that dictionary.
    func disputedCases() throws -> [SchemaValidator.Case] {
        #expect(try isAccepted(#"{"port": null, "tls": {"port": null}, "prot": null}"#))
        #expect(try !isAccepted(#"{"port": 80.0}"#))
        let escaped = #"{"tls": {"$dictionary": {"port": 1}}}"#
        #expect(try isAccepted(escaped))
        return [
            .init(name: "null", document: #"{"port": null}"#, schema: schema, isValid: false),
            .init(name: "escaped dictionary", document: escaped, schema: schema, isValid: false),
            .init(name: "whole real", document: #"{"port": 80.0}"#, schema: schema, isValid: true),
        ]
    }

    /// A schema for files with other names, which allows them, and only them.
    func openCases() throws -> [SchemaValidator.Case] {
        let schema = Defaults(InMemoryStore()).describe(Self.keys).jsonSchema(unknownNames: .areIgnored)
        return try [
            (#"{"prot": 1, "tls": {"prot": 1, "client": {"x": 1}}, "$schema": "x"}"#, true),
            (#"{"port": "x"}"#, false), (#"{"tls": {"port": "x", "prot": 1}}"#, false),
        ].map { text, isValid in
            let isTaken = try isAccepted(text, .areIgnored)
            #expect(isTaken == isValid, "\(text)")
            return .init(name: "open file", document: text, schema: schema, isValid: isValid)
        }
    }

    /// Values for each key of the table, two of them right.
    private static let values: [String: [PropertyListValue]] = [
        "port": [1, 8080, 0], "mode": ["fast", "safe", "slow"], "limits": [[:], ["a": 1], 1], "ratio": [1, 0.5, "x"],
        "timeout": ["5s", "PT5M", 5], "tls.port": [0, 443, 70_000], "tls.client.name": ["", "a", 1],
        "tls.client.auth.required": [true, false, "true"], "a.b": [[:], ["c": 1], ["c": ["d": 1]]],
        "a.b.c.d": [1, 2, "x"], "größe/~1%.x y": [1, 2, [1]], "dollar.$x": [1, 2, "x"],
        // Not keys.
        "prot": [1, 2, 3], "tls.prot": [1, 2, 3], "tls.client.auth": [1, [], "x"], "a": [1, [], "x"],
    ]

    /// Files with any mixture of places and values.
    func randomCases() throws -> [SchemaValidator.Case] {
        var generator = SeededGenerator(seed: SeededGenerator.seedOfRun)
        var counts = [true: 0, false: 0]
        let cases = try (0..<TestLevel.current.pick(300, thorough: 1000, exhaustive: 3000)).map { _ in
            var document: PropertyListDictionary = [:]
            // Inside `a.b` it would be another value of that key, which the store reports and does not read.
            let names = Self.values.keys.sorted().filter { $0 != "a.b.c.d" || Bool.random(using: &generator) }
            for name in names where name != "a.b" || !names.contains("a.b.c.d") {
                let isKey = Self.keys.contains { $0.name == name }
                guard Int.random(in: 0..<(isKey ? 3 : 30), using: &generator) == 0 else { continue }
                let values = Self.values[name] ?? []
                let isWrong = Int.random(in: 0..<20, using: &generator) == 0
                let value = isWrong ? values[2] : values[Int.random(in: 0..<2, using: &generator)]
                Self.add(value, at: Self.path(of: name, &generator), to: &document)
            }
            let text = String(decoding: JSONText.encode(PropertyListTable(document)), as: UTF8.self)
            let isValid = try isAccepted(text)
            counts[isValid, default: 0] += 1
            return SchemaValidator.Case(name: "random file", document: text, schema: schema, isValid: isValid)
        }
        // Otherwise the comparison would say little.
        #expect(counts.values.allSatisfy { $0 > cases.count / 10 }, "\(counts)")
        return cases
    }

    /// The names of the members that lead to a key, split at some of its dots.
    private static func path(of name: String, _ generator: inout SeededGenerator) -> [String] {
        name.split(separator: ".").map(String.init).reduce(into: []) { path, part in
            if let last = path.last, Int.random(in: 0..<3, using: &generator) == 0 {
                path[path.count - 1] = last + "." + part
            } else {
                path.append(part)
            }
        }
    }

    private static func add(_ value: PropertyListValue, at path: [String], to object: inout PropertyListDictionary) {
        if path.count == 1 {
            object[path[0]] = value
            return
        }
        var inner = object[path[0]]?.dictionaryValue ?? [:]
        add(value, at: Array(path.dropFirst()), to: &inner)
        object[path[0]] = .dictionary(inner)
    }
}
#endif

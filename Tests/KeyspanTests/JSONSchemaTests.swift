import Foundation
import Keyspan
@_spi(StoreAuthors) import KeyspanFileStore
import Testing

enum Colour: String, CaseIterable, Defaults.Serializable {
    case red, green
}

struct Size: Codable, Hashable, Defaults.Serializable {
    var width = 1
}

@Suite struct JSONSchemaTests {
    typealias Key = Defaults.Key

    private static func object(_ member: String, _ schema: String) -> String {
        #""type": "object", "properties": {"\#(member)": \#(schema)}, "required": ["\#(member)"], "additionalProperties": false"#
    }

    /// A dictionary, which a file writes as it is, or in a form of its own if it looks like another value.
    private static func dictionary(of elements: String) -> String {
        let plain = #"{"type": "object", "additionalProperties": \#(elements)}"#
        let escaped = #""required": ["$dictionary"], "propertyNames": {"const": "$dictionary"}"#
        return #"{"anyOf": [\#(plain), {"type": "object", \#(escaped), "additionalProperties": \#(plain)}]}"#
    }

    private static let real =
        #""type": ["number", "object"], "properties": {"$real": {"enum": ["inf", "-inf", "nan"]}}, "#
        + #""required": ["$real"], "additionalProperties": false"#

    /// The pattern of RFC 3339, section 5.6.
    private static let datePattern =
        #"^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])[Tt]([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]+)?"#
        + #"([Zz]|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$"#

    /// Keys, and the members that their properties have in the schema, as JSON text.
    static let subjects: [(key: Defaults.AnyKey, schema: String)] = [
        (Key<Bool>("key", default: true), #"{"type": "boolean", "default": true}"#),
        (Key<Int>("key", default: 1), #"{"type": "integer", "default": 1}"#),
        (Key<Int?>("key"), #"{"type": "integer"}"#),
        (Key<UInt8?>("key"), #"{"type": "integer", "minimum": 0, "maximum": 255}"#),
        (Key<UInt64?>("key"), #"{"type": "integer", "minimum": 0}"#),
        (Key<Double>("key", default: 0.5), #"{\#(real), "default": 0.5}"#),
        (Key<String>("key", default: "\"\n"), #"{"type": "string", "default": "\"\n"}"#),
        (
            Key<Date>("key", default: Date(timeIntervalSinceReferenceDate: 0)),
            #"{"anyOf": [{\#(object("$date", #"{"type": ["string", "number"]}"#))}, "#
                + #"{"type": "string", "pattern": "\#(datePattern)", "examples": ["2026-11-21T10:50:00Z"]}], "#
                + #""default": {"$date": "2001-01-01T00:00:00Z"}}"#
        ),
        (Key<Data?>("key"), "{\(object("$data", #"{"type": "string"}"#))}"),
        (
            Key<[[Bool]]>("key", default: []),
            #"{"type": "array", "items": {"type": "array", "items": {"type": "boolean"}}, "default": []}"#
        ),
        (Key<[String: Int]?>("key"), dictionary(of: #"{"type": "integer"}"#)),
        (
            Key<[Int: [Bool]]?>("key"),
            dictionary(of: #"{"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "boolean"}]}}"#)
        ),
        // Infinite bounds, and a pattern that ECMA 262 does not know, are left out.
        (Key<Float?>("key").validated(by: .ifPresent(.range(-.infinity...5))), #"{\#(real), "maximum": 5.0}"#),
        (Key<String?>("key").validated(by: .ifPresent(.pattern("(?i)a"))), #"{"type": "string"}"#),
        // The number that a person writes for a `Float`, and the one that its key writes, are both within the bounds.
        (
            Key<Float?>("key").validated(by: .ifPresent(.range(0.1...0.7))),
            #"{\#(real), "minimum": 0.1, "maximum": 0.7}"#
        ),
        (Key<Float?>("key").validated(by: .ifPresent(.oneOf(0.5))), #"{\#(real), "enum": [0.5]}"#),
        // Other values are read as these.
        (Key<Int>.coercing("key", default: 80).validated(by: .oneOf(80, 443)), #"{"default": 80}"#),
        (Key<Int?>("key").validated(by: .oneOf(1, nil)), #"{"type": "integer", "enum": [1]}"#),
        (Key<PropertyListValue>("key", default: ["a": 1]), #"{"default": {"a": 1}}"#),
        (Key<Colour>("key", default: .green), #"{"type": "string", "enum": ["red", "green"], "default": "green"}"#),
        (Key<Colour?>("key"), #"{"type": "string", "enum": ["red", "green"]}"#),
        (Key<Size>("key", default: Size()), #"{"default": {"width": 1}}"#),
        (
            Key<UInt16>("key", default: 80).validated(by: .range(1...9000), .oneOf(80, 443)),
            #"{"type": "integer", "minimum": 1, "maximum": 9000, "enum": [80, 443], "default": 80}"#
        ),
        (
            Key<Int?>("key").validated(by: .ifPresent(.range(1...)), .ifPresent(.range(5...9))),
            #"{"type": "integer", "minimum": 1, "allOf": [{"minimum": 5, "maximum": 9}]}"#
        ),
        (
            Key<String>("key", default: "a").validated(by: .pattern("[a-z]+")),
            #"{"type": "string", "pattern": "^(?:[a-z]+)$", "default": "a"}"#
        ),
        (
            Key<Bool?>("key").summary("Whether \"it\" works."),
            #"{"type": "boolean", "description": "Whether \"it\" works."}"#
        ),
        // Neither the default nor the permitted values of a secret are there.
        (Key<String>("key", default: "factory").secret(), #"{"type": "string", "writeOnly": true}"#),
        (Key<Colour>("key", default: .red).secret(), #"{"type": "string", "writeOnly": true}"#),
        (
            Key<String?>("key").validated(by: .ifPresent(.oneOf("alpha", "beta"))).secret(),
            #"{"type": "string", "writeOnly": true}"#
        ),
        (
            Key<Int>("key", default: 5).secret().validated(by: .oneOf(5, 6), .range(1...9)),
            #"{"type": "integer", "writeOnly": true, "minimum": 1, "maximum": 9}"#
        ),
        (Key<Int>("key") { 5 }, #"{"type": "integer"}"#),
    ]

    @Test(arguments: subjects)
    func `the text reads back as the schema of the key`(key: Defaults.AnyKey, expected: String) throws {
        let text = Defaults(InMemoryStore()).describe([key]).jsonSchema
        let schema = try JSONText.parse(Array(text.utf8))
        #expect(schema["$schema"] == "https://json-schema.org/draft/2020-12/schema")
        #expect(schema["type"] == "object")
        #expect(schema["properties"] == ["key": try JSONText.parse(Array(expected.utf8))])
    }

    @Test func `the text is for people`() {
        let keys = [
            Key<Int>("port", default: 8080).validated(by: .range(1...65535)).summary("Where to listen."),
            Key<Int?>("retries").validated(by: .ifPresent(.range(0...))) as Defaults.AnyKey,
        ]
        #expect(
            Defaults(InMemoryStore()).describe(keys).jsonSchema == """
                {
                  "$schema": "https://json-schema.org/draft/2020-12/schema",
                  "additionalProperties": false,
                  "patternProperties": {
                    "^(\\\\$schema|keyspan\\\\.kept|keyspan\\\\.migrations)$": true
                  },
                  "properties": {
                    "port": {
                      "default": 8080,
                      "description": "Where to listen.",
                      "maximum": 65535,
                      "minimum": 1,
                      "type": "integer"
                    },
                    "retries": {
                      "minimum": 0,
                      "type": "integer"
                    }
                  },
                  "type": "object"
                }

                """
        )
    }

    @Test func `a group is one definition, with the keys in it`() throws {
        let keys: [Defaults.AnyKey] = [
            Key<Int?>("tls.port"), Key<Bool?>("tls.client.on"), Key<Int?>("top"),
        ]
        let description = Defaults(InMemoryStore()).describe(keys)
        let schema = try JSONText.parse(Array(description.jsonSchema.utf8))
        let groups: PropertyListValue = [
            "tls": [
                "type": "object",
                "properties": [
                    "port": ["$ref": "#/$defs/tls.port"], "client.on": ["$ref": "#/$defs/tls.client.on"],
                    "client": ["$ref": "#/$defs/tls.client"],
                ],
                "additionalProperties": false,
            ],
            "tls.client": [
                "type": "object", "properties": ["on": ["$ref": "#/$defs/tls.client.on"]],
                "additionalProperties": false,
            ],
            "tls.port": ["type": "integer"], "tls.client.on": ["type": "boolean"],
        ]
        #expect(schema["$defs"] == groups)
        #expect(
            schema["properties"] == [
                "top": ["type": "integer"], "tls": ["$ref": "#/$defs/tls"], "tls.port": ["$ref": "#/$defs/tls.port"],
                "tls.client": ["$ref": "#/$defs/tls.client"], "tls.client.on": ["$ref": "#/$defs/tls.client.on"],
            ]
        )
        let open = description.jsonSchema(unknownNames: .areIgnored)
        #expect(!open.contains("additionalProperties") && !open.contains("patternProperties"))
    }

    @Test func `a key with many dots does not make the schema long`() {
        let name = (0..<17).map { "level\($0)" }.joined(separator: ".")
        let schema = Defaults(InMemoryStore()).describe([Key<Int?>(name)]).jsonSchema
        #expect(schema.utf8.count < 100_000)
    }

    @Test func `keys of several stores are described and checked in one store`() throws {
        let stores = ["first", "second"].map { InMemoryStore(["key": "text"], name: $0) }
        let key = Key<Int>("key", default: 0, suite: stores[0])
        let more = Key<String>("key", default: "", suite: stores[0])
        for store in stores {
            let defaults = Defaults(store)
            #expect(defaults.describe([key, more]).rows.map(\.provenance?.description) == [store.name, store.name])
            let error = #expect(throws: Defaults.ValidationError.self) { try defaults.validate([key, more]) }
            #expect(error?.problems.map(\.store) == [store.name])
            try defaults.validate([more])
        }
    }
}

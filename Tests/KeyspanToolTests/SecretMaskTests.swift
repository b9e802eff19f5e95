import Foundation
import Keyspan
import KeyspanCore
import Testing

@testable import KeyspanTool

@Suite struct SecretMaskTests {
    private func mask(_ schema: String) -> SecretMask {
        SecretMask(schema: SecretSchema(Array(schema.utf8)))
    }

    @Test(arguments: [
        #"{"properties": {"a.b": {"writeOnly": true}}}"#,
        #"{"properties": {"a": {"properties": {"b": {"writeOnly": true}}}}}"#,
        ##"{"allOf": [{"properties": {"a": {"$ref": "#/$defs/x"}}}], "$defs": {"x": {"properties": {"b": {"writeOnly": true}}}}}"##,
        #"{"properties": {"a": {"additionalProperties": {"writeOnly": true}}}}"#,
        #"{"properties": {"a": {"patternProperties": {"^b$": {"writeOnly": true}}}}}"#,
        #"{"patternProperties": {"^a\\.b$": {"writeOnly": true}}, "properties": {"a.c": {}}}"#,
        #"{"properties": {"a": {"anyOf": [{"type": "string"}, {"properties": {"b": {"writeOnly": true}}}]}}}"#,
        ##"{"title": "x", "examples": [1], "properties": {"a": {"$ref": "#"}, "b": {"writeOnly": true}}}"##,
        ##"{"properties": {"a.b": {"$ref": "#/$defs/%C3%A9%7e1%20"}}, "$defs": {"é/ ": {"writeOnly": true}}}"##,
        ##"{"properties": {"a.b": {"$ref": "#/$defs/x/anyOf/1"}}, "$defs": {"x": {"anyOf": [{}, {"writeOnly": true}]}}}"##,
        ##"{"properties": {"a.b": {"$ref": "#/$defs/"}}, "$defs": {"": {"writeOnly": true}}}"##,
        ##"{"$dynamicRef": "#/$defs/x", "$defs": {"x": {"properties": {"a.b": {"writeOnly": true}}}}}"##,
        #"{"dependentSchemas": {"z": {"properties": {"a.b": {"writeOnly": true}}}}}"#,
        #"{"dependencies": {"z": {"properties": {"a.b": {"writeOnly": true}}}, "a": ["z"]}}"#,
        #"{"not": {"properties": {"a": {"properties": {"b": {"writeOnly": true}}}}}}"#,
        #"{"if": {"required": ["z"]}, "then": {"properties": {"a.b": {"writeOnly": true}}}}"#,
        #"{"if": false, "else": {"properties": {"a.b": {"writeOnly": true}}}}"#,
        #"{"properties": {"a": {"unevaluatedProperties": {"writeOnly": true}}}}"#,
    ])
    func `finds a secret however the schema and the file nest it`(schema: String) {
        let mask = mask(schema)
        #expect(mask.isSecret("a.b") && mask.mayBeSecret("a.b") && !mask.mayBeSecret("z"))
        #expect(mask.masked(["a": ["b": "s3cret"], "z": 1]) == ["a": ["b": "(hidden secret)"], "z": 1])
        #expect(mask.masked(["a.b": "s3cret", "z": 1]) == ["a.b": "(hidden secret)", "z": 1])
    }

    @Test(arguments: [
        #""items": S"#, #""items": [S, {}]"#, #""prefixItems": [{}, S]"#, #""items": false, "contains": S"#,
        #""items": [{}], "additionalItems": S"#, #""unevaluatedItems": S"#,
    ])
    func `hides what is inside a secret, and elements of arrays`(keywords: String) {
        let element = keywords.replacing("S", with: #"{"properties": {"p": {"writeOnly": true}}}"#)
        let mask = mask(#"{"properties": {"a": {"writeOnly": true}, "l": {\#(element)}}}"#)
        #expect(mask.isSecret("a.b.c") && mask.isSecret("a") && !mask.isSecret("l") && !mask.isSecret("ab"))
        #expect(mask.masked(["l": [["p": 1, "q": 2], 5]]) == ["l": [["p": "(hidden secret)", "q": 2], 5]])
    }

    @Test(arguments: [
        ##"{"$ref": "other.json"}"##, ##"{"allOf": [{"$ref": "https://example.com/s.json#/a"}]}"##,
        ##"{"$dynamicRef": "#meta"}"##, ##"{"$ref": "#/$defs/none"}"##, ##"{"$ref": "#anchor"}"##, ##"{"$ref": 5}"##,
        ##"{"properties": {"a": {"$ref": "other.json"}, "z": {}}}"##,
        ##"{"properties": {"a.b": {"$ref": "other.json"}, "z": {}}}"##,
        ##"{"properties": {"a": {"$id": "x.json", "$ref": "#/$defs/x"}}, "$defs": {"x": {}}}"##,
        ##"{"patternProperties": {"^a": {"anyOf": [{"$ref": "x"}, {}]}}}"##,
        ##"{"additionalProperties": {"$ref": "x"}, "properties": {"z": {}}}"##,
    ])
    func `hides texts, data and secret numbers behind a reference that it cannot follow`(schema: String) {
        let mask = mask(schema)
        let members: PropertyListDictionary = ["b": "s3cret", "pin": 4711, "port": 443, "on": true, "empty": ""]
        let hidden = members.merging(["b": "(hidden secret)"]) { $1 }
        let names = schema.contains("a.b") ? ["b"] : ["b", "pin"]
        #expect(mask.mayBeSecret("a.b") && !mask.isSecret("a.b"))
        for name in names where name == "pin" { #expect(mask.mayBeSecret("a.pin")) }
        let shown = hidden.merging(names.contains("pin") ? ["pin": "(hidden secret)"] : [:]) { $1 }
        #expect(mask.masked(["a": .dictionary(members), "z": 1]) == ["a": .dictionary(shown), "z": 1])
        #expect(mask.masked(["a.b": "s3cret", "z": 1]) == ["a.b": "(hidden secret)", "z": 1])
        #expect(mask.shown("s3cret", ofNamedKey: "a.b") == "s3cret")
    }

    @Test func `hides the numbers behind a reference that another part marks`() {
        let mask = mask(##"{"$ref": "x", "properties": {"n": {"writeOnly": true}, "keyspan.kept": {}}}"##)
        let record: PropertyListValue = [
            "n": [["entries": ["n": 5]]], "m": [["date": .date(.now), "entries": ["m": "s3cret"]]],
        ]
        #expect(mask.masked(["n": 5, "m": 6]) == ["n": "(hidden secret)", "m": 6])
        let masked = mask.masked(record, ofKey: "keyspan.kept")
        #expect(masked["n"] == "(hidden secret)")
        #expect(masked["m"]?.arrayValue?.first?["entries"] == ["m": "(hidden secret)"])
    }

    @Test func `hides everything that the schema marks as a whole`() {
        let mask = mask(#"{"writeOnly": true}"#)
        #expect(mask.isSecret("a") && mask.masked(["a": 1]) == ["a": "(hidden secret)"])
        #expect(mask.masked(["$schema": "s.json"]) == ["$schema": "s.json"])
    }

    @Test func `ends for a schema that refers to itself`() {
        let mask = mask(##"{"$ref": "#", "properties": {"a": {"$ref": "#"}, "p": {"writeOnly": true}}}"##)
        #expect(mask.masked(["a": ["a": ["p": 1]]]) == ["a": ["a": ["p": "(hidden secret)"]]])
        #expect(SecretSchema(Array("[]".utf8)) == nil)
    }

    @Test func `ends for a schema that refers to itself many times`() {
        let references = Array(repeating: ##"{"$ref": "#"}, {"$ref": "#/$defs/x"}"##, count: 50).joined(separator: ", ")
        let mask = mask(
            ##"{"allOf": [\##(references)], "properties": {"a": {"$ref": "#"}, "p": {"writeOnly": true}}, "##
                + ##""$defs": {"x": {"oneOf": [\##(references)]}}}"##
        )
        #expect(mask.masked(["a": ["a": ["p": 1]]]) == ["a": ["a": ["p": "(hidden secret)"]]])
    }

    @Test func `ends for a name with many ways through a schema that refers to itself`() {
        let mask = mask(
            ##"{"properties": {"a": {"$ref": "#"}, "a.a": {"$ref": "#"}, "a.a.a": {"$ref": "#"}, "p": {"writeOnly": true}}}"##
        )
        let path = Array(repeating: "a", count: 60).joined(separator: ".")
        #expect(mask.isSecret("\(path).p") && !mask.isSecret("\(path).q") && !mask.isSecret(path))
    }

    @Test func `hides what a pattern may match that it cannot read`() {
        let mask = mask(#"{"patternProperties": {"(?<!": {"writeOnly": true}}}"#)
        #expect(mask.masked(["p": 1]) == ["p": "(hidden secret)"])
    }

    @Test func `hides keys in groups whose names a reference has to escape`() {
        let keys = ["tls.clé", "tls.a b", "tls.a~b/c"]
        let described = Defaults(InMemoryStore()).describe(keys.map { Defaults.Key<String?>($0).secret() })
        let mask = mask(described.jsonSchema)
        for key in keys {
            let name = String(key.dropFirst(4))
            #expect(mask.masked(["tls": [name: "s3cret"]]) == ["tls": [name: "(hidden secret)"]])
            #expect(mask.masked([key: "s3cret"]) == [key: "(hidden secret)"])
        }
    }

    @Test func `hides recorded entries whose form does not show them`() {
        let mask = mask(#"{"properties": {"p": {"writeOnly": true}}}"#)
        let date = PropertyListValue.date(Date(timeIntervalSinceReferenceDate: 0))
        let record: PropertyListValue = [
            "k": [["date": date, "entries": [["dictionary", "p"], "s3cret"]]], "p": [1],
            "x": [["entries": ["x": 1]], ["date": date, "entries": ["x": 1], "note": "s3cret"], 5],
        ]
        #expect(
            mask.masked(record, ofKey: "keyspan.kept") == [
                "k": [["date": date, "entries": "(hidden secret)"]], "p": "(hidden secret)",
                "x": [
                    "(hidden secret)", ["date": date, "entries": ["x": 1], "note": "(hidden secret)"],
                    "(hidden secret)",
                ],
            ]
        )
        #expect(mask.masked("s3cret", ofKey: "keyspan.kept") == "(hidden secret)")
        #expect(mask.masked("s3cret", ofKey: "keyspan.account") == "s3cret")
        #expect(
            mask.masked(["plan": ["moves": ["m": ["p": "s3cret", "q": 1]]]], ofKey: "keyspan.migrations")
                == ["plan": ["moves": ["m": ["p": "(hidden secret)", "q": 1]]]]
        )
    }

    private static let servers =
        #"{"properties": {"servers": {"additionalProperties": {"properties": {"password": {"writeOnly": true}, "port": {}}}}}}"#

    @Test(
        arguments: [
            (servers, "servers.www.example.com.password", "servers.www.example.com.port"),
            (servers, "servers.a.password", "servers.a.port"), (servers, "servers.a.password.x", "theme"),
            (#"{"patternProperties": {"^tokens\\.": {"writeOnly": true}}}"#, "tokens.a.b", "token.a"),
            (#"{"patternProperties": {"(^|\\.)pin$": {"writeOnly": true}}}"#, "a.b.pin", "a.pins"),
            (#"{"properties": {"a": {"patternProperties": {"^b\\.c$": {"writeOnly": true}}}}}"#, "a.b.c", "a.b.d"),
        ]
    )
    func `finds a secret however names with dots are nested`(schema: String, secret: String, other: String) {
        let mask = mask(schema)
        #expect(mask.isSecret(secret) && mask.mayBeSecret(secret) && !mask.mayBeSecret(other))
        // All ways to nest the pieces of the names.
        func values(_ name: String, _ value: PropertyListValue) -> [PropertyListDictionary] {
            let pieces = name.split(separator: ".").map(String.init)
            return (0..<1 << (pieces.count - 1)).map { cuts in
                var names = [pieces[0]]
                for (index, piece) in pieces.dropFirst().enumerated() {
                    if cuts >> index & 1 == 1 { names.append(piece) } else { names[names.count - 1] += ".\(piece)" }
                }
                return [names[0]: names.dropFirst().reversed().reduce(value) { .dictionary([$1: $0]) }]
            }
        }
        for members in values(secret, "s3cret") { #expect(!"\(mask.masked(members))".contains("s3cret"), "\(members)") }
        for members in values(other, "text") { #expect(mask.masked(members) == members) }
    }

    @Test func `hides a name that has too many pieces to look for it`() {
        let mask = mask(##"{"additionalProperties": {"$ref": "#"}, "properties": {"p": {"writeOnly": true}}}"##)
        #expect(mask.isSecret(Array(repeating: "a", count: 300).joined(separator: ".") + ".p"))
        #expect(mask.isSecret(Array(repeating: "a", count: 5000).joined(separator: ".") + ".q"))
        #expect(!mask.isSecret("a.a.a.q"))
    }

    @Test(
        arguments: [
            (#"^a\h"#, "ah"), (#"\Ra"#, "a"), (#"\Aa"#, "a"), (#"a\Z"#, "a"), ("[a--b]", "a"), ("[a&&b]", "a"),
            ("[a~~b]", "a"), (#"\ba"#, "x.a"), (#"a\b"#, "a’s"), ("[[a]]", "[]"), (#"\va"#, "a"),
        ]
    )
    func `hides a name unless a pattern is known not to match it`(pattern: String, name: String) {
        let schema = PropertyListValue.dictionary(["patternProperties": [pattern: ["writeOnly": true]]])
        let mask = mask(JSONLine.text(of: schema))
        #expect(mask.isSecret(name))
    }

    @Test func `reads a schema with nulls`() {
        let mask = mask(
            #"{"properties": {"p": {"enum": ["a \" null", null], "writeOnly": true}, "null": {"enum": [null]}}}"#
        )
        #expect(mask.isSecret("p") && !mask.mayBeSecret("null"))
    }

    @Test(arguments: [
        ("pin", true), ("apiKey", true), ("PINCode", true), ("cvv2", true), ("pwd", true), ("backup_codes", true),
        ("monkey", false), ("spinner", false), ("encoder", false), ("keyboard", false), ("$schema", false),
    ])
    func `hides numbers whose names have a word for secrets, if nobody knows more`(name: String, isHidden: Bool) {
        let mask = SecretMask(unknownBecause: "None")
        #expect(mask.masked(1, ofKey: name) == (isHidden ? "(hidden secret)" : 1))
        #expect(mask.masked([["x": "s3cret"]], ofKey: name) == [["x": "(hidden secret)"]])
    }

    @Test func `shows of a named key its own entry alone`() {
        let mask = mask(#"{"properties": {"account": {"writeOnly": true}, "note": {"writeOnly": true}}}"#)
        let record: PropertyListValue = [
            "account": [["date": .date(.now), "entries": ["account": "own", "note": "s3cret", "hint": "s3cret"]]]
        ]
        let kept = KeptValues(record).all[0]
        #expect(
            mask.masked(kept, isNamed: true, isOfOtherSchema: false)
                == ["account": "own", "note": "(hidden secret)", "hint": "(hidden secret)"]
        )
        #expect(mask.masked(kept, isOfOtherSchema: false).values.allSatisfy { $0 == "(hidden secret)" })
    }
}

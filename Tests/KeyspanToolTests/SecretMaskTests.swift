import Keyspan
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
    ])
    func `finds a secret however the schema and the file nest it`(schema: String) {
        let mask = mask(schema)
        #expect(mask.hides("a.b"))
        #expect(mask.masked(["a": ["b": "s3cret"], "z": 1]) == ["a": ["b": "(hidden secret)"], "z": 1])
        #expect(mask.masked(["a.b": "s3cret", "z": 1]) == ["a.b": "(hidden secret)", "z": 1])
    }

    @Test func `hides what is inside a secret, and elements of arrays`() {
        let mask = mask(
            #"{"properties": {"a": {"writeOnly": true}, "l": {"items": {"properties": {"p": {"writeOnly": true}}}}}}"#
        )
        #expect(mask.hides("a.b.c") && mask.hides("a") && !mask.hides("l") && !mask.hides("ab"))
        #expect(mask.masked(["l": [["p": 1, "q": 2], 5]]) == ["l": [["p": "(hidden secret)", "q": 2], 5]])
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
        #expect(mask.hides("\(path).p") && !mask.hides("\(path).q") && !mask.hides(path))
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
        let record: PropertyListValue = ["k": [["entries": [["dictionary", "p"], "s3cret"]]], "p": [1]]
        #expect(
            mask.masked(record, ofKey: "keyspan.kept")
                == ["k": [["entries": "(hidden secret)"]], "p": "(hidden secret)"]
        )
    }
}

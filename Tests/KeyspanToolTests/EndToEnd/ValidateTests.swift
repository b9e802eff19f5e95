import Foundation
import Keyspan
import Testing

/// `validate`, as a user runs it.
@Suite struct ValidateTests {
    private let sandbox: Sandbox

    init() throws {
        sandbox = try Sandbox()
        try sandbox.folder.write(
            """
            {
              "$schema": "https://json-schema.org/draft/2020-12/schema",
              "type": "object",
              "properties": {
                "port": {"type": "integer", "minimum": 1, "maximum": 65535, "default": 80, "description": "The port."},
                "theme": {"type": "string", "enum": ["dark", "light"]},
                "ratio": {"type": "number"},
                "code": {"type": "string", "pattern": "^(?:[a-z]{2})$"},
                "servers": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 2},
                "limits": {"anyOf": [{"type": "object", "additionalProperties": {"type": "integer"}}, {"type": "string"}]},
                "blob": {"type": "object", "properties": {"$data": {"type": "string"}}, "required": ["$data"],
                  "additionalProperties": false},
                "window": {"type": "object", "required": ["width"], "propertyNames": {"pattern": "^[a-z]+$"}},
                "never": false
              }
            }
            """,
            to: "schema.json"
        )
    }

    private func validate(_ text: String) throws -> ToolProcess.Result {
        try sandbox.folder.write(text, to: "settings.json")
        return try sandbox.shell("\"$KEYSPAN\" validate settings.json --schema schema.json")
    }

    @Test(arguments: [
        "{}", #"{"port": 8080, "unknown": [1]}"#, #"{"port": 80.0}"#, #"{"theme": "dark", "ratio": 1}"#,
        #"{"ratio": 0.5}"#,
        #"{"code": "de"}"#, #"{"servers": ["a", "b"]}"#, #"{"limits": {"a": 1}}"#, #"{"limits": "text"}"#,
        #"{"blob": {"$data": "D713"}}"#, #"{"window": {"width": 1, "height": 2}}"#, #"{"port": null}"#,
    ])
    func `is silent about a domain that satisfies the schema`(text: String) throws {
        let result = try validate(text)
        #expect(result.status == 0)
        #expect(result.output.isEmpty && result.error.isEmpty, "\(result.output)\(result.error)")
    }

    @Test(arguments: [
        (#""port": "80""#, "port is a string, but must be an integer."),
        (#""port": 0.5"#, "port is a number, but must be an integer."),
        (#""port": 0"#, "port is below the minimum, 1."), (#""port": 65536"#, "port is above the maximum, 65535."),
        (#""theme": "blue""#, #"theme must be one of "dark", "light"."#),
        (#""code": "DE""#, "code does not match the pattern ^(?:[a-z]{2})$."),
        (#""code": "de\n""#, "code does not match the pattern ^(?:[a-z]{2})$."),
        (#""servers": []"#, "servers has 0 elements, but must have at least 1."),
        (#""servers": ["a", "b", "c"]"#, "servers has 3 elements, but must have at most 2."),
        (#""servers": ["a", 2]"#, "servers[1] is an integer, but must be a string."),
        (#""limits": {"cpu": true}"#, "limits.cpu is a boolean, but must be an integer."),
        (#""limits": 5"#, "limits has none of the 2 forms that the schema allows."),
        (#""blob": "D713""#, "blob is a string, but must be an object."),
        (#""blob": {"$date": "2026-11-21T10:50:00Z"}"#, "blob.$date is not in the schema."),
        (#""window": {"height": 2}"#, #"window lacks the member "width"."#),
        (#""window": {"width": 2, "X": 1}"#, "window.X has a name that is not allowed."),
        (#""never": 1"#, "never is not in the schema."),
    ])
    func `names the line and the key of a violation`(member: String, text: String) throws {
        let result = try validate("{\n  \"first\": true,\n  \(member)\n}")
        #expect(result.status == 1)
        #expect(result.error.isEmpty)
        #expect(result.output.split(separator: "\n").contains("settings.json:3: \(text)"), "\(result.output)")
    }

    @Test func `prints all violations, and no value`() throws {
        let result = try validate("{\n  \"code\": \"S3CRET\",\n  \"port\": 0,\n  \"theme\": \"dark\"\n}")
        #expect(result.status == 1)
        #expect(
            result.output == """
                settings.json:2: code does not match the pattern ^(?:[a-z]{2})$.
                settings.json:3: port is below the minimum, 1.

                """
        )
    }

    @Test func `takes the schema that a program has written`() throws {
        let description = Defaults(InMemoryStore()).describe([
            Defaults.Key<Int>("port", default: 80).validated(by: .range(1...65535)),
            Defaults.Key<Data>("blob", default: Data([1])),
            Defaults.Key<Date>("since", default: Date(timeIntervalSinceReferenceDate: 0)),
            Defaults.Key<[String: [Double]]>("curves", default: ["a": [1, .infinity]]),
            Defaults.Key<ClosedRange<UInt8>>("range", default: 1...2),
            Defaults.Key<String>("name", default: "ab").validated(by: .pattern("[a-z]+")),
            Defaults.Key<String>("theme", default: "dark").validated(by: .oneOf("dark", "light")),
            Defaults.Key<[String]>("$dictionary", default: []),
        ])
        try sandbox.folder.write(description.jsonSchema, to: "schema.json")
        let valid = try validate(
            """
            {
              "port": 8080, "blob": {"$data": "D713"}, "since": {"$date": "2026-11-21T10:50:00Z"}, "name": "x",
              "curves": {"$dictionary": {"$real": [1]}}, "range": [1, 5], "$dictionary": ["x"]
            }
            """
        )
        #expect(valid.status == 0, "\(valid.output)\(valid.error)")
        let invalid = try validate(
            #"{"port": 0, "blob": 1, "since": 1, "name": "X1", "curves": [], "range": [1], "theme": ""}"#
        )
        #expect(invalid.status == 1)
        let keys = invalid.output.split(separator: "\n").map { $0.split(separator: " ")[1] }
        #expect(Set(keys) == ["port", "blob", "since", "name", "curves", "range", "theme"], "\(invalid.output)")
    }

    @Test func `takes the schema of nested keys`() throws {
        let description = Defaults(InMemoryStore()).describe([
            Defaults.Key<Int>("tls.port", default: 443).validated(by: .range(1...65535)),
            Defaults.Key<String?>("tls.client/~ü.name"),
        ])
        try sandbox.folder.write(description.jsonSchema, to: "schema.json")
        for valid in [
            #"{"tls": {"port": 1, "client/~ü": {"name": "a"}}}"#, #"{"tls.port": 1, "tls.client/~ü": {"name": "a"}}"#,
            #"{"$schema": "schema.json", "keyspan.kept": {}, "tls": {"client/~ü.name": "a"}}"#,
        ] {
            let result = try validate(valid)
            #expect(result.status == 0, "\(result.output)\(result.error)")
        }
        let invalid = try validate(#"{"tls": {"port": 0, "prot": 1, "client/~ü": {"name": 1}}, "tls.prot": 1}"#)
        #expect(
            invalid.output == """
                settings.json:1: tls.client/~ü.name is an integer, but must be a string.
                settings.json:1: tls.port is below the minimum, 1.
                settings.json:1: tls.prot is not in the schema.
                settings.json:1: tls.prot is not in the schema.

                """
        )
    }

    @Test(arguments: [
        (##"{"$defs": {"a": {"items": {"$ref": "#/$defs/a"}}}, "$ref": "#/$defs/a"}"##, "refers to itself at $defs.a"),
        (##"{"$ref": "#/$defs/b"}"##, "at $ref"), (##"{"$ref": "https://example.com"}"##, "at $ref"),
        (##"{"$ref": "#/$defs/%F"}"##, "at $ref"), (##"{"items": {"$defs": {}}}"##, "at items.$defs"),
        (##"{"$defs": {"a": {"format": "date"}}, "$ref": "#/$defs/a"}"##, "at $defs.a.format"),
        (#"{"type": "object", "minProperties": 1}"#, #"the keyword "minProperties" is unknown at minProperties"#),
        (#"{"properties": {"a": {"format": "date"}}}"#, "at properties.a.format"),
        (#"{"$schema": "http://json-schema.org/draft-07/schema#"}"#, "at $schema"),
        (#"{"type": "text"}"#, "at type"), (#"{"items": 1}"#, "at items"), (#"{"enum": []}"#, "at enum"),
        (#"{"pattern": "("}"#, "at pattern"), (#"{"minimum": "1"}"#, "at minimum"),
        (#"{"required": [1]}"#, "at required"),
        (#"{"anyOf": [{"minItems": -1}]}"#, "at anyOf.0.minItems"), ("{", "line 1, column 2"),
    ])
    func `refuses a schema that it would not check completely`(schema: String, hint: String) throws {
        try sandbox.folder.write(schema, to: "schema.json")
        let result = try validate("{}")
        #expect(result.status == 2)
        #expect(result.output.isEmpty)
        #expect(result.error.contains(hint), "\(result.error)")
    }

    @Test(
        arguments: [
            ("nope --schema schema.json", 1), ("damaged.json --schema schema.json", 1), ("app --schema nope.json", 2),
            ("app", 64), ("--schema schema.json", 64), ("app --schema", 64), ("app x --schema schema.json", 64),
        ] as [(String, Int32)]
    )
    func `reports trouble`(arguments: String, status: Int32) throws {
        try sandbox.write("{}", toDomain: "app")
        try sandbox.folder.write("{", to: "damaged.json")
        let result = try sandbox.shell("\"$KEYSPAN\" validate \(arguments)")
        #expect(result.status == status)
        #expect(result.output.isEmpty)
        #expect(result.error.hasPrefix("keyspan: ") && result.error.hasSuffix(".\n"))
    }

    @Test func `reads the schema from standard input, and domains by name`() throws {
        try sandbox.write(#"{"port": 0}"#, toDomain: "app")
        let result = try sandbox.shell("\"$KEYSPAN\" validate app --schema - <schema.json")
        #expect(result.status == 1)
        #expect(result.output == "\(sandbox.folder.path("keyspan/app.json")):1: port is below the minimum, 1.\n")
    }
}

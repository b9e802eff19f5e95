import Foundation
import Keyspan
import KeyspanTestSupport
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

    /// The violations in a text.
    private func violations(_ text: String) throws -> String {
        try sandbox.folder.write(text, to: "settings.json")
        return try violations(inFile: "settings.json")
    }

    private func violations(inFile file: String) throws -> String {
        let run = try sandbox.run("validate ~/\(file) --schema ~/schema.json")
        #expect(run.error.isEmpty && run.status == (run.output.isEmpty ? 0 : 1), "\(run)")
        return run.output.replacing("~/", with: "")
    }

    @Test(arguments: [
        "{}", #"{"port": 8080, "unknown": [1]}"#, #"{"port": 80.0}"#, #"{"theme": "dark", "ratio": 1}"#,
        #"{"ratio": 0.5}"#,
        #"{"code": "de"}"#, #"{"servers": ["a", "b"]}"#, #"{"limits": {"a": 1}}"#, #"{"limits": "text"}"#,
        #"{"blob": {"$data": "D713"}}"#, #"{"window": {"width": 1, "height": 2}}"#, #"{"port": null}"#,
    ])
    func `is silent about a domain that satisfies the schema`(text: String) throws {
        #expect(try violations(text) == "")
    }

    @Test(arguments: [
        (#""port": "80""#, "port is a string, but must be an integer."),
        (#""port": 0.5"#, "port is a number, but must be an integer."),
        (#""port": 0"#, "port is below the minimum, 1."), (#""port": 65536"#, "port is above the maximum, 65535."),
        (#""theme": "blue""#, #"theme must be one of "dark", "light"."#),
        (#""code": "DE""#, "code does not have the form that the schema requires; the pattern is ^(?:[a-z]{2})$"),
        (#""code": "de\n""#, "code does not have the form that the schema requires; the pattern is ^(?:[a-z]{2})$"),
        (#""servers": []"#, "servers has 0 elements, but must have at least 1."),
        (#""servers": ["a", "b", "c"]"#, "servers has 3 elements, but must have at most 2."),
        (#""servers": ["a", 2]"#, "servers[1] is an integer, but must be a string."),
        (#""limits": {"cpu": true}"#, "limits.cpu is a boolean, but must be an integer."),
        (#""limits": 5"#, "limits is an integer, but must be a string or an object."),
        (#""blob": "D713""#, "blob is a string, but must be an object."),
        (#""blob": {"$date": "2026-11-21T10:50:00Z"}"#, "blob.$date is not in the schema."),
        (#""window": {"height": 2}"#, #"window lacks the member "width"."#),
        (#""window": {"width": 2, "X": 1}"#, "window.X has a name that is not allowed."),
        (#""never": 1"#, "never is not in the schema."),
    ])
    func `names the line and the key of a violation`(member: String, text: String) throws {
        let output = try violations("{\n  \"first\": true,\n  \(member)\n}")
        let lines = output.split(separator: "\n")
        #expect(lines.contains { $0.hasPrefix("settings.json:3:") && $0.hasSuffix(" \(text)") }, "\(output)")
    }

    @Test func `prints all violations, and no value`() throws {
        let output = try violations("{\n  \"code\": \"S3CRET\",\n  \"port\": 0,\n  \"theme\": \"dark\"\n}")
        #expect(
            output == """
                settings.json:2:3: code does not have the form that the schema requires; the pattern is ^(?:[a-z]{2})$
                settings.json:3:3: port is below the minimum, 1.

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
        let valid = try violations(
            """
            {
              "port": 8080, "blob": {"$data": "D713"}, "since": {"$date": "2026-11-21T10:50:00Z"}, "name": "x",
              "curves": {"$dictionary": {"$real": [1]}}, "range": [1, 5], "$dictionary": ["x"]
            }
            """
        )
        #expect(valid == "")
        let invalid = try violations(
            #"{"port": 0, "blob": 1, "since": 1, "name": "X1", "curves": [], "range": [1], "theme": ""}"#
        )
        let keys = invalid.split(separator: "\n").map { $0.split(separator: " ")[1] }
        #expect(Set(keys) == ["port", "blob", "since", "name", "curves", "range", "theme"], "\(invalid)")
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
        ] { #expect(try violations(valid) == "") }
        let invalid = try violations(#"{"tls": {"port": 0, "prot": 1, "client/~ü": {"name": 1}}, "tls.prot": 1}"#)
        #expect(
            invalid == """
                settings.json:1:10: tls.port is below the minimum, 1.
                settings.json:1:21: tls.prot is not in the schema.
                settings.json:1:46: tls.client/~ü.name is an integer, but must be a string.
                settings.json:1:59: tls.prot is not in the schema.

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
        try sandbox.folder.write("{}", to: "settings.json")
        try sandbox.refuse("validate ~/settings.json --schema ~/schema.json", hint)
    }

    @Test(
        arguments: [
            ("nope --schema ~/schema.json", 3), ("~/damaged.json --schema ~/schema.json", 2),
            ("app --schema ~/nope.json", 2), ("app", 2),
        ] as [(String, Int32)]
    )
    func `reports trouble`(words: String, status: Int32) throws {
        try sandbox.write("{}", toDomain: "app")
        try sandbox.folder.write("{", to: "damaged.json")
        try sandbox.refuse("validate \(words)", status: status)
    }

    @Test func `reads the schema from standard input, and domains by name`() throws {
        try sandbox.write(#"{"port": 0}"#, toDomain: "app")
        let run = try sandbox.run("validate app --schema -", input: sandbox.folder.text(of: "schema.json"))
        let output = "~/keyspan/app.json:1:2: port is below the minimum, 1.\n"
        #expect(run == Sandbox.Run(status: 1, output: output, error: ""))
    }

    private static let nestedSchema = """
        {
          "properties": {
            "tls": {"properties": {"port": {"type": "integer"}}, "additionalProperties": false},
            "servers": {"items": {"properties": {"host": {"type": "string"}, "ports": {"items": {"type": "integer"}}}}},
            "limits": {"additionalProperties": {"type": "integer"}},
            "a.b": {"items": {"type": "boolean"}},
            "blob": {"properties": {"$data": {"type": "integer"}}}
          }
        }
        """

    @Test func `names the place of the nested member itself, in the order of the file`() throws {
        try sandbox.folder.write(Self.nestedSchema, to: "schema.json")
        let output = try violations(
            """
            {
              // The names are neither sorted nor all plain.
              "tls": {
                "über": 1, /* port: */ "port": "80",
                "none": null
              },
              "servers": [
                {"host": "a"},
                [1, {"host": 5}],
                {
                  "h\\u006fst": true, "ports": [
                    1, {"x": [2]}, "3"
                  ]
                }
              ],
              "limits": {"cpu": 1, "": false, "ü\\n": "x"},
              "a": {"b": [true,
                0]},
              "blob": {
                "$data": "D713"
              }
            }
            """
        )
        #expect(
            output == """
                settings.json:4:5: tls.über is not in the schema.
                settings.json:4:28: tls.port is a string, but must be an integer.
                settings.json:11:7: servers[2].host is a boolean, but must be a string.
                settings.json:12:12: servers[2].ports[1] is an object, but must be an integer.
                settings.json:12:24: servers[2].ports[2] is a string, but must be an integer.
                settings.json:16:24: limits. is a boolean, but must be an integer.
                settings.json:16:35: limits.ü\\n is a string, but must be an integer.
                settings.json:18:5: a.b[1] is an integer, but must be a boolean.
                settings.json:20:5: blob.$data is a string, but must be an integer.

                """
        )
    }

    @Test func `names the places in an XML property list, and the keys of a binary one`() throws {
        try sandbox.folder.write(Self.nestedSchema, to: "schema.json")
        let values: [String: Any] = [
            "tls": ["port": "80"], "servers": [["host": "a"], ["host": 5, "ports": [1, "2"]]], "limits": ["cpu": true],
            "blob": Data([1]), "a": ["b": [true, 0]],
        ]
        let keys = ["a.b[1]", "blob.$data", "limits.cpu", "servers[1].host", "servers[1].ports[1]", "tls.port"]
        for format in [PropertyListSerialization.PropertyListFormat.xml, .binary] {
            let data = try PropertyListSerialization.data(fromPropertyList: values, format: format, options: 0)
            try sandbox.folder.write([UInt8](data), to: "settings.plist")
            let output = try violations(inFile: "settings.plist").split(separator: "\n").map {
                $0.split(separator: " ")
            }
            #expect(Set(output.map { String($0[1]) }) == Set(keys), "\(output)")
            guard format == .xml else {
                #expect(output.allSatisfy { $0[0] == "settings.plist:" })
                continue
            }
            let text = try sandbox.folder.text(of: "settings.plist")
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            let found = output.map { Int($0[0].split(separator: ":")[1]) ?? 0 }
            #expect(found == found.sorted())
            let texts = zip(output, found).map { "\($0[1]): \(lines[$1 - 1].filter { $0 != "\t" && $0 != " " })" }
            #expect(
                Set(texts) == [
                    "a.b[1]: <integer>0</integer>", "blob.$data: <key>blob</key>", "limits.cpu: <key>cpu</key>",
                    "servers[1].host: <key>host</key>", "servers[1].ports[1]: <string>2</string>",
                    "tls.port: <key>port</key>",
                ]
            )
        }
    }

    @Test func `says the form of a text in the words of the schema`() throws {
        let beside = [
            #""description": "Two letters.", "examples": ["de", 5, "DE", "fr", "it", "es"]"#, #""examples": ["de"]"#,
            #""description": "Two\nletters.""#, #""examples": ["D"]"#,
        ]
        let members = beside.enumerated().map { #""k\#($0)": {"pattern": "^[a-z]{2}$", \#($1)}"# }
        try sandbox.folder.write(#"{"properties": {\#(members.joined(separator: ", "))}}"#, to: "schema.json")
        let output = try violations("{\"k0\": \"X\",\n\"k1\": \"X\",\n\"k2\": \"X\",\n\"k3\": \"X\"}")
        #expect(
            output == #"""
                settings.json:1:2: k0 does not have the form that the schema describes as "Two letters.", such as "de", "fr", "it".
                settings.json:2:1: k1 does not have the form that the schema requires, such as "de".
                settings.json:3:1: k2 does not have the form that the schema describes as "Two\nletters."; the pattern is ^[a-z]{2}$
                settings.json:4:1: k3 does not have the form that the schema requires; the pattern is ^[a-z]{2}$

                """#
        )
    }

    @Test func `says the forms of standard types by examples`() throws {
        let description = Defaults(InMemoryStore()).describe([
            Defaults.Key<Duration>("timeout", default: .seconds(5)),
            Defaults.Key<Defaults.ByteCount>("size", default: 0),
            Defaults.Key<Date>("since", default: Date(timeIntervalSinceReferenceDate: 0)),
        ])
        try sandbox.folder.write(description.jsonSchema, to: "schema.json")
        let output = try violations("{\n\"timeout\": \"5 parsecs\",\n\"size\": \"much\",\n\"since\": \"today\"\n}")
        #expect(
            output == """
                settings.json:2:1: timeout does not have the form that the schema requires, such as "30s", "1h 30m", "1.5s".
                settings.json:3:1: size does not have the form that the schema requires, such as "64 MiB", "1.5 GB".
                settings.json:4:1: since does not have the form that the schema requires, such as "2026-11-21T10:50:00Z".

                """
        )
    }

    @Test(arguments: [
        "schema.json", "./schema.json", "sub/../schema.json", "$FOLDER/schema.json", "file://$FOLDER/schema.json",
    ])
    func `takes the schema that the file names, relative to its folder`(reference: String) throws {
        try sandbox.folder.makeFolder("sub")
        let schema = #"{"properties": {"port": {"minimum": 1}}, "additionalProperties": false}"#
        try sandbox.folder.write(schema, to: "schema.json")
        let reference = reference.replacing("$FOLDER", with: sandbox.folder.path)
        try sandbox.folder.write("{\n  \"$schema\": \"\(reference)\",\n  \"port\": 0\n}", to: "settings.json")
        let output = "~/settings.json:3:3: port is below the minimum, 1.\n"
        #expect(try sandbox.run("validate ~/settings.json") == Sandbox.Run(status: 1, output: output, error: ""))
        try sandbox.folder.write("{}", to: "other.json")
        try sandbox.expect("validate ~/settings.json --schema ~/other.json")
    }

    @Test(arguments: [
        (#""https://example.com/schema.json""#, "nothing is fetched"), (#""urn:example:schema""#, "nothing is fetched"),
        (#""""#, "nothing is fetched"), ("5", "an integer"), (#""none.json""#, "it does not exist"),
        (#""sub""#, "names in its member"), (#""pipe""#, "names in its member"),
        (#""damaged.json""#, "line 1, column 2"),
        (#""partial.json""#, "minProperties"), ("null", "There is no schema"),
    ])
    func `explains why the schema that the file names cannot be used`(reference: String, hint: String) throws {
        try sandbox.folder.makeFolder("sub")
        #expect(mkfifo(sandbox.folder.path("pipe"), 0o600) == 0)
        try sandbox.folder.write("{", to: "damaged.json")
        try sandbox.folder.write(#"{"minProperties": 1}"#, to: "partial.json")
        try sandbox.folder.write("{\"$schema\": \(reference)}", to: "settings.json")
        try sandbox.refuse("validate ~/settings.json", hint)
        try sandbox.folder.write("{}", to: "schema.json")
        try sandbox.expect("validate ~/settings.json --schema ~/schema.json")
    }
}

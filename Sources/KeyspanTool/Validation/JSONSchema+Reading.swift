import Keyspan
import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore

extension JSONSchema {
    /// A part of a schema that cannot be used, with its place.
    struct Flaw: Error {
        /// The place, such as `properties.port.minimum`.
        let place: String
        /// The reason, as a clause without a full stop.
        let reason: String
    }

    private static let dialect = "https://json-schema.org/draft/2020-12/schema"

    /// Reads the text of a schema.
    ///
    /// - Parameters:
    ///   - bytes: The text in UTF-8.
    ///   - source: The name of its source, for errors.
    /// - Throws: ``ToolError`` with status 2 if the text is not a schema, or has a keyword that this type does not know.
    init(_ bytes: [UInt8], source: String) throws(ToolError) {
        let table: PropertyListTable
        do {
            table = try JSONText.parseTable(bytes)
        } catch {
            throw .failure("The schema \(source) cannot be read: \(error)")
        }
        do {
            let schema = PlainJSON.object(of: table)
            try self.init(schema, at: [], Definitions(of: schema))
        } catch {
            let place = error.place.isEmpty ? "" : " at \(error.place)"
            throw .failure(
                "The schema \(source) cannot be used: \(error.reason)\(place); write a schema as "
                    + "describe().jsonSchema does."
            )
        }
    }

    /// Reads a schema within a schema.
    private init(_ value: PropertyListValue, at path: [String], _ definitions: Definitions) throws(Flaw) {
        switch value {
        case .boolean(let isAnything): rules = isAnything ? [] : [.nothing]
        case .dictionary(let keywords):
            var rules: [Rule] = []
            for (keyword, value) in keywords.sortedByName() {
                let content = Content(value: value, path: path + [keyword], definitions: definitions)
                if keyword == "pattern" {
                    rules.append(.pattern(SchemaForm(try content.pattern(content.text()), in: keywords)))
                } else if let rule = try Self.rule(for: keyword, content) {
                    rules.append(rule)
                }
            }
            if let members = try Self.members(keywords, at: path, definitions) { rules.append(.members(members)) }
            self.rules = rules
        default: throw Flaw(place: path.joined(separator: "."), reason: "an object or a boolean is missing")
        }
    }

    /// The rule of a keyword; `nil` for one that says nothing about values, or that ``members(_:at:)`` reads.
    private static func rule(for keyword: String, _ content: Content) throws(Flaw) -> Rule? {
        switch keyword {
        case "$schema":
            guard content.value == .string(dialect) else { throw content.flaw("only \(dialect) is known") }
            return nil
        case "$defs" where content.path.count == 1, "$id" where content.path.count == 1: return nil
        case "$ref": return .all([try content.definition()])
        case "properties", "patternProperties", "additionalProperties": return nil
        case "title", "description", "examples", "default", "writeOnly", "readOnly", "deprecated", "$comment":
            return nil
        case "type": return .type(try content.types())
        case "const": return .oneOf([content.value])
        case "enum": return .oneOf(try content.elements())
        case "minimum": return .minimum(try content.number())
        case "maximum": return .maximum(try content.number())
        case "items": return .elements(try content.schema())
        case "minItems": return .minimumCount(try content.count())
        case "maxItems": return .maximumCount(try content.count())
        case "required": return .required(try content.texts())
        case "propertyNames": return .names(try content.schema())
        case "allOf": return .all(try content.schemas())
        case "anyOf": return .any(try content.schemas())
        default: throw content.flaw("the keyword \(keyword.quoted) is unknown")
        }
    }

    private static func members(
        _ keywords: PropertyListDictionary,
        at path: [String],
        _ definitions: Definitions
    ) throws(Flaw) -> SchemaMembers? {
        var members = SchemaMembers()
        var isEmpty = true
        if let value = keywords["properties"] {
            isEmpty = false
            for (name, content) in try Content(value: value, path: path + ["properties"], definitions: definitions)
                .members()
            {
                members.named[name] = try content.schema()
            }
        }
        if let value = keywords["patternProperties"] {
            isEmpty = false
            for (name, content) in try Content(
                value: value,
                path: path + ["patternProperties"],
                definitions: definitions
            ).members() {
                members.matching.append((try content.pattern(name), try content.schema()))
            }
        }
        if let value = keywords["additionalProperties"] {
            isEmpty = false
            members.additional = try Content(
                value: value,
                path: path + ["additionalProperties"],
                definitions: definitions
            ).schema()
        }
        return isEmpty ? nil : members
    }

    /// The value of a keyword, read as what the keyword asks for.
    private struct Content {
        let value: PropertyListValue
        let path: [String]
        let definitions: Definitions

        func flaw(_ reason: String) -> Flaw { Flaw(place: path.joined(separator: "."), reason: reason) }

        func schema() throws(Flaw) -> JSONSchema { try JSONSchema(value, at: path, definitions) }

        func definition() throws(Flaw) -> JSONSchema {
            guard let pointer = value.stringValue, let schema = try definitions.schema(at: pointer) else {
                throw flaw("a reference to a schema in $defs, such as #/$defs/tls, is missing")
            }
            return schema
        }

        func elements() throws(Flaw) -> [PropertyListValue] {
            guard let elements = value.arrayValue, !elements.isEmpty else {
                throw flaw("an array with elements is missing")
            }
            return elements
        }

        func schemas() throws(Flaw) -> [JSONSchema] {
            var schemas: [JSONSchema] = []
            for (index, element) in try elements().enumerated() {
                schemas.append(try JSONSchema(element, at: path + ["\(index)"], definitions))
            }
            return schemas
        }

        func members() throws(Flaw) -> [(name: String, content: Content)] {
            guard let entries = value.dictionaryValue else { throw flaw("an object is missing") }
            return entries.sortedByName().map {
                ($0.key, Content(value: $0.value, path: path + [$0.key], definitions: definitions))
            }
        }

        func text() throws(Flaw) -> String {
            guard let text = value.stringValue else { throw flaw("a string is missing") }
            return text
        }

        func texts() throws(Flaw) -> [String] {
            let texts = value.arrayValue?.map(\.stringValue) ?? [nil]
            guard texts.allSatisfy({ $0 != nil }) else { throw flaw("an array of strings is missing") }
            return texts.compactMap(\.self)
        }

        func types() throws(Flaw) -> [JSONType] {
            let names = if let name = value.stringValue { [name] } else { try texts() }
            let types = names.compactMap(JSONType.init)
            guard !types.isEmpty, types.count == names.count else {
                throw flaw("one of \(JSONType.allCases.map(\.rawValue).joined(separator: ", ")) is missing")
            }
            return types
        }

        func number() throws(Flaw) -> PropertyListValue {
            guard JSONNumber(value) != nil else { throw flaw("a number is missing") }
            return value
        }

        func count() throws(Flaw) -> Int {
            guard let count = value.integerValue?.converted(to: Int.self), count >= 0 else {
                throw flaw("a number of elements is missing")
            }
            return count
        }

        func pattern(_ text: String) throws(Flaw) -> SchemaPattern {
            guard let pattern = SchemaPattern(text) else { throw flaw("the regular expression cannot be read") }
            return pattern
        }
    }

    /// The schemas in `$defs`, each of which is read once, when something refers to it.
    private final class Definitions {
        private let values: PropertyListDictionary
        private var schemas: TextDictionary<JSONSchema> = [:]
        /// The names of the schemas that are being read; a reference to one of these would never end.
        private var isReading: Set<UTF8Text> = []

        init(of schema: PropertyListValue) {
            values = schema.dictionaryValue?["$defs"]?.dictionaryValue ?? [:]
        }

        /// The schema that a reference names; `nil` if there is none.
        func schema(at reference: String) throws(Flaw) -> JSONSchema? {
            guard let name = Self.name(in: reference) else { return nil }
            if let schema = schemas[name] { return schema }
            guard let value = values[name] else { return nil }
            guard isReading.insert(UTF8Text(name)).inserted else {
                throw Flaw(place: "$defs.\(name)", reason: "the schema refers to itself")
            }
            let schema = try JSONSchema(value, at: ["$defs", name], self)
            isReading.remove(UTF8Text(name))
            schemas[name] = schema
            return schema
        }

        /// The name in a reference, which is a JSON pointer (RFC 6901) in the fragment of a URL.
        private static func name(in reference: String) -> String? {
            let start = "#/$defs/"
            guard reference.hasUTF8Prefix(start) else { return nil }
            var (bytes, rest) = ([UInt8](), reference.utf8.dropFirst(start.utf8.count))
            while let byte = rest.popFirst() {
                guard byte == UInt8(ascii: "%") else {
                    bytes.append(byte)
                    continue
                }
                let digits = rest.prefix(2)
                guard digits.count == 2, let value = UInt8(Substring(digits), radix: 16) else { return nil }
                bytes.append(value)
                rest.removeFirst(2)
            }
            guard let pointer = String(validating: bytes, as: UTF8.self) else { return nil }
            var (name, scalars) = (String.UnicodeScalarView(), pointer.unicodeScalars[...])
            while let scalar = scalars.popFirst() {
                switch (scalar, scalars.first) {
                case ("/", _): return nil
                case ("~", "0"), ("~", "1"): name.append(scalars.removeFirst() == "0" ? "~" : "/")
                default: name.append(scalar)
                }
            }
            return String(name)
        }
    }
}

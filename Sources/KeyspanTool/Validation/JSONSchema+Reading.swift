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
            throw ToolError(status: .trouble, message: "The schema \(source) cannot be read: \(error)")
        }
        do {
            try self.init(PlainJSON.object(of: table), at: [])
        } catch {
            let place = error.place.isEmpty ? "" : " at \(error.place)"
            throw ToolError(
                status: .trouble,
                message: "The schema \(source) cannot be used: \(error.reason)\(place); write a schema as "
                    + "describe().jsonSchema does."
            )
        }
    }

    /// Reads a schema within a schema.
    private init(_ value: PropertyListValue, at path: [String]) throws(Flaw) {
        switch value {
        case .boolean(let isAnything): (rules, isSecret) = (isAnything ? [] : [.nothing], false)
        case .dictionary(let keywords):
            var rules: [Rule] = []
            for (keyword, value) in keywords.sortedByName() {
                let content = Content(value: value, path: path + [keyword])
                if let rule = try Self.rule(for: keyword, content) { rules.append(rule) }
            }
            if let members = try Self.members(keywords, at: path) { rules.append(.members(members)) }
            (self.rules, isSecret) = (rules, keywords["writeOnly"] == true)
        default: throw Flaw(place: path.joined(separator: "."), reason: "an object or a boolean is missing")
        }
    }

    /// The rule of a keyword; `nil` for one that says nothing about values, or that ``members(_:at:)`` reads.
    private static func rule(for keyword: String, _ content: Content) throws(Flaw) -> Rule? {
        switch keyword {
        case "$schema":
            guard content.value == .string(dialect) else { throw content.flaw("only \(dialect) is known") }
            return nil
        case "description", "default", "writeOnly", "properties", "patternProperties", "additionalProperties":
            return nil
        case "type": return .type(try content.types())
        case "const": return .oneOf([content.value])
        case "enum": return .oneOf(try content.elements())
        case "minimum": return .minimum(try content.number())
        case "maximum": return .maximum(try content.number())
        case "pattern": return .pattern(try content.pattern(content.text()))
        case "items": return .elements(try content.schema())
        case "minItems": return .minimumCount(try content.count())
        case "maxItems": return .maximumCount(try content.count())
        case "required": return .required(try content.texts())
        case "propertyNames": return .names(try content.schema())
        case "allOf": return .all(try content.schemas())
        case "anyOf": return .any(try content.schemas())
        default: throw content.flaw("the keyword \(keyword.debugDescription) is unknown")
        }
    }

    private static func members(
        _ keywords: PropertyListDictionary,
        at path: [String]
    ) throws(Flaw) -> SchemaMembers? {
        var members = SchemaMembers()
        var isEmpty = true
        if let value = keywords["properties"] {
            isEmpty = false
            for (name, content) in try Content(value: value, path: path + ["properties"]).members() {
                members.named[name] = try content.schema()
            }
        }
        if let value = keywords["patternProperties"] {
            isEmpty = false
            for (name, content) in try Content(value: value, path: path + ["patternProperties"]).members() {
                members.matching.append((try content.pattern(name), try content.schema()))
            }
        }
        if let value = keywords["additionalProperties"] {
            isEmpty = false
            members.additional = try Content(value: value, path: path + ["additionalProperties"]).schema()
        }
        return isEmpty ? nil : members
    }

    /// The value of a keyword, read as what the keyword asks for.
    private struct Content {
        let value: PropertyListValue
        let path: [String]

        func flaw(_ reason: String) -> Flaw { Flaw(place: path.joined(separator: "."), reason: reason) }

        func schema() throws(Flaw) -> JSONSchema { try JSONSchema(value, at: path) }

        func elements() throws(Flaw) -> [PropertyListValue] {
            guard let elements = value.arrayValue, !elements.isEmpty else {
                throw flaw("an array with elements is missing")
            }
            return elements
        }

        func schemas() throws(Flaw) -> [JSONSchema] {
            var schemas: [JSONSchema] = []
            for (index, element) in try elements().enumerated() {
                schemas.append(try JSONSchema(element, at: path + ["\(index)"]))
            }
            return schemas
        }

        func members() throws(Flaw) -> [(name: String, content: Content)] {
            guard let entries = value.dictionaryValue else { throw flaw("an object is missing") }
            return entries.sortedByName().map { ($0.key, Content(value: $0.value, path: path + [$0.key])) }
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
}

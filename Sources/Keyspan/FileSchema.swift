internal import KeyspanCore
@_spi(StoreAuthors) internal import KeyspanFileStore

/// The JSON Schema of a file in which keys may be nested in groups.
///
/// A group is one definition, to which the schema refers from each place of it. So does each key that can be in a group: written
/// out at each place, a key with many dots would make the schema very long.
struct FileSchema {
    private let entries: TextDictionary<PropertyListDictionary>
    private let groups: GroupNames
    private let allowsOthers: Bool

    /// Makes the schema of a file.
    ///
    /// - Parameters:
    ///   - entries: The schemas of the entries of keys.
    ///   - allowsOthers: Whether the file may have other members.
    init(of entries: TextDictionary<PropertyListDictionary>, allowsOthers: Bool) {
        self.entries = entries
        self.allowsOthers = allowsOthers
        groups = GroupNames(of: entries.keys)
    }

    /// The schema as a JSON object.
    var document: PropertyListDictionary {
        var definitions: PropertyListDictionary = [:]
        var members: TextDictionary<PropertyListDictionary> = ["": [:]]
        for (key, schema) in entries {
            guard let parts = GroupNames.parts(of: key), groups.nests(key) else {
                members["", default: [:]][key] = .dictionary(schema)
                continue
            }
            definitions[key] = .dictionary(schema)
            for outer in parts.indices {
                let object = parts[..<outer].joined(separator: ".")
                guard outer == 0 || groups.contains(object) else { continue }
                for end in parts.indices.dropFirst(outer).map({ $0 + 1 }) {
                    let name = parts[..<end].joined(separator: ".")
                    guard end == parts.count || groups.contains(name) else { continue }
                    members[object, default: [:]][parts[outer..<end].joined(separator: ".")] = Self.reference(to: name)
                }
            }
        }
        for (group, properties) in members where !group.isEmpty {
            definitions[group] = .dictionary(object(with: properties))
        }
        var document = object(with: members["", default: [:]])
        document["$schema"] = "https://json-schema.org/draft/2020-12/schema"
        if !definitions.isEmpty { document["$defs"] = .dictionary(definitions) }
        var patterns: PropertyListDictionary = [:]
        if !allowsOthers { patterns[Self.alwaysAllowed] = true }
        // As the only property, the name would make the object look like an escaped dictionary.
        if let properties = document["properties"]?.dictionaryValue, properties.count == 1,
            let property = properties["$dictionary"]
        {
            document["properties"] = nil
            patterns["^\\$dictionary$"] = property
        }
        if !patterns.isEmpty { document["patternProperties"] = .dictionary(patterns) }
        return document
    }

    /// The names that every file may have: the one by which editors find the schema, and those of the library's own entries.
    private static let alwaysAllowed = "^(\\$schema|keyspan\\.kept|keyspan\\.migrations)$"

    private func object(with properties: PropertyListDictionary) -> PropertyListDictionary {
        var schema: PropertyListDictionary = ["type": "object", "properties": .dictionary(properties)]
        if !allowsOthers { schema["additionalProperties"] = false }
        return schema
    }

    /// A reference to a definition: a JSON pointer in the fragment of a URL.
    private static func reference(to name: String) -> PropertyListValue {
        var pointer = ""
        for byte in name.utf8 {
            switch byte {
            case UInt8(ascii: "~"): pointer += "~0"
            case UInt8(ascii: "/"): pointer += "~1"
            case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"):
                pointer.unicodeScalars.append(Unicode.Scalar(byte))
            default: pointer += (byte < 0x10 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
            }
        }
        return ["$ref": .string("#/$defs/" + pointer)]
    }
}

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The kind of the stored form that a key's type has, for sources that must be asked for a kind of value.
package indirect enum StoredKind: Sendable, Hashable {
    case boolean
    case integer
    case real
    case string
    case data
    case array(of: StoredKind)
    /// Dates, dictionaries, and forms of several kinds.
    case other

    // Making a schema allocates, and the kind of a type never changes.
    private static let known = Locked<[ObjectIdentifier: StoredKind]>([:])

    /// The kind for a type of values or of bridges.
    static func of(_ type: any SendableMetatype.Type) -> StoredKind {
        let identifier = ObjectIdentifier(type)
        if let kind = known.withLock({ $0[identifier] }) { return kind }
        // The schema calls bridges, which are foreign code.
        let kind = StoredKind(schema: StoredSchema.schema(of: type))
        known.withLock { $0[identifier] = kind }
        return kind
    }

    /// The kind of the values that a schema allows.
    private init(schema: PropertyListDictionary) {
        switch schema["type"] {
        case "boolean": self = .boolean
        case "integer": self = .integer
        case "number", ["number", "object"]: self = .real
        case "string": self = .string
        case "array": self = .array(of: StoredKind(schema: schema["items"]?.dictionaryValue ?? [:]))
        case "object" where schema == Data.schema: self = .data
        default: self = .other
        }
    }
}

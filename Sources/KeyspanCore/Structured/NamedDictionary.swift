/// A dictionary that decodes itself from all names that are there.
protocol NamedDictionary {
    /// What is wrong with a stored dictionary two of whose names make equal keys; `nil` if there are no such names.
    static func equalNames(in stored: PropertyListValue) -> ValueDecodingError?
}

extension Dictionary: NamedDictionary {
    static func equalNames(in stored: PropertyListValue) -> ValueDecodingError? {
        guard case .dictionary(let entries) = stored else { return nil }
        var firstNames: [Key: String] = [:]
        for (name, value) in entries.sortedByName() {
            guard let key = decodedKey(of: name), let first = firstNames.updateValue(name, forKey: key) else {
                continue
            }
            return .equalNames(name, of: value, after: first)
        }
        return nil
    }

    /// The key that `Dictionary.init(from:)` makes of a name; `nil` if it makes none, or takes no names for keys of this type.
    private static func decodedKey(of name: String) -> Key? {
        if let key = name as? Key { return key }
        if Key.self == Int.self { return Int(name) as? Key }
        guard let type = Key.self as? any CodingKeyRepresentable.Type else { return nil }
        return type.init(codingKey: DecodedName(stringValue: name)) as? Key
    }
}

/// A name as a coding key of a dictionary.
private struct DecodedName: CodingKey {
    let stringValue: String

    var intValue: Int? { Int(stringValue) }

    init(stringValue: String) {
        self.stringValue = stringValue
    }

    init(intValue: Int) {
        stringValue = String(intValue)
    }
}

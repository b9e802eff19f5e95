import Keyspan

/// What `write` was asked to do to a domain, read from the arguments after the domain's name.
enum WriteRequest: Equatable {
    /// Give the domain these keys and no others.
    case replace(PropertyListDictionary)
    /// Store a value.
    case set(PropertyListValue, key: String)
    /// Append elements to an array, which is made if the key is absent.
    case append([PropertyListValue], key: String)
    /// Set entries of a dictionary, which is made if the key is absent.
    case merge(PropertyListDictionary, key: String)

    /// Reads the arguments: a whole dictionary, or a key and a value in the grammar of `defaults`.
    ///
    /// - Throws: ``ToolError`` with status 64 for arguments that do not make a request.
    init(arguments: [String]) throws(ToolError) {
        guard let key = arguments.first else {
            throw .usage("A key and a value, or a whole dictionary, are missing; see `keyspan help write`.")
        }
        let words = Array(arguments.dropFirst())
        guard let first = words.first else {
            self = .replace(try Self.wholeDomain(key))
            return
        }
        if ValueType(option: key) != nil {
            throw .usage("A key is missing before \(key); give it as in `write domain key \(key) …`.")
        }
        switch ValueType(option: first) {
        case .array: self = .set(.array(try ValueWords.elements(words.dropFirst())), key: key)
        case .arrayAdd: self = .append(try ValueWords.elements(words.dropFirst()), key: key)
        case .dictionary: self = .set(.dictionary(try ValueWords.entries(words.dropFirst(), of: first)), key: key)
        case .dictionaryAdd: self = .merge(try ValueWords.entries(words.dropFirst(), of: first), key: key)
        case .string, .data, .integer, .real, .boolean, .date, nil:
            var rest = words[...]
            self = .set(try ValueWords.value(from: &rest), key: key)
            if let extra = rest.first {
                throw .usage("\(extra.debugDescription) follows the value; quote a value that has spaces in it.")
            }
        }
    }

    private static func wholeDomain(_ text: String) throws(ToolError) -> PropertyListDictionary {
        let value = try BareArgument.parse(text, isDomain: true)
        if case .dictionary(let entries) = value { return entries }
        throw .usage(
            "A value is missing after the key \(text.debugDescription); give one, "
                + "or a dictionary in the key's place to replace the whole domain."
        )
    }
}

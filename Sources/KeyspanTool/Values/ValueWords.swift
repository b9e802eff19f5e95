import Keyspan

/// The values among the arguments of `write`, each with an option for its kind or bare.
///
/// No error contains a word that is not a known option: it may be a secret value, also where a name is expected.
enum ValueWords {
    /// Removes one value from the front.
    ///
    /// - Throws: ``ToolError`` with status 64 if the value is missing or does not fit its option.
    static func value(from words: inout ArraySlice<String>) throws(ToolError) -> PropertyListValue {
        guard let word = words.popFirst() else { throw .usage("A value is missing at the end; add it.") }
        guard let type = ValueType(option: word) else {
            if isOption(word) {
                let nearest = Suggestion.nearest(to: word, among: ValueType.allCases.flatMap(\.options))
                let question = nearest.map { "did you mean \($0)? Otherwise use" } ?? "use"
                throw .usage(
                    "A word that begins with a hyphen is not a kind of value; \(question) \(ValueType.allOptions), or write "
                        + "-string before it to store it."
                )
            }
            return try BareArgument.parse(word)
        }
        guard type.isScalar else {
            throw .usage(
                "\(word) cannot be inside another value; write the inner one as a property list, "
                    + "such as '(a, b)' or '{a = 1;}'."
            )
        }
        guard let argument = words.popFirst() else { throw .usage("A value is missing after \(word); add it.") }
        return try ScalarArgument.parse(argument, as: type)
    }

    /// The elements after `-array` or `-array-add`.
    static func elements(_ words: ArraySlice<String>) throws(ToolError) -> [PropertyListValue] {
        var (rest, elements) = (words, [PropertyListValue]())
        while !rest.isEmpty {
            elements.append(try value(from: &rest))
        }
        return elements
    }

    /// The names and values after `-dict` or `-dict-add`; a duplicate name is an error.
    static func entries(
        _ words: ArraySlice<String>,
        of option: String
    ) throws(ToolError) -> PropertyListDictionary {
        var (rest, entries) = (words, PropertyListDictionary())
        while let name = rest.popFirst() {
            if ValueType(option: name) != nil {
                throw .usage("A name is missing before \(name); \(option) takes names and values alternately.")
            }
            guard !rest.isEmpty else {
                throw .usage("The last value is missing; \(option) takes names and values alternately.")
            }
            guard entries.updateValue(try value(from: &rest), forKey: name) == nil else {
                throw .usage("Two of the names after \(option) are the same; remove one.")
            }
        }
        return entries
    }

    /// Whether a word looks like an option, and not like a negative number.
    static func isOption(_ word: String) -> Bool {
        let bytes = word.utf8
        guard bytes.first == UInt8(ascii: "-"), let second = bytes.dropFirst().first else { return false }
        return second == UInt8(ascii: "-") || second.isAlphanumeric && !second.isDigit
    }
}

/// The kinds that `write` accepts, by their options in `defaults`.
enum ValueType: CaseIterable {
    case string, data, integer, real, boolean, date
    case array, arrayAdd, dictionary, dictionaryAdd

    /// The options for it, with their hyphen.
    var options: [String] {
        switch self {
        case .string: ["-string"]
        case .data: ["-data"]
        case .integer: ["-int", "-integer"]
        case .real: ["-float"]
        case .boolean: ["-bool", "-boolean"]
        case .date: ["-date"]
        case .array: ["-array"]
        case .arrayAdd: ["-array-add"]
        case .dictionary: ["-dict"]
        case .dictionaryAdd: ["-dict-add"]
        }
    }

    /// Whether it takes exactly one argument; the other kinds take any number.
    var isScalar: Bool {
        switch self {
        case .string, .data, .integer, .real, .boolean, .date: true
        case .array, .arrayAdd, .dictionary, .dictionaryAdd: false
        }
    }

    /// The kind for an option.
    init?(option: String) {
        guard let type = Self.allCases.first(where: { $0.options.contains(option) }) else { return nil }
        self = type
    }

    /// All options in one line, for errors.
    static let allOptions = allCases.flatMap(\.options).joined(separator: ", ")
}

/// An argument without an option: a property list in text, or a string.
///
/// The beginning decides, so that a mistake inside is reported instead of stored: `{` and `(` begin old-style property lists,
/// `"` and `'` their strings, `<` their data or an XML property list, `[` and `{"key":` JSON. All other arguments are literal
/// strings, even digits, because old-style property lists have no numbers.
enum BareArgument {
    /// Reads an argument.
    ///
    /// - Parameters:
    ///   - text: The argument.
    ///   - isDomain: Whether it contains all keys of a domain.
    /// - Throws: ``ToolError`` with status 64 if it begins like a property list and is invalid. The error has the place and the reason, and
    ///   not the text, which may be a secret.
    static func parse(_ text: String, isDomain: Bool = false) throws(ToolError) -> PropertyListValue {
        do {
            return try PropertyListText.parse(text, isDomain: isDomain) ?? .string(text)
        } catch {
            let noun = isDomain ? "dictionary" : "value"
            let remedy = isDomain ? "correct it." : "correct it, or write -string before it to store it as text."
            throw .usage("The \(noun) cannot be read as \(error.format): \(error.reason); \(remedy)")
        }
    }
}

import Keyspan

/// The values among the arguments of `write`: each with an option for its kind, or bare.
enum ValueWords {
    /// Takes one value off the front.
    ///
    /// - Throws: ``ToolError`` with status 64 if there is none, or one that its option does not take.
    static func value(from words: inout ArraySlice<String>) throws(ToolError) -> PropertyListValue {
        guard let word = words.popFirst() else { throw .usage("A value is missing at the end; add it.") }
        guard let type = ValueType(option: word) else {
            if isOption(word) {
                throw .usage(
                    "\(word) is no kind of value; use \(ValueType.allOptions), or write -string before it to store it."
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

    /// The names and values after `-dict` or `-dict-add`; a name that is there twice is refused.
    static func entries(
        _ words: ArraySlice<String>,
        of option: String
    ) throws(ToolError) -> PropertyListDictionary {
        var (rest, entries) = (words, PropertyListDictionary())
        while let name = rest.popFirst() {
            if ValueType(option: name) != nil {
                throw .usage("A name is missing before \(name); \(option) takes names and values in turn.")
            }
            guard !rest.isEmpty else {
                throw .usage(
                    "The value of \(name.debugDescription) is missing; \(option) takes names and values in turn."
                )
            }
            guard entries.updateValue(try value(from: &rest), forKey: name) == nil else {
                throw .usage("The name \(name.debugDescription) is there twice after \(option); leave one out.")
            }
        }
        return entries
    }

    /// Whether a word looks like an option, and not like a negative number.
    private static func isOption(_ word: String) -> Bool {
        let bytes = word.utf8
        guard bytes.first == UInt8(ascii: "-"), let second = bytes.dropFirst().first else { return false }
        return second == UInt8(ascii: "-") || second.isAlphanumeric && !second.isDigit
    }
}

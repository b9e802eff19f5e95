import Keyspan

/// A text to store without an option for its kind: it takes the kind of the value that it replaces.
enum UntypedText: Equatable {
    /// An argument. For a new key it is a property list if it begins like one, and a string otherwise.
    case argument(String)
    /// Standard input. For a new key it is a string, whatever it begins with, because a secret may begin with any character.
    case input(String)

    /// A value, and the sentence for the user if the kind of the replaced value has decided about it.
    typealias Decision = (value: PropertyListValue, notice: String?)

    /// The value to store.
    ///
    /// No error and no notice contains the text of standard input.
    ///
    /// - Parameters:
    ///   - present: The value that the key has; `nil` if it is new.
    ///   - key: The key, for messages.
    /// - Throws: ``ToolError`` with status 64 if the text begins like a property list and is invalid, and with status 1 if it
    ///   cannot be read as the kind of the present value.
    func value(replacing present: PropertyListValue?, ofKey key: String) throws(ToolError) -> Decision {
        guard let present else { return try newDecision(ofKey: key) }
        switch present.kind {
        case .string: return string(ofKey: key)
        case .array, .dictionary: return (try collection(of: present.kind, ofKey: key), nil)
        case .boolean: return try scalar(of: .boolean, replacing: present, ofKey: key)
        case .integer: return try scalar(of: .integer, replacing: present, ofKey: key)
        case .real: return try scalar(of: .real, replacing: present, ofKey: key)
        case .date: return try scalar(of: .date, replacing: present, ofKey: key)
        case .data: return try scalar(of: .data, replacing: present, ofKey: key)
        }
    }

    private var text: String {
        switch self {
        case .argument(let text), .input(let text): text
        }
    }

    private var newValue: PropertyListValue {
        get throws(ToolError) {
            switch self {
            case .argument(let text): try BareArgument.parse(text)
            case .input(let text): .string(text)
            }
        }
    }

    /// A person who stores a number, a truth value or nothing without an option may expect another kind than a string.
    private func newDecision(ofKey key: String) throws(ToolError) -> Decision {
        let value = try newValue
        guard case .argument(let text) = self, value == .string(text), let remedy = Self.remedy(forString: text) else {
            return (value, nil)
        }
        return (value, "The value of the new key \(key.quoted) is stored as a string; \(remedy).")
    }

    /// How to store the text as the kind that it looks like; `nil` for a text that looks like none.
    private static func remedy(forString text: String) -> String? {
        switch text {
        case "true", "false": "-bool before it stores a boolean"
        case "null": "`keyspan delete` makes a key absent"
        case _ where !text.utf8.contains(where: \.isDigit): nil
        case _ where ScalarArgument.value(text, as: .integer) != nil: "-int before it stores a number"
        case _ where ScalarArgument.value(text, as: .real) != nil: "-float before it stores a number"
        default: nil
        }
    }

    private func string(ofKey key: String) -> Decision {
        guard case .argument(let text) = self else { return (.string(text), nil) }
        if let parsed = try? newValue, parsed.kind == .string { return (parsed, nil) }
        return (
            .string(text),
            "The value is stored as a string, the kind that the key \(key.quoted) has, although it begins like a "
                + "property list; use -array, -dict or -data to store another kind."
        )
    }

    private func scalar(
        of type: ValueType,
        replacing present: PropertyListValue,
        ofKey key: String
    ) throws(ToolError) -> Decision {
        if case .argument = self, let parsed = try? newValue, parsed.kind == present.kind { return (parsed, nil) }
        guard let value = ScalarArgument.value(text, as: type) else {
            throw .failure(
                "The key \(key.quoted) has \(Self.noun(for: present.kind)), and the value cannot be read as one; "
                    + "\(ScalarArgument.remedy(for: type)), or use an option such as -string to store another kind."
            )
        }
        let notice =
            "The value is stored as \(Self.noun(for: present.kind)), the kind that the key \(key.quoted) has; "
            + "use -string to store text."
        return (value, notice)
    }

    private func collection(of kind: PropertyListKind, ofKey key: String) throws(ToolError) -> PropertyListValue {
        let parsed: PropertyListValue?
        switch self {
        case .argument: parsed = try newValue
        case .input(let text):
            do {
                parsed = try PropertyListText.parse(text)
            } catch {
                throw .failure(
                    "Standard input cannot be read as \(error.format): \(error.reason); correct it, or write -string after "
                        + "--stdin to store it as text."
                )
            }
        }
        guard let parsed, parsed.kind == kind else {
            throw .failure(
                "The key \(key.quoted) has \(Self.noun(for: kind)), and the value is none; give one such as "
                    + "\(kind == .array ? "'(a, b)'" : "'{a = 1;}'"), or use an option such as -string to store another kind."
            )
        }
        return parsed
    }

    private static func noun(for kind: PropertyListKind) -> String {
        switch kind {
        case .boolean: "a boolean"
        case .integer: "an integer"
        case .real: "a float"
        case .string: "a string"
        case .date: "a date"
        case .data: "a value of data"
        case .array: "an array"
        case .dictionary: "a dictionary"
        }
    }
}

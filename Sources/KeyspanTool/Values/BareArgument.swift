import Keyspan

/// An argument without an option: a property list in text, or a string.
///
/// What it begins with decides, so that a mistake within is reported instead of stored: `{` and `(` begin old-style
/// property lists, `"` and `'` their strings, `<` their data or an XML property list, `[` and `{"key":` JSON. All other
/// arguments are strings as they are, also those of digits: old-style property lists have no numbers.
enum BareArgument {
    /// Reads an argument.
    ///
    /// - Parameters:
    ///   - text: The argument.
    ///   - isDomain: Whether it stands for all keys of a domain.
    /// - Throws: ``ToolError`` with status 64 if it begins like a property list and is none.
    static func parse(_ text: String, isDomain: Bool = false) throws(ToolError) -> PropertyListValue {
        do {
            return try PropertyListText.parse(text, isDomain: isDomain) ?? .string(text)
        } catch {
            throw .usage(
                "\(text.debugDescription) cannot be read as \(error.format): \(error.reason); "
                    + "correct it, or write -string before it to store it as text."
            )
        }
    }
}

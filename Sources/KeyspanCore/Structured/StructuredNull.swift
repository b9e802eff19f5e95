/// The structured form of `nil` where it has a place of its own, because property lists have no null.
///
/// It is the string `"$null"`, as in Foundation's `PropertyListEncoder`. A string that reads so, with any number of dollar
/// signs, is stored with one more.
enum StructuredNull {
    static let form = PropertyListValue.string("$null")

    /// A value that is not `nil`, in the form that cannot be taken for it.
    static func escape(_ value: PropertyListValue) -> PropertyListValue {
        guard case .string(let text) = value, isNullLike(text) else { return value }
        return .string("$" + text)
    }

    /// The value that ``escape(_:)`` made the form of.
    static func unescape(_ form: PropertyListValue) -> PropertyListValue {
        guard case .string(let text) = form, isNullLike(text) else { return form }
        return .string(String(text.dropFirst()))
    }

    private static func isNullLike(_ text: String) -> Bool {
        text.hasUTF8Prefix("$") && text.unicodeScalars.drop { $0 == "$" }.elementsEqual("null".unicodeScalars)
    }
}

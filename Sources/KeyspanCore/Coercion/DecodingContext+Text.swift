extension Defaults.DecodingContext {
    /// The value that a text stands for, where a text may stand for one.
    ///
    /// - Parameters:
    ///   - stored: What was found.
    ///   - error: Why it makes no value as it is; thrown unless `stored` is a text that may be converted.
    /// - Throws: ``ValueDecodingError`` with the rule of conversion if the text counts as no value of the type.
    @usableFromInline
    func value<Value>(
        ofText stored: PropertyListValue,
        insteadOf error: ValueDecodingError
    ) throws(ValueDecodingError) -> Value {
        guard readsText, case .string = stored, let type = Value.self as? any Defaults.Coercible.Type else {
            throw error
        }
        guard let value = type.coerced(from: stored) as? Value else {
            throw .unreadable(stored, reason: type.coercionRule)
        }
        return value
    }
}

extension Defaults.Rule where Value: Comparable & Sendable {
    /// A value within bounds, both included.
    public static func range(_ range: ClosedRange<Value>) -> Self {
        Self(
            "between \(range.lowerBound) and \(range.upperBound)",
            schema: schema(minimum: range.lowerBound, maximum: range.upperBound)
        ) { range.contains($0) }
    }

    /// A value that is not below a bound.
    public static func range(_ range: PartialRangeFrom<Value>) -> Self {
        Self("at least \(range.lowerBound)", schema: schema(minimum: range.lowerBound)) { range.contains($0) }
    }

    /// A value that is not above a bound.
    public static func range(_ range: PartialRangeThrough<Value>) -> Self {
        Self("at most \(range.upperBound)", schema: schema(maximum: range.upperBound)) { range.contains($0) }
    }

    private static func schema(minimum: Value? = nil, maximum: Value? = nil) -> PropertyListDictionary {
        var schema: PropertyListDictionary = [:]
        schema["minimum"] = number(minimum)
        schema["maximum"] = number(maximum)
        return schema
    }

    /// The bound, if it is a number: JSON Schema compares nothing else.
    private static func number(_ bound: Value?) -> PropertyListValue? {
        guard let stored = (bound as? any PropertyListConvertible)?.propertyListValue else { return nil }
        return switch stored {
        case .integer: stored
        // JSON has no other numbers, and an infinite bound is none.
        case .real(let real) where real.isFinite: stored
        default: nil
        }
    }
}

extension Defaults.Rule where Value: Equatable & Sendable {
    /// One of some values; texts are the same if their UTF-8 is.
    ///
    /// The words of the rule name the values, unless the key is marked as ``Key/secret()``.
    public static func oneOf(_ values: Value...) -> Self {
        let forms = values.map(form)
        let stored = forms.compactMap(\.self)
        return Self(
            "one of \(values.map { String(describing: $0) }.joined(separator: ", "))",
            withoutValues: "one of \(values.count) values that are secret",
            schema: stored.count == values.count ? ["enum": .array(stored)] : [:]
        ) { value in
            let form = form(of: value)
            return zip(values, forms).contains { $0 == value && haveSameTexts($1, form) }
        }
    }

    private static func form(of value: Value) -> PropertyListValue? {
        (value as? any PropertyListConvertible)?.propertyListValue
    }

    /// Whether equal values are so by the UTF-8 of their texts too, as far as they have a stored form.
    private static func haveSameTexts(_ left: PropertyListValue?, _ right: PropertyListValue?) -> Bool {
        switch (left, right) {
        // To a program a negative zero is a zero.
        case (.real, .real), (nil, _), (_, nil): true
        default: left == right
        }
    }
}

extension Defaults.Rule where Value: Collection & SendableMetatype {
    /// A text or a collection that is not empty.
    public static var notEmpty: Self { Self("not empty") { !$0.isEmpty } }

    /// A text or a collection with a number of elements within bounds; the elements of a text are its characters.
    public static func count(_ range: ClosedRange<Int>) -> Self {
        Self("of \(range.lowerBound) to \(range.upperBound) elements") { range.contains($0.count) }
    }
}

extension Defaults.Rule where Value == String {
    /// A text that a regular expression matches as a whole.
    ///
    /// A description as JSON Schema has the expression as well, if it has an equal in ECMA 262.
    ///
    /// - Parameter pattern: The expression, in the syntax of `Regex`. If it is not a valid one, no text satisfies the
    ///   rule, and the requirement says why.
    public static func pattern(_ pattern: String) -> Self {
        do {
            _ = try Regex(pattern)
        } catch {
            return Self("matched by \(pattern), which is no regular expression") { _ in false }
        }
        var schema: PropertyListDictionary = [:]
        schema["pattern"] = ECMAPattern(pattern).map { .string($0.text) }
        return Self("matched by \(pattern)", schema: schema) { text in
            // A regular expression is not `Sendable`, so each check makes its own; writes of such keys are rare.
            guard let expression = try? Regex(pattern) else { return false }
            return text.wholeMatch(of: expression) != nil
        }
    }
}

extension Defaults {
    /// A condition that the values of a key must satisfy.
    ///
    /// A value that breaks it is not written, and one that a store has is not read: the key reads its default, and the problem is
    /// reported once to ``onProblem(_:)``.
    ///
    /// ```swift
    /// extension Defaults.Keys {
    ///     static let port = Key<Int>("port", default: 8080)
    ///         .validated(by: .range(1...65535))
    ///
    ///     static let workers = Key<Int>("workers", default: 4)
    ///         .validated(by: Defaults.Rule("a power of two") { $0.nonzeroBitCount == 1 })
    /// }
    /// ```
    ///
    /// A rule depends on the value alone. It is asked when a value is written, validated, or decoded after a change, and the answer counts
    /// until the value changes. A condition on several keys belongs to the `validate` hook of a file store.
    public struct Rule<Value>: Sendable {
        /// A condition that names values by their texts.
        typealias Words = @Sendable (_ text: (Value) -> String) -> String

        private let words: Words

        /// The rule as JSON Schema, as far as that can express it.
        let schema: PropertyListDictionary

        /// The condition without the values that it lists; `nil` if it lists none.
        private let wordsWithoutValues: String?

        private let isSatisfied: @Sendable (Value) -> Bool

        /// Makes a rule.
        ///
        /// - Parameters:
        ///   - requirement: The condition, as words that follow "must be".
        ///   - isSatisfied: Whether a value satisfies the rule; called on the thread that writes or reads. It may read keys, without
        ///     their rules of this kind.
        public init(_ requirement: String, isSatisfied: @escaping @Sendable (Value) -> Bool) {
            self.init({ _ in requirement }, schema: [:]) { value in
                // Two keys whose rules read each other would never end.
                RuleScope.isEntered || RuleScope.$isEntered.withValue(true) { isSatisfied(value) }
            }
        }

        init(
            _ words: @escaping Words,
            withoutValues wordsWithoutValues: String? = nil,
            schema: PropertyListDictionary,
            isSatisfied: @escaping @Sendable (Value) -> Bool
        ) {
            self.words = words
            self.wordsWithoutValues = wordsWithoutValues
            self.schema = schema
            self.isSatisfied = isSatisfied
        }

        /// The condition, as words that follow "must be": `between 1 and 65535`.
        ///
        /// - Parameter text: The text of a value in the form in which people write it.
        package func requirement(text: (Value) -> String) -> String { words(text) }

        /// Whether a value satisfies the rule.
        package func isSatisfied(by value: Value) -> Bool { isSatisfied(value) }

        /// The same rule for optional values; `nil` always satisfies it.
        public static func ifPresent<Wrapped>(_ rule: Rule<Wrapped>) -> Rule where Value == Wrapped? {
            Rule(
                { text in rule.words { text($0) } },
                withoutValues: rule.wordsWithoutValues,
                schema: rule.schema
            ) { $0.map(rule.isSatisfied(by:)) ?? true }
        }

        /// The rule of a key for values of another type, applied to the key's values that are made from them.
        func mapped<Other>(
            of key: TypedKey<Value>,
            _ value: @escaping @Sendable (Other) -> Value
        ) -> Rule<Other> {
            Rule<Other>({ _ in key.requirement(of: self) }, withoutValues: wordsWithoutValues, schema: schema) {
                isSatisfied(by: value($0))
            }
        }

        /// The same rule for a secret, without the list of allowed values.
        var concealed: Rule {
            guard let wordsWithoutValues else { return self }
            var schema = schema
            schema["enum"] = nil
            return Rule({ _ in wordsWithoutValues }, schema: schema, isSatisfied: isSatisfied)
        }
    }
}

/// The extent of a rule that the program wrote.
enum RuleScope {
    @TaskLocal static var isEntered = false
}

extension Defaults.TypedKey {
    /// The condition of a rule, with its values in the form in which people write those of the key.
    final func requirement(of rule: Defaults.Rule<Value>) -> String {
        rule.requirement { value in
            // Foundation ends the program for the description of a date in a very distant future.
            writtenText(of: value) ?? (try? form(of: value))?.description ?? String(describing: value)
        }
    }
}

// MARK: - Standard rules

extension Defaults.Rule where Value: Comparable & Sendable {
    /// A value within bounds, both inclusive.
    public static func range(_ range: ClosedRange<Value>) -> Self {
        Self(
            { text in "between \(text(range.lowerBound)) and \(text(range.upperBound))" },
            schema: schema(minimum: range.lowerBound, maximum: range.upperBound)
        ) { range.contains($0) }
    }

    /// A value not below a bound.
    public static func range(_ range: PartialRangeFrom<Value>) -> Self {
        Self({ text in "at least \(text(range.lowerBound))" }, schema: schema(minimum: range.lowerBound)) {
            range.contains($0)
        }
    }

    /// A value not above a bound.
    public static func range(_ range: PartialRangeThrough<Value>) -> Self {
        Self({ text in "at most \(text(range.upperBound))" }, schema: schema(maximum: range.upperBound)) {
            range.contains($0)
        }
    }

    private static func schema(minimum: Value? = nil, maximum: Value? = nil) -> PropertyListDictionary {
        var schema: PropertyListDictionary = [:]
        schema["minimum"] = number(minimum) { $0.min() }
        schema["maximum"] = number(maximum) { $0.max() }
        return schema
    }

    /// The bound, if it is a number: JSON Schema compares nothing else.
    ///
    /// - Parameter choose: Chooses among the forms of the bound.
    private static func number(_ bound: Value?, _ choose: ([Double]) -> Double?) -> PropertyListValue? {
        guard let bound, let stored = (bound as? any PropertyListConvertible)?.propertyListValue else { return nil }
        return switch stored {
        case .integer: stored
        // JSON has no other numbers.
        case .real(let real) where real.isFinite: choose([real] + digits(of: bound)).map { .real($0) }
        default: nil
        }
    }
}

extension Defaults.Rule {
    /// The number that a person writes for a `Float`, if its digits are those of another `Double`; empty for other values.
    fileprivate static func digits(of value: Value) -> [Double] {
        guard let number = value as? Float, number.isFinite else { return [] }
        return [Double(number.description)].compactMap(\.self).filter { $0 != Double(number) }
    }
}

extension PropertyListValue {
    /// Whether the value is a date or has one in it.
    fileprivate var hasDates: Bool {
        switch self {
        case .date: true
        case .array(let elements): elements.contains(where: \.hasDates)
        case .dictionary(let members): members.entries.values.contains(where: \.hasDates)
        case .boolean, .integer, .real, .string, .data: false
        }
    }
}

extension Defaults.Rule where Value: Equatable & Sendable {
    /// One of the given values; strings are equal if their UTF-8 is.
    ///
    /// The requirement lists the values, unless the key is marked as ``Key/secret()``.
    public static func oneOf(_ values: Value...) -> Self {
        let forms = values.map(form)
        // `nil` is the absence of a value.
        let present = values.filter { ($0 as? any _DefaultsOptionalProtocol)?._defaults_isNil != true }
        let stored = present.compactMap { value in
            form(of: value).map { [$0] + digits(of: value).map { .real($0) } }
        }
        // A date is also read from other texts than its own.
        let hasOneForm = stored.count == present.count && !stored.joined().contains(where: \.hasDates)
        return Self(
            { text in "one of \(present.map(text).joined(separator: ", "))" },
            withoutValues: "one of \(present.count) values that are secret",
            schema: hasOneForm && !stored.isEmpty ? ["enum": .array(Array(stored.joined()))] : [:]
        ) { value in
            let form = form(of: value)
            return zip(values, forms).contains { $0 == value && haveSameTexts($1, form) }
        }
    }

    private static func form(of value: Value) -> PropertyListValue? {
        (value as? any PropertyListConvertible)?.propertyListValue
    }

    /// Whether equal values also have the same UTF-8, as far as they have a stored form.
    private static func haveSameTexts(_ left: PropertyListValue?, _ right: PropertyListValue?) -> Bool {
        switch (left, right) {
        // A negative zero equals zero.
        case (.real, .real), (nil, _), (_, nil): true
        default: left == right
        }
    }
}

extension Defaults.Rule where Value: Collection & SendableMetatype {
    /// A string or collection that is not empty.
    public static var notEmpty: Self { Self("not empty") { !$0.isEmpty } }

    /// A string or collection with a number of elements within bounds; the elements of a string are its characters.
    public static func count(_ range: ClosedRange<Int>) -> Self {
        Self("of \(range.lowerBound) to \(range.upperBound) elements") { range.contains($0.count) }
    }
}

extension Defaults.Rule where Value == String {
    /// A string that a regular expression matches as a whole.
    ///
    /// JSON Schema descriptions include the expression if ECMA 262 has an equivalent.
    ///
    /// - Parameter pattern: The expression, in the syntax of `Regex`. If it is invalid, no string satisfies the rule, and the
    ///   requirement says why.
    public static func pattern(_ pattern: String) -> Self {
        do {
            _ = try Regex(pattern)
        } catch {
            return Self("matched by \(pattern), which is no regular expression") { _ in false }
        }
        var schema: PropertyListDictionary = [:]
        schema["pattern"] = ECMAPattern(pattern).map { .string($0.text) }
        return Self({ _ in "matched by \(pattern)" }, schema: schema) { text in
            // `Regex` is not `Sendable`, so each check makes its own; writes of such keys are rare.
            guard let expression = try? Regex(pattern) else { return false }
            return text.wholeMatch(of: expression) != nil
        }
    }
}

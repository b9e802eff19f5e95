extension Defaults {
    /// What the values of a key have to be like, beyond their type.
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
    /// A rule is asked when a value is written, and when keys are validated; reading does not ask it.
    public struct Rule<Value>: Sendable {
        /// What is asked for, as words that follow "has to be": `between 1 and 65535`.
        public let requirement: String

        /// The rule as JSON Schema says it, where it can.
        let schema: PropertyListDictionary

        /// The requirement without the values that it lists; `nil` if it lists none.
        private let requirementWithoutValues: String?

        private let isSatisfied: @Sendable (Value) -> Bool

        /// Makes a rule.
        ///
        /// - Parameters:
        ///   - requirement: What is asked for, as words that follow "has to be".
        ///   - isSatisfied: Whether a value is good; called on the thread that writes.
        public init(_ requirement: String, isSatisfied: @escaping @Sendable (Value) -> Bool) {
            self.init(requirement, schema: [:], isSatisfied: isSatisfied)
        }

        init(
            _ requirement: String,
            withoutValues requirementWithoutValues: String? = nil,
            schema: PropertyListDictionary,
            isSatisfied: @escaping @Sendable (Value) -> Bool
        ) {
            self.requirement = requirement
            self.requirementWithoutValues = requirementWithoutValues
            self.schema = schema
            self.isSatisfied = isSatisfied
        }

        /// Whether a value is as the rule asks.
        public func isSatisfied(by value: Value) -> Bool { isSatisfied(value) }

        /// The same rule for optional values: no value is always good.
        public static func ifPresent<Wrapped>(_ rule: Rule<Wrapped>) -> Rule where Value == Wrapped? {
            rule.changed { $0.map(rule.isSatisfied(by:)) ?? true }
        }

        /// The same rule for values of another type, of which it is asked what is made of them.
        func mapped<Other>(_ value: @escaping @Sendable (Other) -> Value) -> Rule<Other> {
            changed { isSatisfied(by: value($0)) }
        }

        private func changed<Other>(_ isSatisfied: @escaping @Sendable (Other) -> Bool) -> Rule<Other> {
            Rule<Other>(
                requirement,
                withoutValues: requirementWithoutValues,
                schema: schema,
                isSatisfied: isSatisfied
            )
        }

        /// The same rule for a secret, whose values it does not name.
        var concealed: Rule {
            guard let requirementWithoutValues else { return self }
            var schema = schema
            schema["enum"] = nil
            return Rule(requirementWithoutValues, schema: schema, isSatisfied: isSatisfied)
        }
    }
}

extension Defaults.Key {
    /// The same key with a sentence that says what the value is for, for descriptions of the settings.
    public func summary(_ text: String) -> Defaults.Key<Value> {
        changed { $0.summary = text }
    }

    /// The same key, marked as a secret: descriptions never show its value.
    ///
    /// Errors and problem reports show no values, secret or not, and the rules of a secret do not name those that they allow.
    public func secret() -> Defaults.Key<Value> {
        changed { $0.isSecret = true }
    }

    /// The same key with rules for its values, beside those that it has.
    ///
    /// `set(_:for:)` throws for a value that breaks a rule. The subscripts report it and keep the old value.
    /// What is in the store already is read as it is; ``Defaults/validate(_:)`` finds what breaks a rule there.
    public func validated(by rules: Defaults.Rule<Value>...) -> Defaults.Key<Value> {
        Defaults.Key(
            name: name,
            suite: suite,
            default: defaultSource,
            coding: coding,
            rules: self.rules + rules,
            details: details
        )
    }

    private func changed(_ change: (inout KeyDetails) -> Void) -> Defaults.Key<Value> {
        var details = details
        change(&details)
        return Defaults.Key(
            name: name,
            suite: suite,
            default: defaultSource,
            coding: coding,
            rules: rules,
            details: details
        )
    }
}

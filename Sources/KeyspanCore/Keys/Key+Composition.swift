/// Keys made of other keys: with a default, or for a raw-representable type.
extension Defaults.Key {
    /// A key with a default, made of one without.
    ///
    /// - Parameters:
    ///   - optional: The key without a default.
    ///   - defaultValue: The value that is read where the store has none.
    public static func defaulting(
        _ optional: Defaults.Key<Value?>,
        with defaultValue: Value
    ) -> Defaults.Key<Value> {
        let coding: KeyCoding<Value> =
            switch optional.coding {
            case .entry(let coder): .entry(coder.unwrapped())
            case .direct(let coder): .direct(UnwrappingDirectCoder(optional: coder))
            }
        return Defaults.Key(
            name: optional.name,
            suite: optional.suite,
            default: .constant(defaultValue),
            coding: coding,
            rules: optional.rules.map { rule in rule.mapped { $0 } },
            details: optional.details
        )
    }

    /// A key for a raw-representable type, made of the key that stores its raw value.
    ///
    /// The rules of that key are asked about the raw value.
    ///
    /// - Parameters:
    ///   - type: The type, where the context does not say it.
    ///   - rawValue: The key of the raw value.
    public static func rawRepresentable<Wrapped: RawRepresentable & SendableMetatype>(
        type: Wrapped.Type = Wrapped.self,
        represented rawValue: Defaults.Key<Wrapped.RawValue?>
    ) -> Defaults.Key<Value> where Value == Wrapped? {
        let coding: KeyCoding<Value> =
            switch rawValue.coding {
            case .entry(let coder): .entry(coder.representing(type))
            case .direct(let coder): .direct(RawValueDirectCoder(rawValue: coder))
            }
        return Defaults.Key(
            name: rawValue.name,
            suite: rawValue.suite,
            default: .constant(nil),
            coding: coding,
            rules: rawValue.rules.map { rule in rule.mapped { $0?.rawValue } },
            details: rawValue.details
        )
    }
}

extension Defaults.ThrowingKey {
    /// A key with a default, made of one without.
    ///
    /// - Parameters:
    ///   - optional: The key without a default.
    ///   - defaultValue: The value that is read where the store has none.
    public static func defaulting(
        _ optional: Defaults.ThrowingKey<Value?>,
        with defaultValue: Value
    ) -> Defaults.ThrowingKey<Value> {
        Defaults.Key.defaulting(optional.key, with: defaultValue).throwing()
    }

    /// A key for a raw-representable type, made of the key that stores its raw value.
    ///
    /// - Parameters:
    ///   - type: The type, where the context does not say it.
    ///   - rawValue: The key of the raw value.
    public static func rawRepresentable<Wrapped: RawRepresentable & SendableMetatype>(
        type: Wrapped.Type = Wrapped.self,
        represented rawValue: Defaults.ThrowingKey<Wrapped.RawValue?>
    ) -> Defaults.ThrowingKey<Value> where Value == Wrapped? {
        Defaults.Key<Value>.rawRepresentable(type: type, represented: rawValue.key).throwing()
    }
}

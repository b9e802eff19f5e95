extension Defaults.Key {
    /// A key for a `Codable` value that may be absent, stored as JSON; its type need not be `Serializable`.
    ///
    /// - Parameters:
    ///   - type: The type, where the context does not say it.
    ///   - name: The name under which a store has the value.
    ///   - form: What the JSON is stored as. Either form is read.
    public static func jsonCoded<Wrapped: Codable>(
        type: Wrapped.Type = Wrapped.self,
        _ name: Defaults.KeyName,
        as form: Defaults.JSONForm = .text
    ) -> Defaults.Key<Value> where Value == Wrapped? {
        let coder: EntryCoder<Wrapped?> =
            switch form {
            case .text: EntryCoder(Defaults.TopLevelCodableBridge<Wrapped>()).optionalJSON()
            case .data: EntryCoder(Defaults.JSONDataBridge<Wrapped>()).optionalJSON()
            }
        return Defaults.Key(name: name.name, suite: nil, default: .constant(nil), coding: .entry(coder))
    }

    /// A key for a `Codable` value with a default, stored as JSON; its type need not be `Serializable`.
    ///
    /// - Parameters:
    ///   - name: The name under which a store has the value.
    ///   - defaultValue: The value that is read where the store has none.
    ///   - form: What the JSON is stored as. Either form is read.
    public static func jsonCoded(
        _ name: Defaults.KeyName,
        default defaultValue: Value,
        as form: Defaults.JSONForm = .text
    ) -> Defaults.Key<Value> where Value: Codable {
        .defaulting(.jsonCoded(name, as: form), with: defaultValue)
    }
}

extension Defaults.ThrowingKey {
    /// A key for a `Codable` value that may be absent, stored as JSON, which throws what goes wrong.
    ///
    /// - Parameters:
    ///   - type: The type, where the context does not say it.
    ///   - name: The name under which a store has the value.
    ///   - form: What the JSON is stored as. Either form is read.
    public static func jsonCoded<Wrapped: Codable>(
        type: Wrapped.Type = Wrapped.self,
        _ name: Defaults.KeyName,
        as form: Defaults.JSONForm = .text
    ) -> Defaults.ThrowingKey<Value> where Value == Wrapped? {
        Defaults.Key<Value>.jsonCoded(type: type, name, as: form).throwing()
    }
}

extension EntryCoder where Value: Codable {
    /// Codes optional values; no value is no entry, and the `null` that KeyValueStorage writes is no value.
    fileprivate func optionalJSON() -> EntryCoder<Value?> {
        EntryCoder<Value?>(
            sharesDecodedValues: sharesDecodedValues,
            storedBy: storedBy,
            encode: optional.encode,
            decode: EntryCoder<Value?>(Defaults.TopLevelCodableBridge<Value?>()).decode
        )
    }
}

extension Defaults {
    /// What JSON is stored as.
    public enum JSONForm: Sendable, Hashable {
        /// Text in a string, which a person can read; what Defaults writes.
        case text
        /// Text in data; what DefaultsWrapper, SwiftyUserDefaults, KeyValueStorage and DefaultsKey write.
        case data
    }
}

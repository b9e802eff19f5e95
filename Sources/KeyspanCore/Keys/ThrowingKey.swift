extension Defaults {
    /// A key whose failures are part of its type: reading and writing it throw the errors that a plain ``Key`` reports.
    ///
    /// ```swift
    /// struct Account: Codable {
    ///     var name: String
    /// }
    ///
    /// extension Defaults.Keys {
    ///     static let account = ThrowingKey<Account?>.jsonCoded("account")
    ///     static let limit = Key<Int>("limit", default: 10).throwing()
    /// }
    ///
    /// func readSettings(from defaults: Defaults) throws(Defaults.ReadError) {
    ///     print(try defaults[.limit])
    ///     if case .failure(let error) = defaults[resultOf: .account] { print(error) }
    /// }
    /// ```
    ///
    /// Reading throws ``ReadError``, writing ``WriteError``. A collection is read whole or not at all.
    // Unchecked for the reason given at `TypedKey`, which has all the state.
    public final class ThrowingKey<Value>: TypedKey<Value>, @unchecked Sendable {
        /// Makes a throwing key with the properties of another one.
        init(_ key: TypedKey<Value>) {
            super.init(
                name: key.name,
                suite: key.suite,
                default: key.defaultSource,
                coding: key.coding,
                rules: key.rules,
                details: key.details
            )
        }
    }
}

extension Defaults.ThrowingKey {
    /// The key with the prefix before its name.
    func prefixed(by prefix: Prefix) -> Defaults.ThrowingKey<Value> {
        prefix.isEmpty ? self : Defaults.ThrowingKey(typedVariant(prefixedBy: prefix))
    }
}

extension Defaults.Key {
    /// The same key, but throwing the errors that this one reports.
    public func throwing() -> Defaults.ThrowingKey<Value> { Defaults.ThrowingKey(self) }
}

extension Defaults.ThrowingKey {
    /// A key for an optional `Codable` value, stored as JSON.
    ///
    /// - Parameters:
    ///   - type: The type, if the context does not determine it.
    ///   - name: The name under which a store has the value.
    ///   - form: The stored form of the JSON. Both forms are read.
    public static func jsonCoded<Wrapped: Codable>(
        type: Wrapped.Type = Wrapped.self,
        _ name: Defaults.KeyName,
        as form: Defaults.JSONForm = .text
    ) -> Defaults.ThrowingKey<Value> where Value == Wrapped? {
        Defaults.Key<Value>.jsonCoded(type: type, name, as: form).throwing()
    }

    /// A key with a default, made from one without.
    ///
    /// - Parameters:
    ///   - optional: The key without a default.
    ///   - defaultValue: The value of the key where the store has none.
    public static func defaulting(
        _ optional: Defaults.ThrowingKey<Value?>,
        with defaultValue: Value
    ) -> Defaults.ThrowingKey<Value> {
        Defaults.Key.unwrapping(optional, with: defaultValue).throwing()
    }

    /// A key for a raw-representable type, made from the key that stores its raw value.
    ///
    /// - Parameters:
    ///   - type: The type, if the context does not determine it.
    ///   - rawValue: The key of the raw value.
    public static func rawRepresentable<Wrapped: RawRepresentable & SendableMetatype>(
        type: Wrapped.Type = Wrapped.self,
        represented rawValue: Defaults.ThrowingKey<Wrapped.RawValue?>
    ) -> Defaults.ThrowingKey<Value> where Value == Wrapped? {
        Defaults.Key<Value>.representing(type, by: rawValue).throwing()
    }
}

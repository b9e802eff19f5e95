extension Defaults {
    /// A key whose failures are part of its type: reading and writing it throw what a plain ``Key`` reports.
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
    // Unchecked for the reason given at `Key`, which is all that this holds.
    public final class ThrowingKey<Value>: AnyKey, @unchecked Sendable {
        /// The key that does the work.
        @usableFromInline let key: Key<Value>

        init(_ key: Key<Value>) {
            self.key = key
            super.init(name: key.name, suite: key.suite, details: key.details)
        }

        override var untyped: any UntypedKey { key }
    }
}

extension Defaults.Key {
    /// The same key, but one that throws what this one reports.
    public func throwing() -> Defaults.ThrowingKey<Value> { Defaults.ThrowingKey(self) }
}

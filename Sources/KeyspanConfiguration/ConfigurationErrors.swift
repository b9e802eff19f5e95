#if Configuration
internal import Configuration
@_spi(StoreAuthors) public import KeyspanCore

extension StoreError.Code {
    /// A provider of swift-configuration has a value that the key cannot read, or refuses to give it in a type that the key reads.
    ///
    /// The reason of a refusal names the type of the provider's error. The error itself, which may have the value, is not kept.
    public static let valueRefused = StoreError.Code("valueRefused")
}

extension StoreError {
    /// A value that a source refuses.
    ///
    /// The reason has the type of the source's error, and not its text, which may have the value.
    ///
    /// - Parameters:
    ///   - query: The question for the value.
    ///   - type: The type that the source was first asked for.
    ///   - error: The error of the source.
    ///   - store: The name of the store that the error names.
    ///   - remedy: The remedy; by default that for a ``ConfigurationStore``, which keeps values.
    static func valueRefused(
        _ query: EntryQuery,
        as type: ConfigType,
        _ error: any Error,
        store: String,
        remedy: String = remedyOfStore
    ) -> StoreError {
        StoreError(
            .valueRefused,
            store: store,
            key: query.name,
            reason: "the provider has a value that it does not give as \(type.words) (\(Swift.type(of: error)))",
            remedy: remedy
        )
    }

    /// A value that its key cannot read.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - store: The name of the store.
    ///   - reason: The problem of the value; `nil` if the value is or may be secret.
    static func unreadableRefused(_ key: String, store: String, because reason: String?) -> StoreError {
        StoreError(
            .valueRefused,
            store: store,
            key: key,
            reason: reason ?? "the key cannot use the value, which is not shown because it may be secret",
            remedy: remedyOfStore
        )
    }

    private static var remedyOfStore: String { "correct the value there; until then, the key keeps the value before" }
}

/// The failure of reading a key through a `ConfigReader`.
public enum ConfigurationReadError: Error, Sendable, CustomStringConvertible {
    /// The key cannot read the value.
    case unreadable(Defaults.ReadError)
    /// The provider refuses to give the value in a type that the key reads.
    case refused(StoreError)

    /// The error in one sentence.
    public var description: String {
        switch self {
        case .unreadable(let error): error.description
        case .refused(let error): error.description
        }
    }
}
#endif

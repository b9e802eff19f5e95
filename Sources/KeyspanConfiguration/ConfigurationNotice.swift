#if Configuration
@_spi(StoreAuthors) public import KeyspanCore

/// Something about a ``ConfigurationStore`` that a person should know; `Defaults.Problem.storeNotice` has it.
public struct ConfigurationNotice: Sendable, CustomStringConvertible {
    /// The subject of a notice.
    ///
    /// A `switch` needs a `default`, because cases may be added.
    public enum Kind: String, Sendable, Hashable {
        /// A provider marks a value as secret whose key is not: descriptions show it.
        case secretWithoutKey
        /// A provider has stopped reporting changes. Its values stay as they are.
        case watchEnded
    }

    /// The subject.
    public let kind: Kind
    /// The name of the store.
    public let store: String
    /// The key that the notice is about; `nil` for a notice about the store.
    public let key: String?
    /// The error with which the provider stopped; `nil` if it threw none, and for other notices.
    public let underlying: (any Error)?

    private let text: String

    /// The notice in one sentence, without any value.
    public var description: String { text }

    static func secret(_ key: String, store: String) -> ConfigurationNotice {
        ConfigurationNotice(
            kind: .secretWithoutKey,
            store: store,
            key: key,
            underlying: nil,
            text: """
                key \(key.quoted) of \(store): the value is secret to the provider and not to the key, so descriptions show \
                it; mark the key with secret().
                """
        )
    }

    static func watchEnded(by error: (any Error)?, store: String) -> ConfigurationNotice {
        ConfigurationNotice(
            kind: .watchEnded,
            store: store,
            key: nil,
            underlying: error,
            text: """
                \(store): the provider reports no more changes\(error.map { " (\(type(of: $0)))" } ?? ""); the values stay as they are \
                until the program starts again.
                """
        )
    }
}

@_spi(StoreAuthors) extension ConfigurationNotice: ProblemDetails {
    /// A warning: later values of the provider have no effect, or descriptions show a secret.
    public var severity: Defaults.Problem.Severity { .warning }

    public var fields: [String: String] {
        var fields = ["kind": kind.rawValue]
        fields["key"] = key
        return fields
    }
}
#endif

#if Remote
@_spi(StoreAuthors) public import KeyspanCore

/// Why a ``SettingsPublisher`` cannot be made.
public struct SettingsPublisherError: Error, Sendable, Hashable {
    /// The kinds of errors.
    ///
    /// A `switch` needs a `default`, because kinds may be added.
    public enum Kind: String, Sendable, Hashable {
        /// A published key is marked as secret, or has an entry, or a part of one, of a secret key.
        case secretKey
        /// None of the keys is marked as published.
        case noPublishedKeys
        /// The name is empty, too long or has control characters.
        case invalidName
        /// The name of a group cannot be the last part of a path, or is that of the base store's group.
        case invalidGroup
        /// The path does not begin with a slash, or has characters that would be encoded.
        case invalidPath
    }

    /// The kind of the error.
    public let kind: Kind
    /// The name of the publisher.
    public let publisher: String
    /// The key that is the problem, if it is one.
    public internal(set) var key: String?
    /// The group that is the problem, if it is one.
    public internal(set) var group: String?
}

extension SettingsPublisherError: CustomStringConvertible {
    /// The error in one sentence.
    public var description: String {
        let place = "publisher \(publisher.quoted)"
        return switch kind {
        case .secretKey:
            "\(place): the key \((key ?? "").quoted) is marked with published(), and it or another key of its entry or of a part of "
                + "it with secret(), and a secret is never published; remove one of the marks."
        case .noPublishedKeys:
            "\(place): none of the keys is published; mark those that clients may know with published()."
        case .invalidName:
            "\(place): the name must have 1 to 128 bytes and no control characters; choose another one."
        case .invalidGroup:
            "\(place): the group \((group ?? "").quoted) does not have a name of 1 to \(KeyIdentifier.maximumLength) characters of A-Z, "
                + "a-z, 0-9, \".\", \"_\" and \"-\" that is neither \"all\" nor \"changes\" nor of dots only; choose another one."
        case .invalidPath:
            "\(place): the path is not one of slashes, each with A-Z, a-z, 0-9, \".\", \"_\" or \"-\" behind it; choose another one."
        }
    }
}

/// Something about a ``SettingsPublisher`` that a person should know; `Defaults.Problem.storeNotice` has it.
public struct SettingsPublisherNotice: Sendable, CustomStringConvertible {
    /// The subject of a notice.
    ///
    /// A `switch` needs a `default`, because kinds may be added.
    public enum Kind: String, Sendable, Hashable {
        /// A value cannot be read by its key, or breaks a rule, so clients do not receive it.
        case valueNotPublished
        /// All values together are larger than the limit, so clients keep those before.
        case documentTooLarge
        /// The number that the host has returned is not one from 0 to 2⁵³ - 1, so clients keep the values before.
        case revisionRefused
        /// The revision did not rise with a change, or has fallen: the clock was far ahead, or the host's number is not that
        /// of its state.
        case revisionNotRaised
        /// Requests for a stream were refused, because there are too many, at most once an hour.
        case streamsRefused
        /// The closure has named a group that the publisher does not have, so clients receive the group `all`.
        case unknownGroup
    }

    /// The subject.
    public let kind: Kind
    /// The name of the publisher.
    public let publisher: String
    /// The key that the notice is about; `nil` for a notice about all values.
    public let key: String?
    /// The event, as a clause without a period.
    public let reason: String
    /// The remedy, as a clause without a period.
    public let remedy: String

    /// The notice in one sentence.
    public var description: String {
        let place = "publisher \(publisher.quoted)"
        return "\(key.map { "key \($0.quoted) of \(place)" } ?? place): \(reason); \(remedy)."
    }
}

@_spi(StoreAuthors) extension SettingsPublisherNotice: ProblemDetails {
    /// A warning: something that a person wrote has no effect for clients.
    public var severity: Defaults.Problem.Severity { .warning }

    public var fields: [String: String] {
        ["kind": kind.rawValue, "store": publisher].merging(key.map { ["key": $0] } ?? [:]) { own, _ in own }
    }
}
#endif

#if Remote
@_spi(StoreAuthors) public import KeyspanCore

/// Why a ``RemoteStore`` has not taken what its server has, or could not be made.
///
/// The values that are in force stay so. ``RemoteStore/fetch()`` throws this, ``RemoteStore/status`` has the last one,
/// and `Defaults.onProblem(_:)` receives each kind as a notice, once until the server is reached again. The texts
/// contain neither values nor what the client says about itself; ``underlying`` can, as the network or the file system
/// has made it.
public struct RemoteStoreError: Error, Sendable {
    /// The kinds of failures.
    ///
    /// A `switch` needs a `default`, because kinds may be added.
    public enum Kind: String, Sendable, Hashable {
        /// The store was made with something that it cannot use.
        case invalidConfiguration
        /// The server cannot be reached, or the connection was lost.
        case unreachable
        /// The server did not answer, or sent nothing more, in the time of the options, or took five minutes for a
        /// document.
        case timedOut
        /// The server has answered with another status than success.
        case refused
        /// The server has no document or stream at the URL.
        case notFound
        /// The server has sent the client to another scheme or host, which it does not follow.
        case redirected
        /// The response is larger than the limit of the options.
        case tooLarge
        /// The response has not the form of a message.
        case malformed
        /// The message has a version that this client does not know.
        case unsupportedVersion
        /// The message is signed with a key that this client does not know.
        case unknownKey
        /// The key that the message names has not made its signature.
        case invalidSignature
        /// The message is signed, and its content is not that of settings.
        case unreadableContent
        /// The message is signed by a publisher of another name.
        case wrongPublisher
        /// The message is signed for another group of clients.
        case wrongGroup
        /// The time in which clients may take the message is over.
        case expired
        /// The message was signed in the future, as the clock of this machine says.
        case notYetValid
        /// The message is older than one that the client has seen.
        case olderRevision
        /// The message is signed with a key before that of a message that the client has seen.
        case revokedKey
        /// The value of a key cannot be read by it, or breaks a rule; the key keeps the value before.
        case valueRefused
        /// The cache file cannot be read, written, or used.
        case cacheFailed
    }

    /// The kind of the failure.
    public let kind: Kind
    /// The name of the store, which is the URL without query.
    public let store: String
    /// The key that it happened to, if it was one.
    public let key: String?
    /// The reason, as a clause without a period.
    public let reason: String
    /// The remedy, as a clause without a period.
    public let remedy: String
    /// The error that caused this one, if there is one.
    public let underlying: (any Error)?

    init(
        _ kind: Kind,
        store: String,
        key: String? = nil,
        reason: String,
        remedy: String,
        underlying: (any Error)? = nil
    ) {
        (self.kind, self.store, self.key) = (kind, store, key)
        (self.reason, self.remedy, self.underlying) = (reason, remedy, underlying)
    }
}

extension RemoteStoreError: CustomStringConvertible {
    /// The error in one sentence.
    public var description: String {
        let place = key.map { "key \($0.quoted) of \(store)" } ?? store
        return "\(place): \(reason); \(remedy)."
    }
}

@_spi(StoreAuthors) extension RemoteStoreError: ProblemDetails {
    /// A warning: what the server has does not take effect, and the store works with the values before.
    public var severity: Defaults.Problem.Severity { .warning }

    public var fields: [String: String] {
        var fields = ["kind": kind.rawValue, "store": store]
        fields["key"] = key
        fields.add(underlying)
        return fields
    }
}

// MARK: - Causes

extension RemoteStoreError {
    /// A text that is not taken as a message.
    init(_ flaw: MessageFlaw, store: String) {
        let (reason, remedy) = (flaw.reason, flaw.remedy)
        self.init(flaw.kind, store: store, reason: reason, remedy: remedy, underlying: flaw.underlying)
    }

    /// A failure of a request.
    init(_ error: any Error, store: String) {
        switch error {
        case let error as RemoteStoreError: self = error
        case let error as MessageFlaw: self.init(error, store: store)
        default:
            // The text of the error may have the URL with the traits of the client.
            let reason = "the server cannot be reached, or the connection was lost (\(error._domain) \(error._code))"
            let flaw = MessageFlaw(.unreachable, reason, "look after the network; the store tries again", error)
            self.init(flaw, store: store)
        }
    }

    static func valueRefused(_ key: String, reason: String, store: String) -> Self {
        let reason = "the value of the server does not come into force, because \(reason)"
        let remedy = "correct it at the server; until then, the key keeps the value before"
        return Self(.valueRefused, store: store, key: key, reason: reason, remedy: remedy)
    }

    static func cacheFailed(_ error: any Error, store: String) -> Self {
        let reason = "the cache file cannot be used (\(error))"
        let remedy = "make it readable and writable, or remove it"
        return Self(.cacheFailed, store: store, reason: reason, remedy: remedy, underlying: error)
    }

    static func invalidConfiguration(_ reason: String, _ remedy: String, store: String = "remote") -> Self {
        Self(.invalidConfiguration, store: store, reason: reason, remedy: remedy)
    }

    /// Reports the error to the program.
    func report() {
        Defaults.Problem.storeNotice(name: store, notice: self).report()
    }
}
#endif

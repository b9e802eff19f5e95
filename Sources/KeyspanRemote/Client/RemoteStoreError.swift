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
        /// The server has answered with a status that is not success, such as 503.
        case refused
        /// The server has no document or stream at the URL.
        case notFound
        /// The server has sent the client to another scheme or host, which it does not follow.
        case redirected
        /// The response is larger than the limit of the options.
        case tooLarge
        /// The response does not have the form of a document.
        case malformed
        /// The document has a version of the format that this client does not know.
        case unsupportedVersion
        /// The document is signed with a key that this client does not know.
        case unknownKey
        /// The signature is not that of the key which the document names: the document was damaged or forged.
        case invalidSignature
        /// The document is signed, and its second line does not have the form of settings.
        case unreadableContent
        /// The document is that of a publisher with another name.
        case wrongPublisher
        /// The document is that of another group, for instance from a cache that takes two paths for one.
        case wrongGroup
        /// The time in which clients may take the document is over.
        case expired
        /// The document was signed in the future, by the clock of this machine.
        case notYetValid
        /// The document is older than the one that the client has.
        case olderRevision
        /// The document is signed with an earlier key than the one that the client has.
        case revokedKey
        /// The value of a key cannot be read by it, or breaks a rule; the key keeps the value before.
        case valueRefused
        /// The cache file cannot be read, written, or used.
        case cacheFailed
    }

    /// The kind of the failure.
    public let kind: Kind
    /// The name of the store, which is the URL without query.
    public internal(set) var store: String
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
        _ reason: String,
        _ remedy: String,
        key: String? = nil,
        store: String = "",
        _ underlying: (any Error)? = nil
    ) {
        (self.kind, self.reason, self.remedy) = (kind, reason, remedy)
        (self.store, self.key, self.underlying) = (store, key, underlying)
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
    static let lookBetween = "look after the server, or after what is between it and this client"

    /// A failure of a request of a store.
    init(_ error: any Error, store: String) {
        // The text of the error may have the URL with the traits of the client.
        let reason = "the server cannot be reached, or the connection was lost (\(error._domain) \(error._code))"
        let unreachable = Self(.unreachable, reason, "look after the network; the store tries again", error)
        self = error as? RemoteStoreError ?? unreachable
        self.store = store
    }

    static func tooLarge(limit: Int) -> Self {
        let remedy = "publish less, or raise the maximum size in the options"
        return Self(.tooLarge, "the message has more than \(limit) bytes", remedy)
    }

    /// The form is not that of a message.
    static func malformed(_ reason: String) -> Self {
        Self(.malformed, "the response is not a message: \(reason)", lookBetween)
    }

    /// The JSON has a valid signature and is not that of a document.
    static func unreadable(_ reason: String, _ error: (any Error)? = nil) -> Self {
        let remedy = "look after the program that has signed it"
        return Self(.unreadableContent, "the message is signed, and \(reason)", remedy, error)
    }

    /// The server has answered with another status than success.
    static func refused(_ status: Int) -> Self {
        let isAbsent = [404, 410].contains(status)
        let compare = "compare the URL and the group with those of the publisher"
        let remedy = isAbsent || status == 400 ? compare : "look after the server; the store tries again"
        return Self(isAbsent ? .notFound : .refused, "the server has answered with the status \(status)", remedy)
    }

    static var redirected: Self {
        let reason = "the server sends the client to another scheme or host, or around in a circle"
        return Self(.redirected, reason, "give the store the URL at which the settings are")
    }

    static func valueRefused(_ key: String, _ reason: String, store: String) -> Self {
        let reason = "the value of the server does not come into force, because \(reason)"
        let remedy = "correct it at the server; until then, the key keeps the value before"
        return Self(.valueRefused, reason, remedy, key: key, store: store)
    }

    static func cacheFailed(_ error: any Error, store: String) -> Self {
        let reason = "the cache file cannot be used (\(error))"
        return Self(.cacheFailed, reason, "make it readable and writable, or remove it", store: store, error)
    }

    static func invalidConfiguration(_ reason: String, _ remedy: String) -> Self {
        Self(.invalidConfiguration, reason, remedy, store: "remote")
    }

    /// Reports the error to the program.
    func report() {
        Defaults.Problem.storeNotice(name: store, notice: self).report()
    }
}
#endif

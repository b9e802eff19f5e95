#if Remote
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
@_spi(StoreAuthors) internal import KeyspanCore

/// The values of a publisher for a group of clients at one time.
final class PublishedContents: Sendable {
    let published: PublishedValues
    /// The digest of the values; `nil` if the first ones were too large for a document.
    let state: SettingsState?
    /// Whether the present values are too large for a document, so that these are older ones.
    let isTooLarge: Bool

    init(_ published: PublishedValues, state: SettingsState?, isTooLarge: Bool = false) {
        (self.published, self.state, self.isTooLarge) = (published, state, isTooLarge)
    }

    var values: PropertyListDictionary { published.values }

    /// A value that is not published.
    struct Problem: Hashable {
        let key: UTF8Text
        let reason: String
    }

    /// The present values that are not published.
    var problems: [Problem] { published.rejections.map { Problem(key: UTF8Text($0.key), reason: $0.value) } }
}

/// The values of a group, signed.
final class PublishedDocument: Sendable {
    let tag: DocumentTag
    let expires: Date
    /// The text of the message.
    let bytes: [UInt8]

    init(_ tag: DocumentTag, expires: Date, bytes: [UInt8]) {
        (self.tag, self.expires, self.bytes) = (tag, expires, bytes)
    }
}

/// The name of a publisher, its key, and the time for which clients may take its documents.
struct DocumentSigner: Sendable {
    let name: String
    let key: SigningKey
    let validity: Duration
    /// The time of the clock.
    let now: @Sendable () -> Date

    /// The tag that a document of a state has now.
    func tag(of state: SettingsState, at revision: Int64) -> DocumentTag {
        DocumentTag(state, issued: issued, revision: revision, keyID: key.id)
    }

    /// Signs values for a group.
    func document(
        of values: PropertyListDictionary,
        _ state: SettingsState,
        for group: String,
        at revision: Int64
    ) -> PublishedDocument {
        let issued = issued
        let expires = issued.addingTimeInterval(validity.seconds)
        let document = SettingsDocument(
            name: name,
            group: group,
            revision: revision,
            state: state,
            validity: issued..<expires,
            values: values
        )
        let tag = DocumentTag(state, issued: issued, revision: revision, keyID: key.id)
        let message = SignedMessage(document.content, signedWith: key)
        return PublishedDocument(tag, expires: expires, bytes: message.bytes)
    }

    /// The beginning of the present quarter of the validity, so that all servers of a source sign for the same time.
    private var issued: Date {
        let quarter = max((validity.seconds / 4).rounded(.down), 1)
        return Date(timeIntervalSince1970: (now().timeIntervalSince1970 / quarter).rounded(.down) * quarter)
    }
}

extension Duration {
    /// The duration in seconds.
    var seconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}
#endif

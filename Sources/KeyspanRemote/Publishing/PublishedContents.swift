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
    /// The document that was signed last.
    private let last = Locked<PublishedDocument?>(nil)

    init(_ published: PublishedValues, state: SettingsState?, isTooLarge: Bool = false) {
        (self.published, self.state, self.isTooLarge) = (published, state, isTooLarge)
    }

    /// A value that is not published.
    struct Problem: Hashable {
        let key: UTF8Text
        let reason: String
    }

    /// The present values that are not published.
    var problems: [Problem] { published.rejections.map { Problem(key: UTF8Text($0.key), reason: $0.value) } }

    /// The document of a tag, signed now or before.
    func document(_ tag: DocumentTag, sign: () -> PublishedDocument) -> PublishedDocument {
        if let last = last.withLock(\.self), last.tag == tag { return last }
        let made = sign()
        return last.withLock { last in
            // All requests of one time receive the same bytes.
            if let last, last.tag == made.tag { return last }
            last = made
            return made
        }
    }
}

/// The values of a group, signed.
struct PublishedDocument: Sendable {
    let tag: DocumentTag
    let expires: Date
    /// The text of the message.
    let bytes: [UInt8]
}

/// The name of a publisher, its key, and the time for which clients may take its documents.
struct DocumentSigner: Sendable {
    let name: String
    let key: SigningKey
    let validity: Duration
    /// The time of the clock.
    var now: @Sendable () -> Date = { Date() }

    /// The tag that a document of a state has now.
    func tag(of state: SettingsState, at revision: Int64) -> DocumentTag {
        DocumentTag(state, issued: period.lowerBound, revision: revision, keyID: key.id)
    }

    /// Signs values for a group.
    func sign(_ values: PropertyListDictionary, _ state: SettingsState, for group: String, at revision: Int64)
        -> PublishedDocument
    {
        let period = period
        let tag = DocumentTag(state, issued: period.lowerBound, revision: revision, keyID: key.id)
        let document = SettingsDocument(
            name: name,
            group: group,
            revision: revision,
            state: state,
            validity: period,
            values: values
        )
        let bytes = SignedMessage(document.content, signedWith: key).bytes
        return PublishedDocument(tag: tag, expires: period.upperBound, bytes: bytes)
    }

    /// The validity from the beginning of its present quarter on, so that all servers of a source sign for the same time.
    private var period: Range<Date> {
        let quarter = max((validity.seconds / 4).rounded(.down), 1)
        let start = (now().timeIntervalSince1970 / quarter).rounded(.down) * quarter
        return Date(timeIntervalSince1970: start)..<Date(timeIntervalSince1970: start + validity.seconds)
    }
}

extension Duration {
    /// The duration in seconds.
    var seconds: Double { self / .seconds(1) }
}
#endif

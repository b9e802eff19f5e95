#if Remote
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
@_spi(StoreAuthors) internal import KeyspanCore

/// A document that a store has taken.
struct RemoteVersion: Sendable {
    private let document: SettingsDocument
    /// The place of the key that signed it among those of the store: a later one outranks all revisions of an earlier one.
    let rank: Int
    /// The revision, or that of an equal document before, if it was larger.
    let revision: Int64
    let tag: DocumentTag
    /// The text of the message.
    let text: UTF8Text

    init(_ document: SettingsDocument, _ message: SignedMessage, rank: Int) {
        (self.document, self.rank, self.revision) = (document, rank, document.revision)
        text = UTF8Text(String(decoding: message.bytes, as: UTF8.self))
        tag = DocumentTag(
            document.state,
            issued: document.validity.lowerBound,
            revision: document.revision,
            keyID: message.keyID
        )
    }

    private init(_ version: RemoteVersion, revision: Int64) {
        (document, rank, tag, text) = (version.document, version.rank, version.tag, version.text)
        self.revision = revision
    }

    var group: String { document.group }
    var state: SettingsState { document.state }
    /// The values, also of entries that the client does not have.
    var values: PropertyListDictionary { document.values }
    /// When the document was issued, and until when a client may take it.
    var validity: Range<Date> { document.validity }

    /// The revision and the time of the version, for a person.
    var words: String { "\(revision) of \(validity.lowerBound.messageText)" }

    /// Whether this comes before another version: by the rank of its key, by its revision, and for equal revisions or
    /// equal values by its times.
    ///
    /// Equal values may have a smaller revision: several servers number them by their clocks.
    func isOlder(than other: RemoteVersion) -> Bool {
        if rank != other.rank { return rank < other.rank }
        if state != other.state, revision != other.revision { return revision < other.revision }
        return validity.lowerBound < other.validity.lowerBound && validity.upperBound < other.validity.upperBound
    }

    /// Whether another version with the same values and times adds nothing to this one.
    func includes(_ other: RemoteVersion) -> Bool {
        (other.rank, other.validity, other.state) == (rank, validity, state) && other.revision <= revision
    }

    /// This version after another one, whose revision may be the larger one of the same values.
    func following(_ known: RemoteVersion) -> RemoteVersion {
        known.rank == rank && known.state == state ? RemoteVersion(self, revision: max(revision, known.revision)) : self
    }
}

/// Decides in this order whether a text is a document for this client: its size, its form, its key, its signature, its
/// content, its publisher, its group, its times.
struct DocumentVerifier: Sendable {
    /// The name of the publisher.
    private let publisher: String
    /// The keys, in the order in which the publisher signs with them.
    let keys: [VerificationKey]
    private let maximumSize: Int
    private let tolerance: Double

    /// Takes keys, each of which has an identifier of its own.
    init(of publisher: String, _ keys: [VerificationKey], _ options: RemoteStoreOptions) throws(RemoteStoreError) {
        (self.publisher, self.keys) = (publisher, keys)
        (maximumSize, tolerance) = (options.maximumSize, options.clockTolerance.seconds)
        if keys.isEmpty {
            let reason = "there is no verification key, so that no message could be taken"
            let remedy = "give the public half of the key with which the publisher signs"
            throw .invalidConfiguration(reason, remedy)
        }
        if Set(keys.map { UTF8Text($0.id) }).count < keys.count {
            let reason = "two verification keys have the same identifier"
            throw .invalidConfiguration(reason, "give each key an identifier of its own")
        }
    }

    /// Reads a text.
    ///
    /// - Parameters:
    ///   - bytes: The text.
    ///   - group: The group that was asked for; `nil` for any.
    ///   - now: The time at which the document has to be valid; `nil` for one that was taken before.
    func version(_ bytes: [UInt8], for group: String?, at now: Date?) throws(RemoteStoreError) -> RemoteVersion {
        let message = try SignedMessage(reading: bytes, atMost: maximumSize)
        guard let rank = keys.firstIndex(where: { $0.id.hasSameUTF8(as: message.keyID) }) else {
            let reason = "the message is signed with the key \(message.keyID), which this client does not know"
            throw RemoteStoreError(.unknownKey, reason, "give the client the key, or sign with one that it knows")
        }
        try message.verify(with: keys[rank])
        let document = try SettingsDocument(content: message.content)
        guard document.name.hasSameUTF8(as: publisher) else {
            let reason = "the message is from the publisher \(document.name.quoted), not from \(publisher.quoted)"
            let remedy = "compare the URL and the name with those of the publisher"
            throw RemoteStoreError(.wrongPublisher, reason, remedy)
        }
        if let group, !document.group.hasSameUTF8(as: group) {
            let reason = "the message is for the group \(document.group.quoted), not for \(group.quoted)"
            let remedy =
                "look for a cache that takes different URLs for one, or compare the group with those of the publisher"
            throw RemoteStoreError(.wrongGroup, reason, remedy)
        }
        guard let now else { return RemoteVersion(document, message, rank: rank) }
        if now > document.validity.upperBound.addingTimeInterval(tolerance) {
            let remedy = "set the clock of this machine, or look for a cache that keeps old responses"
            throw RemoteStoreError(.expired, "the time in which clients may take the message is over", remedy)
        }
        // Its revision may be the time, and then lock out what the server signs when its clock is right again.
        if now < document.validity.lowerBound.addingTimeInterval(-tolerance) {
            let reason = "the message was signed in the future, as the clock of this machine says"
            throw RemoteStoreError(.notYetValid, reason, "set the clock of this machine, or that of the server")
        }
        return RemoteVersion(document, message, rank: rank)
    }
}
#endif

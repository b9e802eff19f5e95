#if Remote || canImport(CryptoKit)
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
@_spi(StoreAuthors) internal import KeyspanCore

/// The values of a server at one revision, with the messages that they came in.
struct RemoteVersion: Sendable {
    let position: SettingsPosition
    /// When the latest of the messages expires, or the latest document with the same values.
    private(set) var expires: Date
    /// The values, also of entries that the client does not have.
    let values: PropertyListDictionary
    /// The texts of the messages: a document, and the changes after it; empty if they are not kept.
    let messages: [[UInt8]]

    /// The values of a document.
    ///
    /// - Parameters:
    ///   - message: The document.
    ///   - bytes: Its text; `nil` if the texts are not kept.
    init(document message: SettingsMessage, _ bytes: [UInt8]?) {
        position = SettingsPosition(revision: message.revision, state: message.state)
        expires = message.validity.upperBound
        values = message.values
        messages = bytes.map { [$0] } ?? []
    }

    private init(_ position: SettingsPosition, _ expires: Date, _ values: PropertyListDictionary, _ messages: [[UInt8]])
    {
        (self.position, self.expires, self.values, self.messages) = (position, expires, values, messages)
    }

    /// The values after a change; `nil` if it is not a change of these values.
    func applying(_ message: SettingsMessage, _ bytes: [UInt8]?) -> RemoteVersion? {
        guard case .change(let base, let removed) = message.kind, base == position.state,
            message.revision >= position.revision
        else { return nil }
        var values = values
        for name in removed { values[name] = nil }
        for (name, value) in message.values { values[name] = value }
        return RemoteVersion(
            SettingsPosition(revision: message.revision, state: message.state),
            max(expires, message.validity.upperBound),
            values,
            messages + (bytes.map { [$0] } ?? [])
        )
    }

    /// Whether a document is older than this version, or is one that this version already consists of.
    ///
    /// Someone on the way can repeat a document, which must not be written to the disk again and again.
    func isNoOlder(than document: SettingsMessage) -> Bool {
        if document.revision != position.revision { return document.revision < position.revision }
        return document.state == position.state && messages.count <= 1 && document.validity.upperBound <= expires
    }

    /// Notes that a document with the same values expires at a time.
    mutating func renew(until time: Date) {
        expires = max(expires, time)
    }

    /// The number of bytes of all messages.
    var size: Int { messages.reduce(0) { $0 + $1.count } }
}

/// Decides in this order whether a text is a message for this client: its size, its form, its key, its signature, its
/// content, its times.
struct MessageVerifier: Sendable {
    let store: String
    /// The name of the publisher.
    let publisher: String
    let keys: TextDictionary<VerificationKey>
    let maximumSize: Int
    let clockTolerance: Duration

    /// Reads a text.
    ///
    /// - Parameters:
    ///   - bytes: The text.
    ///   - now: The time at which the message has to be valid; `nil` for a message that was taken before.
    func message(_ bytes: [UInt8], at now: Date?) throws(RemoteStoreError) -> SettingsMessage {
        let message: SettingsMessage
        do throws(MessageFlaw) {
            let signed = try SignedMessage(reading: bytes, atMost: maximumSize)
            try signed.verify(with: keys)
            message = try SettingsMessage(content: signed.content)
        } catch {
            throw RemoteStoreError(error, store: store)
        }
        guard message.name.hasSameUTF8(as: publisher) else {
            throw .wrongPublisher(message.name, expected: publisher, store: store)
        }
        guard let now else { return message }
        let (issued, expires) = (message.validity.lowerBound, message.validity.upperBound)
        if now > expires.addingTimeInterval(clockTolerance.seconds) { throw .expired(store: store) }
        // Its revision may be the time, and then lock out what the server signs when its clock is right again.
        if now < issued.addingTimeInterval(-clockTolerance.seconds) { throw .notYetValid(store: store) }
        return message
    }

    /// The version that a sequence of messages leads to, which was taken before.
    func version(of messages: [[UInt8]]) throws(RemoteStoreError) -> RemoteVersion? {
        var version: RemoteVersion?
        for bytes in messages {
            let message = try message(bytes, at: nil)
            if message.kind == .document {
                version = RemoteVersion(document: message, bytes)
            } else {
                version = version?.applying(message, bytes)
                if version == nil { return nil }
            }
        }
        return version
    }
}
#endif

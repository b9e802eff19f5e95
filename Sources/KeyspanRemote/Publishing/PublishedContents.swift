#if Remote || canImport(CryptoKit)
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
@_spi(StoreAuthors) internal import KeyspanCore

/// The values of a publisher for the clients of one variant at one time.
final class PublishedContents: Sendable {
    let published: PublishedValues
    /// The digest of the values.
    let state: SettingsState

    init(_ published: PublishedValues, state: SettingsState) {
        self.published = published
        self.state = state
    }

    var values: PropertyListDictionary { published.values }

    /// The entries that are others than in earlier contents.
    func difference(from old: PublishedContents) -> (values: PropertyListDictionary, removed: [String]) {
        var changed: PropertyListDictionary = [:]
        for (name, value) in values where old.values[name] != value { changed[name] = value }
        return (changed, old.values.sortedKeys.filter { values[$0] == nil })
    }
}

/// The name of a publisher, its key, and the time for which clients may take its messages.
struct MessageSigner: Sendable {
    let name: String
    let key: SigningKey
    let validity: Duration
    /// The time of the clock.
    let now: @Sendable () -> Date

    /// Signs the content of a message that is valid from now on.
    func sign(
        _ kind: SettingsMessage.Kind,
        _ values: PropertyListDictionary,
        at position: SettingsPosition
    ) -> (message: SignedMessage, issued: Date) {
        let issued = now()
        let message = SettingsMessage(
            kind: kind,
            name: name,
            revision: position.revision,
            state: position.state,
            validity: issued..<issued.addingTimeInterval(validity.seconds),
            values: values
        )
        return (SignedMessage(message.content, signedWith: key), issued)
    }

    /// Whether what was signed at a time can still be given away: for half of the time for which clients take it.
    func isFresh(_ issued: Date) -> Bool {
        let age = now().timeIntervalSince(issued)
        return age < validity.seconds / 2 && age > -validity.seconds
    }
}

/// All values at one position, signed.
final class PublishedDocument: Sendable {
    let position: SettingsPosition
    let issued: Date
    /// The text of the message.
    let bytes: [UInt8]
    /// The entity tag: equal tags have equal bytes.
    let entityTag: String
    private let eventBytes = OnceReference<SharedBytes>()

    init(of contents: PublishedContents, at position: SettingsPosition, signedBy signer: MessageSigner) {
        self.position = position
        let (message, issued) = signer.sign(.document, contents.values, at: position)
        (bytes, self.issued) = (message.bytes, issued)
        // A signature is another one each time, and so is the time in the document.
        let mark = message.signature.prefix(6).map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
        entityTag = "\"\(position.text).\(mark)\""
    }

    /// The document as an event of a stream, made once for all clients.
    var event: [UInt8] {
        if let shared = eventBytes.object { return shared.bytes }
        return eventBytes.setIfAbsent(SharedBytes(.event("document", id: position.text, message: bytes))).bytes
    }
}

/// A change of the values of a variant, which is signed when the first client reads it.
final class PublishedChange: Sendable {
    /// The number of the change among those of the variant.
    let number: UInt64
    let position: SettingsPosition
    let base: SettingsState
    /// When the change was made.
    let time: Date
    private let values: PropertyListDictionary
    private let removed: [String]
    private let eventBytes = OnceReference<SharedBytes>()

    init(
        _ number: UInt64,
        from old: PublishedContents,
        to new: PublishedContents,
        revision: Int64,
        time: Date
    ) {
        (self.number, self.time) = (number, time)
        position = SettingsPosition(revision: revision, state: new.state)
        base = old.state
        (values, removed) = new.difference(from: old)
    }

    /// The change as an event of a stream, made once for all clients.
    func event(signedBy signer: MessageSigner) -> [UInt8] {
        if let shared = eventBytes.object { return shared.bytes }
        let message = signer.sign(.change(base: base, removed: removed), values, at: position).message
        return eventBytes.setIfAbsent(SharedBytes(.event("change", id: position.text, message: message.bytes))).bytes
    }
}

/// Bytes that many clients share.
private final class SharedBytes: Sendable {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }
}

extension [UInt8] {
    /// An event of a stream in the form of the WHATWG's HTML standard, section 9.2.
    ///
    /// - Parameters:
    ///   - type: The type of the event.
    ///   - id: Its identifier.
    ///   - message: The text of a message, whose two lines are two lines of data.
    fileprivate static func event(_ type: String, id: String, message: [UInt8]) -> [UInt8] {
        var bytes = Array("id: \(id)\nevent: \(type)\n".utf8)
        bytes.reserveCapacity(bytes.count + message.count + 16)
        for line in message.split(separator: UInt8(ascii: "\n")) {
            bytes += "data: ".utf8
            bytes += line
            bytes.append(UInt8(ascii: "\n"))
        }
        bytes.append(UInt8(ascii: "\n"))
        return bytes
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

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
    /// The bytes of the values as text.
    let size: Int

    init(_ published: PublishedValues, state: SettingsState, size: Int) {
        (self.published, self.state, self.size) = (published, state, size)
    }

    var values: PropertyListDictionary { published.values }
}

/// The difference between two contents of a variant.
struct ContentsDifference: Sendable {
    let base: SettingsState
    let state: SettingsState
    /// The values that are others than before.
    let values: PropertyListDictionary
    /// The entries without a value now.
    let removed: [String]
    /// Whether a document is shorter, so that clients receive that.
    ///
    /// Clients take every document, and a change with many entries to remove can exceed their limit.
    let isLargerThanDocument: Bool

    init(from old: PublishedContents, to new: PublishedContents) {
        (base, state) = (old.state, new.state)
        var changed: PropertyListDictionary = [:]
        for (name, value) in new.values where old.values[name] != value { changed[name] = value }
        values = changed
        removed = old.values.keys.filter { new.values[$0] == nil }.map { UTF8Text($0) }.sorted().map(\.wrappedValue)
        let names = PropertyListValue.array(removed.map { .string($0) })
        let size = SettingsState.text(of: ["removed": names, "values": .dictionary(values)]).count
        // Less than this always fits, as the other members of a message do.
        isLargerThanDocument = size > max(new.size, 1_024)
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
        entityTag = DocumentTag(position, issued: issued, signature: message.signature).text
    }

    /// The document as an event of a stream, made once for all clients.
    var event: [UInt8] {
        if let shared = eventBytes.object { return shared.bytes }
        return eventBytes.setIfAbsent(SharedBytes(.event("document", id: position.text, message: bytes))).bytes
    }
}

/// The entity tag of a document.
///
/// It has the position and the time of the signature, so that any server of the source knows whether the client has
/// the present values, and whether they are still valid for long.
struct DocumentTag: Sendable {
    let position: SettingsPosition
    /// When the document was signed.
    let issued: Date
    /// The tag with its quotation marks.
    let text: String

    private static let markLength = 12

    init(_ position: SettingsPosition, issued: Date, signature: [UInt8]) {
        (self.position, self.issued) = (position, issued)
        // Servers with the same state sign other bytes, as one does at another time.
        let mark = signature.prefix(Self.markLength / 2).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        let seconds = Int64(min(max(issued.timeIntervalSince1970, 0), 1e12))
        text = "\"\(position.text).\(seconds).\(mark.joined())\""
    }

    /// Reads a tag; `nil` if it is not one of a document.
    init?(_ text: String) {
        guard text.utf8.first == UInt8(ascii: "\""), text.utf8.last == UInt8(ascii: "\""), text.utf8.count <= 200 else {
            return nil
        }
        let parts = text.utf8.dropFirst().dropLast().split(
            separator: UInt8(ascii: "."),
            omittingEmptySubsequences: false
        )
        guard parts.count == 4, parts[2].allSatisfy({ (0x30...0x39).contains($0) }),
            let seconds = Int64(String(Substring(parts[2]))), parts[3].count == Self.markLength,
            parts[3].allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }),
            let position = SettingsPosition("\(Substring(parts[0])).\(Substring(parts[1]))")
        else { return nil }
        (self.position, issued) = (position, Date(timeIntervalSince1970: Double(seconds)))
        self.text = text
    }
}

/// A change of the values of a variant, which is signed when the first client reads it.
final class PublishedChange: Sendable {
    /// The number of the change among those of the variant.
    let number: UInt64
    let position: SettingsPosition
    /// When the change was made.
    let time: Date
    private let difference: ContentsDifference
    private let eventBytes = OnceReference<SharedBytes>()

    init(_ number: UInt64, _ difference: ContentsDifference, revision: Int64, time: Date) {
        (self.number, self.difference, self.time) = (number, difference, time)
        position = SettingsPosition(revision: revision, state: difference.state)
    }

    /// The state before the change.
    var base: SettingsState { difference.base }

    /// Whether clients receive the document in place of this.
    var isLargerThanDocument: Bool { difference.isLargerThanDocument }

    /// The change as an event of a stream, made once for all clients.
    func event(signedBy signer: MessageSigner) -> [UInt8] {
        if let shared = eventBytes.object { return shared.bytes }
        let message = signer.sign(
            .change(base: base, removed: difference.removed),
            difference.values,
            at: position
        ).message
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

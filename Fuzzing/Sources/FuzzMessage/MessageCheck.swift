import Foundation
@_spi(StoreAuthors) import KeyspanCore
import LibFuzzer

// Testable, because what reads documents is internal.
@_spi(StoreAuthors) @testable import KeyspanRemote

/// Checks the properties of the readers of signed documents, tags and requests that hold for any bytes.
///
/// The bytes are read as a message, and their lines as the contents of messages that a publisher has signed: changes
/// to signed bytes break the signature, but the code after its check needs input, too.
struct MessageCheck {
    private static let limit = 1 << 20
    private static let key = makeKey()
    private static let verifier = makeVerifier()

    let text: [UInt8]

    func run() {
        checkReading()
        let contents = text.split(separator: 0x0A).map { Array($0) }
        for content in contents {
            checkTag(Substring(decoding: content, as: UTF8.self))
            checkTarget(String(decoding: content, as: UTF8.self))
        }
        checkOrder(contents.compactMap(version))
    }

    /// Checks that a message which nobody has signed is refused, whatever its form.
    private func checkReading() {
        guard let message = try? SignedMessage(reading: text, atMost: Self.limit) else { return }
        let line = "keyspan-settings 2 \(message.keyID) \(Base64.text(of: message.signature))\n"
        let written = Array(line.utf8) + message.content
        Fuzzing.check(text.starts(with: written), "a message was read as another one")
        Fuzzing.check(text.count <= written.count + 1, "a message has more than its two lines")
        let isRefused = (try? Self.verifier.version(text, for: nil, at: nil)) == nil
        Fuzzing.check(isRefused, "a message was taken without a signature")
    }

    /// Checks that a signed message is read as it was signed, and refused after any change.
    ///
    /// - Returns: The document in it, if it is one.
    private func version(of content: [UInt8]) -> RemoteVersion? {
        let bytes = SignedMessage(content, signedWith: Self.key).bytes
        do {
            let message = try SignedMessage(reading: bytes, atMost: Self.limit)
            Fuzzing.check(message.content == content && message.bytes == bytes, "a message was read as another one")
            try message.verify(with: Self.key.verificationKey)
        } catch {
            Fuzzing.check(false, "a signed message is refused: \(error)")
        }
        var changed = bytes
        // The place of the change differs between inputs, and never changes for one input.
        let place = content.reduce(UInt(0)) { $0 &* 31 &+ UInt($1) }
        changed[Int(place % UInt(bytes.count - 1))] ^= 1 << UInt8(place / UInt(bytes.count) % 8)
        let isRefused = (try? Self.verifier.version(changed, for: nil, at: nil)) == nil
        Fuzzing.check(isRefused, "a changed message was taken")
        guard let document = try? SettingsDocument(content: content) else { return nil }
        checkWriting(document)
        return try? Self.verifier.version(bytes, for: document.group, at: nil)
    }

    private func checkWriting(_ document: SettingsDocument) {
        let written = document.content
        do {
            // Times are written in whole seconds, so the first text can have other ones.
            let again = try SettingsDocument(content: written)
            Fuzzing.check(again.content == written, "a document is not always written alike")
            let isSame = again.values == document.values && again.revision == document.revision
            Fuzzing.check(isSame && again.group == document.group, "a document has another content")
        } catch {
            Fuzzing.check(false, "a written document cannot be read: \(error)")
        }
    }

    /// Checks the order by which a client refuses documents.
    private func checkOrder(_ versions: [RemoteVersion]) {
        for (first, second) in zip(versions, versions.dropFirst()) {
            Fuzzing.check(!first.isOlder(than: first), "a document is older than itself")
            Fuzzing.check(first.includes(first), "a document adds something to itself")
            let isEither = first.isOlder(than: second) && second.isOlder(than: first)
            Fuzzing.check(!isEither, "two documents are both older")
            for (known, new) in [(first, second), (second, first)] where !new.isOlder(than: known) {
                let next = new.following(known)
                Fuzzing.check(!next.isOlder(than: known), "a client goes back to an older document")
                let isFallen = next.state == known.state && next.revision < known.revision
                Fuzzing.check(!isFallen, "the revision of a client falls with the same values")
            }
            if second.includes(first) {
                Fuzzing.check(!first.isOlder(than: second), "a document is older than its equal")
            }
        }
        for version in versions { checkTag(Substring(version.tag.text), of: version.tag) }
    }

    /// Checks that a tag is read from its text, alone and as a condition of a request.
    private func checkTag(_ text: Substring, of tag: DocumentTag? = nil) {
        guard let read = DocumentTag(text) else { return Fuzzing.check(tag == nil, "a written tag is not read") }
        Fuzzing.check(read.text == text && tag ?? read == read, "a tag is read as another one")
        let conditions = #""x", W/\#(read.entityTag), "y""#
        Fuzzing.check(Array(DocumentTag.all(in: conditions)) == [read], "a condition has other tags")
        Fuzzing.check(read.isEquivalent(to: read) && !read.isReplaced(by: read), "a tag is not equivalent to itself")
    }

    /// Checks that the traits of a request are written as a query that has them.
    private func checkTarget(_ target: String) {
        guard let traits = try? RequestTarget("/settings?\(target)", below: "/settings")?.traits() else { return }
        var components = URLComponents()
        (components.path, components.queryItems) = ("/settings", traits.queryItems.isEmpty ? nil : traits.queryItems)
        let written = components.string.flatMap { RequestTarget($0, below: "/settings") }
        let again = try? written?.traits()
        Fuzzing.check(again?.queryItems == traits.queryItems, "traits are written as others")
    }

    private static func makeKey() -> SigningKey {
        guard let key = try? SigningKey(id: "fuzz", rawRepresentation: Array(1...32)) else {
            fatalError("32 bytes are no key")
        }
        return key
    }

    private static func makeVerifier() -> DocumentVerifier {
        var options = RemoteStoreOptions()
        (options.maximumSize, options.clockTolerance) = (limit, .zero)
        guard let verifier = try? DocumentVerifier(of: "test", [key.verificationKey], options) else {
            fatalError("one key is refused")
        }
        return verifier
    }
}

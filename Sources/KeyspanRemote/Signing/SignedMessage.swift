#if Remote
@_spi(StoreAuthors) internal import KeyspanCore

/// A message in the form in which it is signed, sent and cached: a line that names the key and has the signature, and a
/// line of JSON.
///
/// ```
/// keyspan-settings 2 2026-11 MEUCIQ…==
/// {"name": "greeter", "group": "all", …}
/// ```
///
/// The signature covers the beginning of the first line up to the identifier of the key, a line feed, and the JSON. So
/// a signature is good for this format, this version of it and this key only. The text is UTF-8; a line feed at its end
/// is optional.
struct SignedMessage: Sendable {
    /// The first words of a message.
    static let format = "keyspan-settings"
    /// The version of the format.
    static let version = "2"
    /// The number of Base64 characters of a signature of 64 bytes.
    private static let signatureLength = 88

    /// The identifier of the key.
    let keyID: String
    /// The signature.
    let signature: [UInt8]
    /// The JSON, without a line feed.
    let content: [UInt8]

    /// The whole text, with a line feed at its end.
    let bytes: [UInt8]

    /// Signs a content.
    init(_ content: [UInt8], signedWith key: SigningKey) {
        keyID = key.id
        self.content = content
        signature = key.signature(for: Self.signedBytes(of: content, keyID: key.id))
        let line = "\(Self.format) \(Self.version) \(key.id) \(Base64.text(of: signature))\n"
        bytes = Array(line.utf8) + content + [UInt8(ascii: "\n")]
    }

    /// Reads a text, without a look into the JSON.
    ///
    /// - Parameters:
    ///   - bytes: The text.
    ///   - limit: The most bytes that a text may have.
    /// - Throws: ``RemoteStoreError``.
    init(reading bytes: [UInt8], atMost limit: Int) throws(RemoteStoreError) {
        if bytes.count > limit { throw .tooLarge(limit: limit) }
        let lineLimit = Self.format.utf8.count + KeyIdentifier.maximumLength + Self.signatureLength + 16
        guard let end = bytes.prefix(lineLimit).firstIndex(of: UInt8(ascii: "\n")) else {
            throw .malformed("its first line is not that of a settings message")
        }
        let words = bytes[..<end].split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard words.count >= 2, words[0].elementsEqual(Self.format.utf8), (1...4).contains(words[1].count) else {
            throw .malformed("its first line is not that of a settings message")
        }
        guard words[1].elementsEqual(Self.version.utf8) else {
            let found = Substring(decoding: words[1], as: UTF8.self)
            let reason =
                "the message has version \(String(found).quoted) of the format, and this client knows version \(Self.version)"
            throw RemoteStoreError(.unsupportedVersion, reason, "update the client or the server")
        }
        guard words.count == 4, KeyIdentifier.isValid(words[2]), words[3].count == Self.signatureLength,
            let signature = Base64.bytes(of: String(decoding: words[3], as: UTF8.self)), signature.count == 64,
            // Other texts for the same bytes differ in bits that mean nothing.
            Base64.text(of: signature).utf8.elementsEqual(words[3])
        else {
            throw .malformed("its first line does not have the identifier of a key and a signature")
        }
        var content = bytes[(end + 1)...]
        if content.last == UInt8(ascii: "\n") { content.removeLast() }
        guard !content.isEmpty, !content.contains(UInt8(ascii: "\n")) else {
            throw .malformed("it does not have exactly two lines")
        }
        keyID = String(decoding: words[2], as: UTF8.self)
        self.signature = signature
        self.content = Array(content)
        self.bytes = bytes.last == UInt8(ascii: "\n") ? bytes : bytes + [UInt8(ascii: "\n")]
    }

    /// Checks the signature with the key that the message names.
    ///
    /// - Throws: ``RemoteStoreError``.
    func verify(with key: VerificationKey) throws(RemoteStoreError) {
        guard key.isValid(signature, for: Self.signedBytes(of: content, keyID: keyID)) else {
            let reason = "the signature is not that of the key \(keyID) for this message, which was damaged or forged"
            throw RemoteStoreError(
                .invalidSignature,
                reason,
                "look after the server, or after what is between it and this client"
            )
        }
    }

    private static func signedBytes(of content: [UInt8], keyID: String) -> [UInt8] {
        Array("\(format) \(version) \(keyID)\n".utf8) + content
    }
}
#endif

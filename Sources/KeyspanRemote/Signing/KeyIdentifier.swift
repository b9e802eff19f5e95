#if Remote
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
@_spi(StoreAuthors) internal import KeyspanCore

/// The identifier of a signing key, or the name of a group: 1 to 64 characters of `A-Z`, `a-z`, `0-9`, `.`, `_` and `-`.
enum KeyIdentifier {
    static let maximumLength = 64

    private static let allowed = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-".utf8)

    /// Whether a text can be the identifier of a key.
    static func isValid(_ text: some Collection<UInt8>) -> Bool {
        (1...maximumLength).contains(text.count) && text.allSatisfy(allowed.contains)
    }

    /// Whether a text can be the name of a group, which is a part of paths.
    static func isGroup(_ name: String) -> Bool {
        isValid(name.utf8) && !name.hasSameUTF8(as: "changes") && name.utf8.contains { $0 != UInt8(ascii: ".") }
    }
}

/// An error for a text or for bytes that are not a key.
///
/// It names the part that is wrong, and never contains the key.
public struct SettingsKeyError: Error, Sendable, Hashable {
    /// The part that is wrong.
    public enum Kind: String, Sendable, Hashable {
        /// The identifier is empty, too long or has a character that it must not have.
        case invalidIdentifier
        /// The text is not Base64.
        case invalidBase64
        /// The bytes are not a key of Ed25519.
        case invalidKey
    }

    /// The part that is wrong.
    public let kind: Kind
    /// What kind of key it was to be: `signing key` or `verification key`.
    let subject: String
}

extension SettingsKeyError: CustomStringConvertible {
    /// The error in one sentence, without the key.
    public var description: String {
        switch kind {
        case .invalidIdentifier:
            "\(subject): the identifier is not 1 to \(KeyIdentifier.maximumLength) characters of A-Z, a-z, 0-9, \".\", \"_\" and \"-\"; "
                + "choose another one."
        case .invalidBase64:
            "\(subject): the text is not Base64 with padding; copy the whole text of the key, without spaces."
        case .invalidKey:
            "\(subject): the bytes are not a key of Ed25519, which has 32 bytes; generate one with SigningKey.generate(id:)."
        }
    }
}

/// Base64 of RFC 4648 section 4, with padding and without spaces.
enum Base64 {
    static func bytes(of text: String) -> [UInt8]? {
        Data(base64Encoded: text).map { [UInt8]($0) }
    }

    static func text(of bytes: some Sequence<UInt8>) -> String {
        Data(bytes).base64EncodedString()
    }
}
#endif

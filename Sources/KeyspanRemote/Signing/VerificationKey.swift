#if Remote
#if canImport(CryptoKit)
internal import CryptoKit
#else
internal import Crypto
#endif

/// The public key with which a client verifies the settings of a server, and its identifier.
///
/// It is public, and part of the client. A client knows its keys in the order in which the server signs with them, and
/// refuses documents of the earlier ones once it has one of a later key. To change the key, first release clients that
/// know the new key behind the old one, then let the server sign with it, and later release clients without the old one.
public struct VerificationKey: Sendable {
    /// The identifier, which each document names.
    public let id: String

    private let key: Curve25519.Signing.PublicKey

    /// Makes a key from its bytes.
    ///
    /// - Parameters:
    ///   - id: The identifier: 1 to 64 characters of `A-Z`, `a-z`, `0-9`, `.`, `_` and `-`.
    ///   - rawRepresentation: The 32 bytes of the public key.
    /// - Throws: ``SettingsKeyError``.
    public init(id: String, rawRepresentation: some Collection<UInt8>) throws(SettingsKeyError) {
        guard KeyIdentifier.isValid(id.utf8) else {
            throw SettingsKeyError(kind: .invalidIdentifier, subject: "verification key")
        }
        guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: [UInt8](rawRepresentation)) else {
            throw SettingsKeyError(kind: .invalidKey, subject: "verification key \(id)")
        }
        self.init(id: id, key: key)
    }

    /// Makes a key from its text.
    ///
    /// - Parameters:
    ///   - id: The identifier: 1 to 64 characters of `A-Z`, `a-z`, `0-9`, `.`, `_` and `-`.
    ///   - text: The public key as ``base64Encoded`` returns it.
    /// - Throws: ``SettingsKeyError``.
    public init(id: String, base64Encoded text: String) throws(SettingsKeyError) {
        guard let bytes = Base64.bytes(of: text) else {
            throw SettingsKeyError(kind: .invalidBase64, subject: "verification key")
        }
        try self.init(id: id, rawRepresentation: bytes)
    }

    init(id: String, key: Curve25519.Signing.PublicKey) {
        self.id = id
        self.key = key
    }

    /// The bytes of the public key.
    public var rawRepresentation: [UInt8] { [UInt8](key.rawRepresentation) }

    /// The public key as text.
    public var base64Encoded: String { Base64.text(of: key.rawRepresentation) }

    /// Whether the private half of the key has made a signature for these bytes.
    func isValid(_ signature: [UInt8], for bytes: [UInt8]) -> Bool {
        key.isValidSignature(signature, for: bytes)
    }
}

extension VerificationKey: CustomStringConvertible {
    /// The identifier and the public key.
    public var description: String { "verification key \(id) \(base64Encoded)" }
}
#endif

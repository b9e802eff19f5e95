#if Remote
#if canImport(CryptoKit)
internal import CryptoKit
#else
internal import Crypto
#endif

/// The private key with which a server signs its settings (Ed25519, RFC 8032), and its identifier.
///
/// ```swift
/// // With the trait Remote
/// let key = try SigningKey.generate(id: "2026-11")
/// print(key.verificationKey.base64Encoded)  // goes into the clients
/// ```
///
/// Keep ``base64Encoded`` where the server keeps its secrets, for instance in a `SecretFolderStore`. Descriptions,
/// dumps and errors never show the key. The clients know the public half, ``verificationKey``, by the same identifier,
/// which each document names.
public struct SigningKey: Sendable {
    /// The identifier, by which clients find the public key.
    public let id: String

    // In a type of its own, whose mirror is empty, so that no dump shows the bytes.
    private let material: KeyMaterial

    private struct KeyMaterial: Sendable, CustomReflectable, CustomStringConvertible {
        let key: Curve25519.Signing.PrivateKey

        var customMirror: Mirror { Mirror(self, children: []) }
        var description: String { "…" }
    }

    /// Makes a key from its bytes.
    ///
    /// - Parameters:
    ///   - id: The identifier: 1 to 64 characters of `A-Z`, `a-z`, `0-9`, `.`, `_` and `-`.
    ///   - rawRepresentation: The 32 bytes of the private key.
    /// - Throws: ``SettingsKeyError``.
    public init(id: String, rawRepresentation: some Collection<UInt8>) throws(SettingsKeyError) {
        guard KeyIdentifier.isValid(id.utf8) else {
            throw SettingsKeyError(kind: .invalidIdentifier, subject: "signing key")
        }
        let bytes = [UInt8](rawRepresentation)
        guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: bytes) else {
            throw SettingsKeyError(kind: .invalidKey, subject: "signing key \(id)")
        }
        self.init(id: id, key: key)
    }

    /// Makes a key from its text.
    ///
    /// - Parameters:
    ///   - id: The identifier: 1 to 64 characters of `A-Z`, `a-z`, `0-9`, `.`, `_` and `-`.
    ///   - text: The private key as ``base64Encoded`` returns it.
    /// - Throws: ``SettingsKeyError``.
    public init(id: String, base64Encoded text: String) throws(SettingsKeyError) {
        guard let bytes = Base64.bytes(of: text) else {
            throw SettingsKeyError(kind: .invalidBase64, subject: "signing key")
        }
        try self.init(id: id, rawRepresentation: bytes)
    }

    private init(id: String, key: Curve25519.Signing.PrivateKey) {
        self.id = id
        material = KeyMaterial(key: key)
    }

    /// Makes a new key from the system's random numbers.
    ///
    /// - Parameter id: The identifier: 1 to 64 characters of `A-Z`, `a-z`, `0-9`, `.`, `_` and `-`.
    /// - Throws: ``SettingsKeyError`` for another identifier.
    public static func generate(id: String) throws(SettingsKeyError) -> SigningKey {
        guard KeyIdentifier.isValid(id.utf8) else {
            throw SettingsKeyError(kind: .invalidIdentifier, subject: "signing key")
        }
        return SigningKey(id: id, key: Curve25519.Signing.PrivateKey())
    }

    /// The bytes of the private key, for the place where the server keeps its secrets.
    public var rawRepresentation: [UInt8] { [UInt8](material.key.rawRepresentation) }

    /// The private key as text, for the place where the server keeps its secrets.
    public var base64Encoded: String { Base64.text(of: material.key.rawRepresentation) }

    /// The public half of the key, for the clients.
    public var verificationKey: VerificationKey { VerificationKey(id: id, key: material.key.publicKey) }

    /// Signs bytes.
    func signature(for bytes: [UInt8]) -> [UInt8] {
        // Neither CryptoKit nor swift-crypto has a case in which signing with Ed25519 fails.
        guard let signature = try? material.key.signature(for: bytes) else {
            preconditionFailure("Ed25519 has refused to sign")
        }
        return [UInt8](signature)
    }
}

extension SigningKey: CustomStringConvertible, CustomDebugStringConvertible {
    /// The identifier, without the key.
    public var description: String { "signing key \(id)" }

    /// The identifier, without the key.
    public var debugDescription: String { description }
}

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

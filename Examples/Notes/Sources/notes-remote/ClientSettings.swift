import Keyspan
import KeyspanRemote
import NotesShared

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The settings of the program itself, in whose place an app has constants.
struct ClientKeys: KeyGroup {
    let server = Key<URL?>("server")
        .summary("The address of the remote settings, such as http://127.0.0.1:8080/remote.")
    let publicKey = Key<String?>("publicKey")
        .summary("The public key of the server, which its log has at the start.")
    let cache = Key<String>("cache", default: "notes-remote.cache")
        .summary("The file with what the server has sent last.")
    let id = Key<String?>("id")
        .summary(
            "The name of this client, which decides whether a rollout has reached it. The server does not learn it."
        )
}

extension Defaults.Group<ClientKeys> {
    /// Reads arguments such as `--public-key=2026-11:…`.
    init(arguments: [String]) throws {
        self.init(try LaunchArgumentsStore(arguments, keys: ClientKeys.allKeys, unknownNames: .strict))
        try validate()
    }

    /// Makes the store that follows the server.
    ///
    /// - Returns: The store; `nil` if the address or the public key is missing.
    func remoteStore() throws -> RemoteStore? {
        guard let server = self.server, let publicKey = self.publicKey else { return nil }
        var options = RemoteStoreOptions()
        // With an identifier, the server assigns this client to a group. Otherwise it takes what is for all.
        if let id = self.id { options.group = .assigned(to: ClientTraits(id: id)) }
        return try RemoteStore(
            url: server,
            keys: NotesKeys.allKeys,
            verificationKeys: [VerificationKey(text: publicKey)],
            name: "notes",
            cache: self.cache,
            options: options
        )
    }
}

extension VerificationKey {
    /// Reads the text of a key: its identifier, a colon, and the key in Base64.
    init(text: String) throws(SettingsKeyError) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        try self.init(id: parts[0], base64Encoded: parts.count == 2 ? parts[1] : "")
    }
}

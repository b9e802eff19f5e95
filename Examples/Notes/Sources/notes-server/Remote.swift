import HTTPTypes
import Hummingbird
import Keyspan
import KeyspanRemote
import NotesShared
import ServiceLifecycle

extension SettingsPublisher {
    private static let path = "/remote"

    /// Publishes the settings that the server shares with its clients.
    ///
    /// - Parameters:
    ///   - settings: The settings. A share of the clients has the dark theme.
    ///   - signingKey: The key, whose public half the clients know.
    convenience init(of settings: ServerSettings, signingKey: SigningKey) throws {
        var options = SettingsPublisherOptions()
        options.path = Self.path
        let dark = InMemoryStore(["theme": "dark"])
        try self.init(
            NotesKeys.allKeys,
            in: settings.notes.store,
            name: "notes",
            signingKey: signingKey,
            groups: ["dark": [dark]],
            options: options
        ) { traits in
            traits.isIn(settings.group.darkShare.percent, of: "dark theme") ? "dark" : "all"
        }
    }

    /// Adds the routes of the publisher to a router: its path, and all below it.
    func add(to router: Router<NotesContext>) {
        for path in [Self.path, Self.path + "/**"] {
            // The publisher itself answers methods that it does not have.
            for method in [HTTPRequest.Method.get, .head, .post] {
                router.on(RouterPath(path), method: method) { request, context in
                    Response(self.respond(to: request.head, from: context.remoteAddress?.ipAddress))
                }
            }
        }
    }
}

extension Response {
    /// The response of a publisher.
    init(_ response: RemoteResponse) {
        let body: ResponseBody =
            switch response.body {
            case .bytes(let bytes): .init(byteBuffer: ByteBuffer(bytes: bytes))
            // The stream would keep a server that is about to end.
            case .stream(let events):
                .init(asyncSequence: events.map { ByteBuffer(bytes: $0) }.cancelOnGracefulShutdown())
            }
        self.init(status: response.head.status, headers: response.head.headerFields, body: body)
    }
}

/// The text of a key: its identifier, a colon, and the key in Base64.
extension SigningKey {
    init(text: String) throws(SettingsKeyError) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        try self.init(id: parts[0], base64Encoded: parts.count == 2 ? parts[1] : "")
    }

    var text: String { "\(id):\(base64Encoded)" }

    /// Makes a new key if an argument such as `--new-signing-key=2026-11` asks for one.
    static func generate(for arguments: [String]) throws -> SigningKey? {
        let option = "--new-signing-key="
        guard let argument = arguments.first(where: { $0.hasPrefix(option) }) else { return nil }
        return try generate(id: String(argument.dropFirst(option.count)))
    }
}

extension Defaults.Rule<String> {
    static var signingKey: Self {
        Self("a key that --new-signing-key has printed") { (try? SigningKey(text: $0)) != nil }
    }
}

extension VerificationKey {
    var text: String { "\(id):\(base64Encoded)" }
}

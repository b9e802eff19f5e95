import HTTPTypes
import Hummingbird
import Keyspan
import KeyspanConsole
import NotesShared
import ServiceLifecycle

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension SettingsConsole {
    /// The console of the server's settings, for those who have the server's token.
    init(of settings: ServerSettings) {
        var options = Options()
        options.title = "Settings of the notes"
        options.path = "/console"
        options.allowsEditing = true
        let group = settings.notes
        self.init(settings.group, options: options) { request in
            guard let credentials = Credentials(request.header("Authorization")),
                let token = group.server.token, credentials.secret.hasSameBytes(as: token)
            else {
                return .unauthorized(challenge: #"Basic realm="settings of the notes", charset="UTF-8""#)
            }
            return .editing(as: credentials.person)
        }
    }

    /// Adds the routes of the console to a router.
    func add(to router: Router<BasicRequestContext>) {
        for path in ["/console", "/console/**"] {
            for method in [HTTPRequest.Method.get, .head, .post] {
                router.on(RouterPath(path), method: method) { request, _ in await respond(to: request) }
            }
        }
    }

    private func respond(to request: Hummingbird.Request) async -> Hummingbird.Response {
        let response = await respond(to: Request(request))
        var fields = HTTPFields()
        for (name, value) in response.headers {
            if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, value: value)) }
        }
        let body: ResponseBody =
            switch response.body {
            case .bytes(let bytes): .init(byteBuffer: ByteBuffer(bytes: bytes))
            // The stream would keep a server that is about to end.
            case .events(let events):
                .init(asyncSequence: events.map { ByteBuffer(bytes: $0) }.cancelOnGracefulShutdown())
            }
        return Hummingbird.Response(status: .init(code: response.status), headers: fields, body: body)
    }
}

extension SettingsConsole.Request {
    fileprivate init(_ request: Hummingbird.Request) {
        var headers = request.headers.map { (name: $0.name.rawName, value: $0.value) }
        if let host = request.head.authority { headers.append(("Host", host)) }
        self.init(method: request.method.rawValue, target: request.uri.string, headers: headers) { limit in
            Array(buffer: try await request.body.collect(upTo: limit))
        }
    }
}

/// The name of a person and a secret, as a browser or a program sends them.
private struct Credentials {
    let person: String?
    let secret: String

    /// Reads `Basic` with a name and the token as the password, or `Bearer` with the token.
    init?(_ header: String?) {
        let parts = header?.split(separator: " ", maxSplits: 1).map(String.init) ?? []
        guard parts.count == 2 else { return nil }
        switch parts[0].lowercased() {
        case "bearer":
            self.init(person: nil, secret: parts[1])
        case "basic":
            guard let data = Data(base64Encoded: parts[1]),
                let text = String(validating: data, as: UTF8.self),
                let colon = text.firstIndex(of: ":")
            else { return nil }
            self.init(person: String(text[..<colon]), secret: String(text[text.index(after: colon)...]))
        default: return nil
        }
    }

    private init(person: String?, secret: String) {
        self.person = person
        self.secret = secret
    }
}

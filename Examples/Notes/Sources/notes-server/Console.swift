import HTTPTypes
import Hummingbird
import Keyspan
import KeyspanConsole
import Logging
import NotesShared
import ServiceLifecycle

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension SettingsConsole {
    /// The console of the server's settings, for those who have the server's token.
    init(of settings: ServerSettings) {
        var options = Options()
        options.title = "Settings of the notes"
        options.path = "/console"
        options.allowsEditing = true
        // The audit trail is the standard output; the log is the standard error.
        options.onAuditEvent = { NotesServer.writeLine("\($0)", to: STDOUT_FILENO) }
        let group = settings.notes
        self.init(settings.group, options: options) { request in
            guard let credentials = request.credentials, let token = group.server.token, credentials.haveSecret(token)
            else {
                return .unauthorized(challenge: #"Basic realm="settings of the notes", charset="UTF-8""#)
            }
            return .editing(as: credentials.person)
        }
    }

    /// Adds the routes of the console to a router.
    func add(to router: Router<NotesContext>) {
        for path in ["/console", "/console/**"] {
            for method in [HTTPRequest.Method.get, .head, .post] {
                router.on(RouterPath(path), method: method) { request, context in
                    // The log has the identifier as well.
                    await respond(to: request, from: context.logger[metadataKey: "hb.request.id"]?.description)
                }
            }
        }
    }

    private func respond(to request: Hummingbird.Request, from sender: String?) async -> Hummingbird.Response {
        let response = await respond(to: request.head, from: sender) { limit in
            Array(buffer: try await request.body.collect(upTo: limit))
        }
        let body: ResponseBody =
            switch response.body {
            case .bytes(let bytes): .init(byteBuffer: ByteBuffer(bytes: bytes))
            // The stream would keep a server that is about to end.
            case .events(let events):
                .init(asyncSequence: events.map { ByteBuffer(bytes: $0) }.cancelOnGracefulShutdown())
            }
        return Hummingbird.Response(status: response.head.status, headers: response.head.headerFields, body: body)
    }
}

extension HTTPFields {
    init(_ headers: [(name: String, value: String)]) {
        self.init()
        for (name, value) in headers {
            if let name = HTTPField.Name(name) { append(HTTPField(name: name, value: value)) }
        }
    }
}

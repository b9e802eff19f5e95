import HTTPTypes
import Hummingbird
import Keyspan
import KeyspanConsole
import NotesShared
import ServiceLifecycle

extension SettingsConsole {
    /// The console of the server's settings, for those who have the server's token.
    init(of settings: ServerSettings) {
        var options = Options()
        options.title = "Settings of the notes"
        options.path = "/console"
        options.allowsEditing = true
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
    func add(to router: Router<BasicRequestContext>) {
        for path in ["/console", "/console/**"] {
            for method in [HTTPRequest.Method.get, .head, .post] {
                router.on(RouterPath(path), method: method) { request, _ in await respond(to: request) }
            }
        }
    }

    private func respond(to request: Hummingbird.Request) async -> Hummingbird.Response {
        let response = await respond(to: Request(request))
        let body: ResponseBody =
            switch response.body {
            case .bytes(let bytes): .init(byteBuffer: ByteBuffer(bytes: bytes))
            // The stream would keep a server that is about to end.
            case .events(let events):
                .init(asyncSequence: events.map { ByteBuffer(bytes: $0) }.cancelOnGracefulShutdown())
            }
        return Hummingbird.Response(status: .init(code: response.status), headers: .init(response.headers), body: body)
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

extension SettingsConsole.Request {
    init(_ request: Hummingbird.Request) {
        var headers = request.headers.map { (name: $0.name.rawName, value: $0.value) }
        if let host = request.head.authority { headers.append(("Host", host)) }
        self.init(method: request.method.rawValue, target: request.uri.string, headers: headers) { limit in
            Array(buffer: try await request.body.collect(upTo: limit))
        }
    }
}

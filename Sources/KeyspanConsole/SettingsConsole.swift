#if Console
public import HTTPTypes
public import KeyspanCore

/// A page on which operators see the settings of a running program, and change them if the program permits that.
///
/// ```swift
/// // With the trait Console
/// struct ServerKeys: KeyGroup {
///     let port = Key<Int>("port", default: 8080).summary("Where to listen.")
///     let token = Key<String?>("token").secret()
/// }
///
/// let settings = Defaults.Group<ServerKeys>(InMemoryStore())
/// let console = SettingsConsole(settings) { request in
///     guard let credentials = request.credentials, let token = settings.token, credentials.haveSecret(token) else {
///         return .unauthorized(challenge: #"Basic realm="settings", charset="UTF-8""#)
///     }
///     return .reading(as: credentials.person)
/// }
/// ```
///
/// The console is a function from requests to responses, which any server framework can call: pass everything below
/// ``Options/path`` to ``respond(to:from:body:)``. The page lists each key with its value, type, default, source, rules, summary and last change,
/// follows the store by server-sent events, and has a history of the changes. It needs no JavaScript for reading.
///
/// **Nobody sees anything without the closure's consent.** It is called for each request, and says who the person is, and which keys they
/// may read and change. The value of a secret is never sent to anyone. The article <doc:ConsoleSecurity> has the threat model.
///
/// **Nobody overwrites what they have not seen.** A change states the version of the value that the page showed, and the store compares
/// the value again at the instant of writing. Changes are checked by the rules of the keys, and take effect together or not at all.
///
/// The console observes the store as long as it, a copy of it, or one of its event streams exists. It keeps the values of its keys and the
/// history in memory. Safe to use from any thread; a page costs a description of its keys, which reads the files of the store to find
/// the lines of values.
public struct SettingsConsole: Sendable {
    let journal: SettingsJournal
    let options: Options
    let access: @Sendable (Request) async -> Access
    let tokens = RequestTokens()
    let streams = StreamCount()

    /// Makes a console for keys.
    ///
    /// - Parameters:
    ///   - keys: The keys, in the order of the page. Their suites are ignored. Of several keys of one name, the first one counts.
    ///   - store: The store of the values.
    ///   - options: The title, the place and the limits of the console.
    ///   - access: Names the person behind a request and the keys that they may use. It is called first for each request, and may suspend.
    public init(
        _ keys: [Defaults.AnyKey],
        in store: any PropertyListStore,
        options: Options = Options(),
        access: @escaping @Sendable (_ request: Request) async -> Access
    ) {
        journal = SettingsJournal(keys, in: store, maximumHistoryCount: options.clamped.maximumHistoryCount)
        self.options = options.clamped
        self.access = access
    }

    /// Makes a console for the keys of a group.
    ///
    /// - Parameters:
    ///   - group: The group, whose keys the page lists in the order of `allKeys`.
    ///   - options: The title, the place and the limits of the console.
    ///   - access: Names the person behind a request and the keys that they may use. It is called first for each request, and may suspend.
    public init<Keys>(
        _ group: Defaults.Group<Keys>,
        options: Options = Options(),
        access: @escaping @Sendable (_ request: Request) async -> Access
    ) {
        self.init(group.allKeys, in: group.store, options: options, access: access)
    }

    /// Answers a request.
    ///
    /// - Parameters:
    ///   - head: A request whose path is ``Options/path`` or below it; others are answered with 404.
    ///   - sender: What identifies the sender or the request for the access closure and the audit trail, such as the address of the
    ///     connection or the number of the request in the server's log.
    ///   - body: Reads the body up to a number of bytes, and throws if it is longer. It is called only if the sender may change settings,
    ///     so that nobody else makes the program read anything.
    /// - Returns: The response, whose body is a stream for the events of a page, and otherwise whole.
    public func respond(
        to head: HTTPRequest,
        from sender: String? = nil,
        body: @Sendable (_ limit: Int) async throws -> [UInt8] = { _ in [] }
    ) async -> Response {
        let response = await wholeResponse(to: Request(head: head, sender: sender), body)
        return head.method == .head ? response.withoutBody : response
    }

    private func wholeResponse(
        to request: Request,
        _ body: @Sendable (_ limit: Int) async throws -> [UInt8]
    ) async -> Response {
        guard options.hosts.isEmpty || request.isFor(options.hosts) else {
            options.audit(request, by: nil, refusedAs: .unknownHost)
            return .failure(421, "The console does not answer under this name.")
        }
        guard let place = options.place(of: request.path) else { return .failure(404, "There is no such page.") }
        let access = await access(request)
        if let refusal = access.refusal {
            options.audit(request, by: access.person, refusedAs: refusal.reported)
            return .refusal(refusal)
        }
        guard let route = Route(place) else { return .failure(404, "There is no such page.") }
        guard route.methods.contains(request.head.method) else {
            let methods = route.methods.map(\.rawValue).joined(separator: ", ")
            return .failure(405, "The method is not allowed here.", headers: [("Allow", methods)])
        }
        let view = SettingsView(of: journal, as: access, options: options)
        return switch route {
        case .mount: Response.redirection(to: "./\(options.folderName)/\(request.query.map { "?" + $0 } ?? "")")
        case .page: page(of: view, filteredBy: request.parameter("filter"))
        case .script: Response.asset(ConsoleScript.text, type: "text/javascript", for: request)
        case .style: Response.asset(ConsoleStyle.text, type: "text/css", for: request)
        case .editor: editor(for: request, in: view)
        case .value: value(ofKey: request.parameter("key"), in: view)
        case .events: events(for: request, in: view)
        case .changes: await change(by: request, body, in: view)
        }
    }
}

extension SettingsConsole {
    private func page(of view: SettingsView, filteredBy filter: String?) -> Response {
        let token = view.access.mayEdit ? tokens.token(of: view.access.person) : nil
        return .page(ConsolePage(of: view, filteredBy: filter ?? "", token: token).html)
    }

    private func editor(for request: Request, in view: SettingsView) -> Response {
        guard let key = request.parameter("key").flatMap(view.key(named:)) else {
            return .failure(404, "There is no such key.")
        }
        guard view.access.canEdit(key) else {
            let change = AuditEvent.Change(key: key.name, kind: .open, outcome: .denied, old: nil, new: nil)
            options.audit(request, by: view.access.person, changes: [change])
            return .failure(403, "The key cannot be changed here.")
        }
        return .page(SettingEditor(of: view.setting(of: key), in: view).html)
    }

    private func value(ofKey name: String?, in view: SettingsView) -> Response {
        guard let key = name.flatMap(view.key(named:)) else { return .failure(404, "There is no such key.") }
        return .page(ValuePage(of: view.setting(of: key), in: view).html)
    }

    private func events(for request: Request, in view: SettingsView) -> Response {
        guard let place = streams.take(upTo: options.maximumStreamCount) else {
            return .failure(503, "Too many pages follow the settings.", headers: [("Retry-After", "10")])
        }
        let last = request.header("Last-Event-ID") ?? request.parameter("after")
        let token = view.access.mayEdit ? tokens.token(of: view.access.person) : nil
        return .events(EventStream(of: view, after: last.flatMap(SettingsVersion.init), token: token, holding: place))
    }

    private func change(
        by request: Request,
        _ body: @Sendable (_ limit: Int) async throws -> [UInt8],
        in view: SettingsView
    ) async -> Response {
        func refuse(_ refusal: AuditEvent.Refusal, _ status: HTTPResponse.Status, _ sentence: String) -> Response {
            options.audit(request, by: view.access.person, refusedAs: refusal)
            return .failure(status, sentence)
        }
        guard view.access.mayEdit else { return refuse(.readOnly, 403, "The settings can only be read here.") }
        if request.isForeign(trusting: options.trustedOrigins) {
            return refuse(.foreignOrigin, 403, "Changes are accepted from the console's own page only.")
        }
        guard tokens.isValid(request.header(RequestTokens.header), for: view.access.person) else {
            return refuse(.invalidToken, 403, "The page is from an earlier run of the program; load it again.")
        }
        guard request.hasJSONBody else { return refuse(.notJSON, 415, "The body has to be application/json.") }
        guard let bytes = try? await body(options.maximumBodySize), bytes.count <= options.maximumBodySize else {
            return refuse(.tooLarge, 413, "The changes are larger than \(options.maximumBodySize) bytes.")
        }
        do throws(SubmittedChanges.Malformed) {
            return try await SubmittedChanges(bytes, by: request, in: view).response(in: view)
        } catch {
            return refuse(.malformed, 400, error.sentence)
        }
    }
}

/// The places of a console.
private enum Route: String {
    case mount = ""
    case page = "/"
    case script = "/console.js"
    case style = "/console.css"
    case editor = "/editor"
    case value = "/value"
    case events = "/events"
    case changes = "/changes"

    init?(_ place: String) { self.init(rawValue: place) }

    var methods: [HTTPRequest.Method] { self == .changes ? [.post] : [.get, .head] }
}
#endif

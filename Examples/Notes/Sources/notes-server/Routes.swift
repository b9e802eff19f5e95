import Hummingbird
import Keyspan
import KeyspanConsole
import KeyspanRemote
import NotesShared

/// The routes of the server, and their responses.
struct Routes: Sendable {
    let settings: Defaults.Group<NotesKeys>
    let notebook: Notebook
    let page: LivePage
    let metrics: MetricsPage
    let console: SettingsConsole
    /// `nil` if the server has no signing key.
    let publisher: SettingsPublisher?

    var router: Router<NotesContext> {
        let router = Router(context: NotesContext.self)
        router.add(middleware: SampledLogMiddleware(settings: settings))
        router.add(middleware: MetricsMiddleware())
        router.get("/health") { _, _ in HTTPResponse.Status.ok }
        router.get("/metrics") { _, _ in metrics.text }
        router.get("/") { _, _ in page.text }
        router.get("/notes") { _, _ in await notebook.notes }
        router.post("/notes") { request, _ in
            let body = try await request.body.collect(upTo: 1 << 20)
            do throws(Notebook.Refusal) {
                try await notebook.add(String(buffer: body))
            } catch {
                switch error {
                case .readOnly: throw HTTPError(.forbidden, message: "no notes are taken now")
                case .tooLarge(let limit): throw HTTPError(.contentTooLarge, message: "a note may have \(limit)")
                }
            }
            return HTTPResponse.Status.created
        }
        router.get("/settings") { _, _ in settings.describe().description }
        router.put("/settings/title") { request, _ in
            try authorize(request)
            let title = String(buffer: try await request.body.collect(upTo: 4096))
            try await change { try $0.set(title, for: \.title) }
            return HTTPResponse.Status.noContent
        }
        router.put("/settings/announcement") { request, context in
            try authorize(request)
            let announcement = try await request.decode(as: Announcement.self, context: context)
            try await change { try $0.set(announcement, for: \.announcement) }
            return HTTPResponse.Status.noContent
        }
        console.add(to: router)
        publisher?.add(to: router)
        return router
    }

    /// Changes settings, and returns when the change would survive a power failure.
    private func change(_ change: (inout Defaults.Group<NotesKeys>.Batch) throws -> Void) async throws {
        do {
            try await settings.commit(change)
        } catch let error as Defaults.WriteError {
            if case .store = error.cause { throw HTTPError(.serviceUnavailable, message: error.description) }
            throw HTTPError(.badRequest, message: error.description)
        }
    }

    private func authorize(_ request: Request) throws {
        let credentials = SettingsConsole.Credentials(of: request.head)
        guard let token = settings.server.token, credentials?.haveSecret(token) == true else {
            throw HTTPError(.unauthorized)
        }
    }
}

/// Logs the share of requests that the settings ask for.
struct SampledLogMiddleware: RouterMiddleware {
    let settings: Defaults.Group<NotesKeys>

    func handle(
        _ request: Request,
        context: NotesContext,
        next: (Request, NotesContext) async throws -> Response
    ) async throws -> Response {
        if Double.random(in: 0..<1) < settings.logged.fraction {
            context.logger.info("request", metadata: ["method": "\(request.method)", "path": "\(request.uri.path)"])
        }
        return try await next(request, context)
    }
}

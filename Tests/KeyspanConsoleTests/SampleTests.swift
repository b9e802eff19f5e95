import HTTPTypes
import KeyspanConsole
import KeyspanCore
import KeyspanTestSupport
import Testing

/// The samples of the documentation.
@Suite(.bounded)
struct SampleTests {
    private struct ServerKeys: KeyGroup {
        let title = Key<String>("title", default: "Notes").summary("The title of the page.")
        let notes = Key<Int>("limits.notes", default: 1000).validated(by: .range(1...1_000_000))
        let token = Key<String?>("token").secret()
    }

    @Test func `a server passes requests on`() async throws {
        let settings = Defaults.Group<ServerKeys>(InMemoryStore(["token": "change-me"]))

        var options = SettingsConsole.Options()
        options.title = "Settings of the notes"
        options.path = "/console"
        options.allowsEditing = true
        options.onAuditEvent = { event in print(event) }
        let console = SettingsConsole(settings, options: options) { request in
            guard let credentials = request.credentials, let token = settings.token, credentials.haveSecret(token)
            else {
                return .unauthorized(challenge: #"Basic realm="settings", charset="UTF-8""#)
            }
            return .editing(as: credentials.person)
        }

        func answer(_ request: HTTPRequest, from address: String, _ body: [UInt8]) async -> (HTTPResponse, [UInt8]) {
            let response = await console.respond(to: request, from: address) { _ in body }
            switch response.body {
            case .bytes(let bytes): return (response.head, bytes)
            case .events(let events):
                var sent: [UInt8] = []
                for await piece in events { sent += piece }
                return (response.head, sent)
            }
        }

        var request = HTTPRequest("GET", path: "/console/")
        #expect(await answer(request, from: "10.0.0.7", []).0.status == .unauthorized)
        request.headerFields[.authorization] = "Bearer change-me"
        let (head, body) = await answer(request, from: "10.0.0.7", [])
        #expect(head.status == .ok && String(decoding: body, as: UTF8.self).contains("limits.notes"))
    }
}

#if Console
public import HTTPTypes
@_spi(StoreAuthors) import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore

extension SettingsConsole {
    /// A response of a console.
    public struct Response: Sendable {
        /// The status and the header fields, without `Content-Length` and the transfer coding, which a server adds.
        public let head: HTTPResponse
        /// The content.
        public let body: Body

        /// The content of a response.
        public enum Body: Sendable {
            /// All of it.
            case bytes([UInt8])
            /// The events of a page, until the stream ends or its iteration is canceled.
            case events(EventStream)
        }
    }
}

extension SettingsConsole.Response {
    private static let security: [(name: String, value: String)] = [
        (
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; form-action 'self'; "
                + "base-uri 'none'; frame-ancestors 'none'"
        ),
        ("X-Content-Type-Options", "nosniff"),
        ("X-Frame-Options", "DENY"),
        ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
    ]

    private init(
        _ status: HTTPResponse.Status,
        type: String,
        caching: String = "no-store",
        headers: [(name: String, value: String)] = [],
        body: Body
    ) {
        var fields: HTTPFields = [.contentType: type + "; charset=utf-8", .cacheControl: caching]
        for (name, value) in Self.security + headers {
            if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, value: value)) }
        }
        head = HTTPResponse(status: status, headerFields: fields)
        self.body = body
    }

    /// The same response to `HEAD`.
    var withoutBody: Self { Self(head: head, body: .bytes([])) }

    /// A page, or a part of one.
    static func page(_ html: HTMLText) -> Self { Self(200, type: "text/html", body: .bytes(Array(html.text.utf8))) }

    /// A failure in a sentence for people, who may have it in place of a page.
    static func failure(
        _ status: HTTPResponse.Status,
        _ sentence: String,
        headers: [(name: String, value: String)] = []
    ) -> Self {
        Self(status, type: "text/plain", headers: headers, body: .bytes(Array((sentence + "\n").utf8)))
    }

    /// The answer to a person who sees nothing.
    static func refusal(_ refusal: SettingsConsole.Access.Refusal) -> Self {
        switch refusal {
        case .unauthorized(let challenge):
            .failure(401, "Sign in to see the settings.", headers: [("WWW-Authenticate", challenge)])
        case .forbidden: .failure(403, "You may not see the settings.")
        }
    }

    /// A redirection that keeps the method.
    static func redirection(to place: String) -> Self {
        Self(308, type: "text/plain", headers: [("Location", place)], body: .bytes([]))
    }

    /// A part of the console that never changes while the program runs.
    static func asset(_ text: String, type: String, for request: SettingsConsole.Request) -> Self {
        let tag = "\"\(ConsoleAssets.version)\""
        let headers = [(name: "ETag", value: tag)]
        let isKnown = request.header("If-None-Match").map { $0.contains(tag) } ?? false
        return Self(
            isKnown ? 304 : 200,
            type: type,
            caching: "private, max-age=0, must-revalidate",
            headers: headers,
            body: .bytes(isKnown ? [] : Array(text.utf8))
        )
    }

    /// The events of a page.
    static func events(_ stream: SettingsConsole.EventStream) -> Self {
        // nginx collects the parts of other responses.
        Self(200, type: "text/event-stream", headers: [("X-Accel-Buffering", "no")], body: .events(stream))
    }

    /// An answer for the page's script.
    static func json(_ status: HTTPResponse.Status, _ members: PropertyListDictionary) -> Self {
        Self(status, type: "application/json", body: .bytes(JSONText.encodeOnOneLine(.dictionary(members))))
    }
}
#endif

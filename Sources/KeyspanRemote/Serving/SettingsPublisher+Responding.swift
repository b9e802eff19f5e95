#if Remote || canImport(CryptoKit)
extension SettingsPublisher {
    /// Answers a request.
    ///
    /// | Request | Response |
    /// | --- | --- |
    /// | `GET` or `HEAD` of ``SettingsPublisherOptions/path`` | 200 with the signed document and its `ETag`, or 304 if the client has its values |
    /// | `GET` of the path with `/changes` | 200 with a stream of events |
    /// | another method | 405 with `Allow` |
    /// | a parameter that is wrong, has no value, or comes twice | 400 |
    /// | another path | 404 |
    /// | a stream more than ``SettingsPublisherOptions/maximumStreams``, values larger than ``SettingsPublisherOptions/maximumSize`` from the start, or after ``close()`` | 503 with `Retry-After` |
    ///
    /// The query describes the client: `platform`, `version`, `cohort`, `bucket`. Other parameters are ignored.
    /// Responses with the document may be kept by any cache, which asks again after
    /// ``SettingsPublisherOptions/maximumAge``.
    ///
    /// The response is 304 if the document of the entity tag has the present values and has at least half of its
    /// ``SettingsPublisherOptions/validity`` left, even if its revision is an older one or another server has signed it.
    ///
    /// A stream begins with the changes after the event that `Last-Event-ID` or the parameter `after` names, if the
    /// publisher still has them, and with the whole document if not. The caller writes each chunk of it as it comes,
    /// and must neither compress nor collect them.
    public func respond(to request: RemoteRequest) async -> RemoteResponse {
        guard let target = RequestTarget(request.target) else {
            return .failure(400, "The target of the request is not a path with a query, or has a parameter twice.")
        }
        let isDocument = target.path == core.options.path
        guard isDocument || target.path == core.options.path + "/changes" else {
            return .failure(404, "There are no settings at this path.")
        }
        let allowed = isDocument ? ["GET", "HEAD"] : ["GET"]
        guard allowed.contains(request.method) else {
            return .failure(405, "Settings can only be read.", [("Allow", allowed.joined(separator: ", "))])
        }
        switch target.client {
        case .success(let client):
            if isDocument { return document(for: client, request) }
            return stream(for: client, after: request.header("last-event-id") ?? target[RequestTarget.Parameter.after])
        case .failure(let invalid):
            let texts = "of at most \(RemoteClient.maximumLength) bytes without control characters"
            let bucket = "a number from 0 to \(RemoteClient.bucketCount - 1)"
            let wanted = invalid.name == RequestTarget.Parameter.bucket ? bucket : "a text " + texts
            return .failure(400, "The parameter \(invalid.name) is not \(wanted).")
        }
    }

    private func document(for client: RemoteClient, _ request: RemoteRequest) -> RemoteResponse {
        guard let contents = core.contents(for: client) else { return unavailable }
        let age = Int(core.options.maximumAge.seconds)
        // A cache that cannot reach the server may go on as long as clients surely take what it has.
        let grace = Int(core.options.validity.seconds / 4)
        let cacheControl = "public, max-age=\(age), stale-while-revalidate=\(age), stale-if-error=\(grace)"
        func headers(_ tag: String) -> [(name: String, value: String)] {
            [(name: "ETag", value: tag), (name: "Cache-Control", value: cacheControl)]
        }
        let tags = EntityTags(request.header("if-none-match") ?? "")
        // A cache finds the response that it has by the tag, so the answer has that one.
        if let tag = tags.tags.first(where: { core.isCurrent($0, for: contents) }) {
            return RemoteResponse(304, headers(tag))
        }
        let document = core.document(of: contents)
        if tags.isAny { return RemoteResponse(304, headers(document.entityTag)) }
        let body = request.method == "HEAD" ? [] : document.bytes
        return RemoteResponse(
            200,
            headers(document.entityTag) + [
                (name: "Content-Type", value: "text/plain; charset=utf-8"),
                (name: "X-Content-Type-Options", value: "nosniff"),
            ],
            body: .bytes(body)
        )
    }

    private func stream(for client: RemoteClient, after position: String?) -> RemoteResponse {
        guard let stream = core.openStream(for: client, after: position.flatMap { SettingsPosition($0) }) else {
            return unavailable
        }
        return RemoteResponse(
            200,
            [
                (name: "Content-Type", value: "text/event-stream"), (name: "Cache-Control", value: "no-store"),
                (name: "X-Accel-Buffering", value: "no"),
            ],
            body: .stream(stream)
        )
    }

    private var unavailable: RemoteResponse {
        .failure(
            503,
            "The server is shutting down, has too many clients, or has values that are too large.",
            [("Retry-After", "60")]
        )
    }
}

/// The entity tags of a conditional request (RFC 9110, section 13.1.2).
struct EntityTags {
    let isAny: Bool
    /// The tags without the mark of weak ones: a proxy that compresses a body makes its tag weak.
    private(set) var tags: [String] = []

    /// Reads the value of `If-None-Match`; other text than tags is left out.
    init(_ text: String) {
        isAny = text.utf8.split(separator: UInt8(ascii: " ")).joined().elementsEqual("*".utf8)
        var rest = text.utf8[...]
        while let byte = rest.first {
            if byte == UInt8(ascii: "\"") {
                guard let end = rest.dropFirst().firstIndex(of: UInt8(ascii: "\"")) else { return }
                tags.append(String(Substring(rest[...end])))
                rest = rest[rest.index(after: end)...]
            } else {
                rest = rest.dropFirst()
            }
        }
    }
}
#endif

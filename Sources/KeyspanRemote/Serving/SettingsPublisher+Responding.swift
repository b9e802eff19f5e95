#if Remote
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
public import HTTPTypes
@_spi(StoreAuthors) internal import KeyspanCore

extension SettingsPublisher {
    /// Answers a request, from memory and without waiting.
    ///
    /// | Request | Response |
    /// | --- | --- |
    /// | `GET` or `HEAD` of ``SettingsPublisherOptions/path`` with the group's name behind it | 200 with the signed document and its `ETag`, or 304 if the client has its values |
    /// | the same with the tag of the document behind it | 200 with the same bytes, which caches keep until the document expires |
    /// | `GET` of the group's path with `/changes` | 200 with a stream of events |
    /// | the path alone, with the traits of a client in the query | 307 to the client's group |
    /// | another path, a group that there is not, a tag that is no longer the present one | 404 |
    /// | another method | 405 with `Allow` |
    /// | a parameter that is wrong, has no value, or comes twice | 400 |
    /// | a stream more than ``SettingsPublisherOptions/maximumStreamsPerPeer`` of the peer | 429 with `Retry-After` |
    /// | a stream more than ``SettingsPublisherOptions/maximumStreams``, values larger than ``SettingsPublisherOptions/maximumSize`` from the start, or after ``close()`` | 503 with `Retry-After` |
    ///
    /// The query can have `platform`, `version`, `cohort` and `bucket`; other parameters are ignored.
    ///
    /// The response is 304 if the document of the entity tag has the present values, was signed for the present time and
    /// with the present key, even if its revision is another one. The caller writes each event of a stream as it comes,
    /// and must neither compress nor collect them.
    ///
    /// - Parameters:
    ///   - request: The method, the path with the query, and the header fields.
    ///   - peer: The address of the client, for ``SettingsPublisherOptions/maximumStreamsPerPeer``: behind a proxy, the one
    ///     that the proxy names in a header field. `nil` for no such limit.
    public func respond(to request: HTTPRequest, from peer: String? = nil) -> RemoteResponse {
        guard let target = RequestTarget(request.path ?? "", below: core.options.path), target.parts.count <= 2 else {
            return .failure(.notFound, "There are no settings at this path.")
        }
        let isStream = target.parts.count == 2 && target.parts[1].hasSameUTF8(as: "changes")
        guard request.method == .get || request.method == .head && !isStream else {
            return .failure(.methodNotAllowed, "Settings can only be read.", [.allow: isStream ? "GET" : "GET, HEAD"])
        }
        guard let group = target.parts.first else { return redirection(for: target) }
        guard let place = core.place(ofGroup: group) else {
            return .failure(.notFound, "There is no group of this name.")
        }
        if isStream { return stream(place, of: peer) }
        guard let present = core.present(place) else { return unavailable }
        let isWhole = request.method == .get
        if target.parts.count == 2 { return document(present, named: target.parts[1], isWhole: isWhole) }
        return document(present, unless: request.headerFields[.ifNoneMatch] ?? "", isWhole: isWhole)
    }

    private func redirection(for target: RequestTarget) -> RemoteResponse {
        do throws(RequestTarget.InvalidQuery) {
            guard let group = core.group(of: try target.traits()) else { return unavailable }
            // Relative, because a proxy can have another path in front.
            let folder = core.options.path.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) }
            return RemoteResponse(
                .temporaryRedirect,
                [.location: "\(folder ?? "")/\(group)", .cacheControl: "no-store"]
            )
        } catch {
            return .failure(.badRequest, error.sentence)
        }
    }

    private func document(
        _ present: PublisherCore.Present,
        unless conditions: String,
        isWhole: Bool
    ) -> RemoteResponse {
        let age = Int(core.options.maximumAge.seconds)
        // A cache that cannot reach the server may go on as long as clients surely take what it has.
        let grace = Int(core.options.validity.seconds / 4)
        let caching = "public, max-age=\(age), stale-while-revalidate=\(age), stale-if-error=\(grace)"
        let tag = core.tag(of: present)
        // A cache finds the response that it has by the tag, so the answer has that one.
        let isAny = conditions.utf8.elementsEqual("*".utf8)
        if let known = isAny ? tag : DocumentTag.all(in: conditions).first(where: tag.isEquivalent) {
            return RemoteResponse(.notModified, [.eTag: known.entityTag, .cacheControl: caching])
        }
        return response(with: core.document(of: present), caching: caching, isWhole: isWhole)
    }

    private func document(_ present: PublisherCore.Present, named name: String, isWhole: Bool) -> RemoteResponse {
        guard let wanted = DocumentTag(Substring(name)), wanted.isEquivalent(to: core.tag(of: present)) else {
            return .failure(.notFound, "This document was replaced.")
        }
        let document = core.document(of: present)
        let age = Int(max(document.expires.timeIntervalSince(core.signer.now()), 0))
        return response(with: document, caching: "public, max-age=\(age), immutable", isWhole: isWhole)
    }

    private func response(with document: PublishedDocument, caching: String, isWhole: Bool) -> RemoteResponse {
        var fields: HTTPFields = [
            .eTag: document.tag.entityTag, .cacheControl: caching, .contentType: "text/plain; charset=utf-8",
            .xContentTypeOptions: "nosniff",
        ]
        // A server would take the length of the empty body (RFC 9110, section 8.6).
        if !isWhole { fields[.contentLength] = "\(document.bytes.count)" }
        return RemoteResponse(.ok, fields, body: .bytes(isWhole ? document.bytes : []))
    }

    private func stream(_ place: Int, of peer: String?) -> RemoteResponse {
        switch core.openStream(place, of: peer) {
        case .success(let stream):
            var fields: HTTPFields = [.contentType: "text/event-stream", .cacheControl: "no-store"]
            // nginx would collect the events.
            if let name = HTTPField.Name("X-Accel-Buffering") { fields[name] = "no" }
            return RemoteResponse(.ok, fields, body: .stream(stream))
        case .failure(.tooManyOfPeer):
            return .failure(.tooManyRequests, "This address has too many streams.", [.retryAfter: "60"])
        case .failure:
            return unavailable
        }
    }

    private var unavailable: RemoteResponse {
        .failure(
            .serviceUnavailable,
            "The server is shutting down, has too many clients, or has values that are too large.",
            [.retryAfter: "60"]
        )
    }
}
#endif

#if Remote || canImport(CryptoKit)
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
@_spi(StoreAuthors) internal import KeyspanCore

/// The URLs of a publisher for one client.
struct RemoteEndpoint: Sendable {
    /// The name of the store: `remote` and the URL without user and query.
    let name: String
    /// The URL of the document.
    let document: URL
    /// The URL of the stream.
    let changes: URL

    /// The problem of a URL, as a clause, and the remedy.
    struct Flaw: Error {
        let reason: String
        let remedy: String
    }

    /// Makes the URLs.
    ///
    /// - Parameters:
    ///   - url: The URL of the document, without a query.
    ///   - client: The client, which the query describes.
    ///   - allowsPlaintext: Whether the URL of another machine may begin with `http:`.
    init(_ url: URL, client: RemoteClient, allowsPlaintext: Bool) throws(Flaw) {
        guard var components = URLComponents(url: url, resolvingAgainstBaseURL: true), let host = components.host,
            !host.isEmpty, let scheme = components.scheme?.lowercased(), scheme == "https" || scheme == "http",
            components.percentEncodedQuery == nil, components.fragment == nil, components.user == nil
        else {
            throw Flaw(
                reason: "the URL is not one of https with a host and without user, query and fragment",
                remedy: "give the URL of the publisher's document, such as https://settings.example.com/settings"
            )
        }
        let isLoopback = ["localhost", "127.0.0.1", "::1", "[::1]"].contains(host.lowercased())
        guard scheme == "https" || isLoopback || allowsPlaintext else {
            throw Flaw(
                reason: "the URL begins with http:, so that everyone on the way could read the values",
                remedy: "use https, or allow plaintext in the options"
            )
        }
        if let invalid = client.invalidText {
            throw Flaw(
                reason:
                    "the \(invalid) of the client has control characters or more than \(RemoteClient.maximumLength) bytes",
                remedy: "choose a shorter text"
            )
        }
        name = "remote \(components.string ?? "\(scheme)://\(host)")"
        components.percentEncodedQuery = client.query.isEmpty ? nil : client.query
        let document = components.url
        components.percentEncodedPath +=
            components.percentEncodedPath.utf8.last == UInt8(ascii: "/") ? "changes" : "/changes"
        guard let document, let changes = components.url else {
            throw Flaw(reason: "the URL cannot be read", remedy: "give the URL of the publisher's document")
        }
        (self.document, self.changes) = (document, changes)
    }

    /// The URL to which a response redirects, if it is on the same scheme and host.
    static func redirect(from url: URL, to location: String?) -> URL? {
        guard let location, let target = URL(string: location, relativeTo: url)?.absoluteURL,
            let (from, to) = origins(url, target), from == to
        else { return nil }
        return target
    }

    private static func origins(_ first: URL, _ second: URL) -> ([String], [String])? {
        guard let first = origin(first), let second = origin(second) else { return nil }
        return (first, second)
    }

    private static func origin(_ url: URL) -> [String]? {
        guard let scheme = url.scheme?.lowercased(), let host = url.host()?.lowercased() else { return nil }
        return [scheme, host, "\(url.port ?? (scheme == "https" ? 443 : 80))"]
    }
}
#endif

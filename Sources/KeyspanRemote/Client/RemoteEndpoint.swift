#if Remote
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import HTTPTypes
@_spi(StoreAuthors) internal import KeyspanCore

/// The URLs of a publisher for one client.
struct RemoteEndpoint: Sendable {
    /// The name of the store: `remote` and the URL without user and query.
    let name: String
    private let base: URLComponents
    private let group: RemoteStoreOptions.Group

    /// Makes the URLs.
    ///
    /// - Parameters:
    ///   - url: The URL of the publisher, without a query.
    ///   - group: The group of the client.
    ///   - allowsPlaintext: Whether the URL of another machine may begin with `http:`.
    init(_ url: URL, group: RemoteStoreOptions.Group, allowsPlaintext: Bool) throws(RemoteStoreError) {
        guard var components = URLComponents(url: url, resolvingAgainstBaseURL: true), let host = components.host,
            !host.isEmpty, let scheme = components.scheme?.lowercased(), scheme == "https" || scheme == "http",
            components.percentEncodedQuery == nil, components.fragment == nil, components.user == nil
        else {
            let reason = "the URL is not one of https with a host and without user, query and fragment"
            let remedy = "give the URL of the publisher, such as https://settings.example.com/settings"
            throw .invalidConfiguration(reason, remedy)
        }
        let isLoopback = ["localhost", "127.0.0.1", "::1", "[::1]"].contains(host.lowercased())
        guard scheme == "https" || isLoopback || allowsPlaintext else {
            let reason = "the URL begins with http:, so that everyone on the way could read the values"
            throw .invalidConfiguration(reason, "use https, or allow plaintext in the options")
        }
        switch group {
        case .named(let name):
            if KeyIdentifier.isGroup(name) { break }
            let reason = "\(name.quoted) cannot be the name of a group"
            throw .invalidConfiguration(reason, "choose one of the publisher's groups")
        case .assigned(to: let traits):
            guard let invalid = traits.invalidText else { break }
            let flaw = "has control characters or more than \(ClientTraits.maximumLength) bytes"
            throw .invalidConfiguration("the \(invalid) of the client \(flaw)", "choose a shorter text")
        }
        if components.percentEncodedPath.utf8.last == UInt8(ascii: "/") { components.percentEncodedPath.removeLast() }
        name = "remote \(components.string ?? "\(scheme)://\(host)")"
        (base, self.group) = (components, group)
    }

    /// The group that the program has named; `nil` if the server assigns one.
    var namedGroup: String? { if case .named(let name) = group { name } else { nil } }

    /// The URL at which the client asks for its document.
    var document: URL? {
        switch group {
        case .named(let name): return url(name)
        case .assigned(to: let traits):
            var components = base
            components.queryItems = traits.queryItems.isEmpty ? nil : traits.queryItems
            // Some servers read a plus sign as a space.
            components.percentEncodedQuery = components.percentEncodedQuery?.replacing("+", with: "%2B")
            return components.url
        }
    }

    /// The URL below that of the publisher.
    func url(_ parts: String...) -> URL? {
        var components = base
        components.percentEncodedPath += parts.map { "/" + $0 }.joined()
        return components.url
    }

    /// The URL to which a response redirects, if it is on the same scheme and host.
    static func redirect(from url: URL, to location: String?) -> URL? {
        guard let location, let target = URL(string: location, relativeTo: url)?.absoluteURL,
            let from = origin(url), let to = origin(target), from == to
        else { return nil }
        return target
    }

    private static func origin(_ url: URL) -> [String]? {
        guard let scheme = url.scheme?.lowercased(), let host = url.host()?.lowercased() else { return nil }
        return [scheme, host, "\(url.port ?? (scheme == "https" ? 443 : 80))"]
    }
}

extension HTTPRequest {
    /// A request for a URL.
    init?(for url: URL, _ fields: HTTPFields) {
        guard let components = URLComponents(url: url, resolvingAgainstBaseURL: true), let host = components.encodedHost
        else { return nil }
        let path = components.percentEncodedPath.isEmpty ? "/" : components.percentEncodedPath
        self.init(
            method: .get,
            scheme: components.scheme,
            authority: host + (components.port.map { ":\($0)" } ?? ""),
            path: path + (components.percentEncodedQuery.map { "?\($0)" } ?? ""),
            headerFields: fields
        )
    }
}
#endif

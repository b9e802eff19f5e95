#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The forms of URLs inside JSON text: a string, or for a URL with a base an object, as its `Codable` form is.
enum URLForm {
    /// A URL with a base, which `JSONEncoder` would make absolute.
    private struct Relative: Codable {
        var base: String
        var relative: String
    }

    /// The JSON text of a URL.
    static func text(of url: URL) throws(ValueEncodingError) -> String {
        guard let base = url.baseURL else { return try JSONCoding.encode(url) }
        return try JSONCoding.encode(Relative(base: base.absoluteString, relative: url.relativeString))
    }

    /// The URL of JSON text in a string or in data.
    static func url(of stored: PropertyListValue) throws(ValueDecodingError) -> URL {
        do throws(ValueDecodingError) {
            return try JSONCoding.decode(URL.self, from: stored)
        } catch {
            // Of the two errors the one about the usual form is thrown.
            guard let parts = try? JSONCoding.decode(Relative.self, from: stored),
                let url = url(parts.relative, relativeTo: parts.base)
            else { throw error }
            return url
        }
    }

    /// The URL of two texts.
    static func url(_ relative: String, relativeTo base: String) -> URL? {
        guard let base = URL(string: base) else { return nil }
        return URL(string: relative, relativeTo: base)
    }
}

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Defaults {
    /// Stores a URL as JSON text: its text between quotation marks.
    ///
    /// The Defaults library writes this form. A URL relative to a base keeps the base: it is stored as an object with the
    /// members `base` and `relative`, which that library cannot read. Convert such a URL with `absoluteURL` before writing it
    /// for programs that use that library.
    ///
    /// Reading also accepts JSON text in data, the URL without quotation marks, as people write it, and a path that begins
    /// with `/` or `~/`, as `UserDefaults` stores the URL of a file. `UserDefaults` archives other URLs; archives are rejected.
    /// Where the store has only text, any path is read, by the rules of <doc:CoercingValues>.
    ///
    /// A space in the text of a URL is an error, because `URL` would encode it: it may be a second URL, or a missing quotation mark. A
    /// path may have spaces.
    public struct URLBridge: CodableBridge, Sendable {
        package init() {}

        @_spi(StoreAuthors) public func serialize(_ value: URL?) -> String? {
            guard let value else { return nil }
            do {
                return try URLForm.text(of: value)
            } catch {
                // `encode(_:)` gives the reason.
                return nil
            }
        }

        @_spi(StoreAuthors) public func deserialize(_ object: String?) -> URL? {
            guard let object else { return nil }
            do {
                return try URLForm.url(of: .string(object))
            } catch {
                // `decode(_:in:)` gives the reason.
                return nil
            }
        }

        @_spi(StoreAuthors) public func encode(_ value: URL) throws(ValueEncodingError) -> PropertyListValue {
            .string(try URLForm.text(of: value))
        }

        @_spi(StoreAuthors) public func decode(
            _ stored: PropertyListValue,
            in context: inout DecodingContext
        ) throws(ValueDecodingError) -> URL {
            if context.readsText || Self.isPath(stored), let url = CoercionTable.url(stored) { return url }
            guard case .string(let text) = stored, !URLText.isJSON(text) else { return try URLForm.url(of: stored) }
            if let flaw = URLText.flaw(of: text) { throw .unreadable(stored, reason: flaw) }
            guard let url = URL(string: text) else { throw .unreadable(stored, reason: URLText.notURL) }
            return url
        }

        private static func isPath(_ stored: PropertyListValue) -> Bool {
            guard case .string(let text) = stored else { return false }
            // Two slashes begin a URL without a scheme.
            return text.hasUTF8Prefix("~/") || text.hasUTF8Prefix("/") && !text.hasUTF8Prefix("//")
        }
    }
}

extension Defaults.URLBridge: ReadableFormBridge {
    /// The plain text, unless readers would make a path or a URL with a base of it.
    func readableCoding(levels: Int) -> ReadableCoding<URL>? {
        ReadableCoding { (url) throws(ValueEncodingError) in
            try encodeReadably(url)
        } isUsed: { stored in
            guard case .string(let text)? = stored, URLText.isJSON(text), let url = deserialize(text) else {
                return true
            }
            // Where the plain text could be mistaken, JSON text is the form of both.
            return (try? encodeReadably(url)) == stored
        }
    }

    private func encodeReadably(_ url: URL) throws(ValueEncodingError) -> PropertyListValue {
        let plain = PropertyListValue.string(url.absoluteString)
        var context = Defaults.DecodingContext(isStrict: true)
        guard let read = try? decode(plain, in: &context), read == url else { return try encode(url) }
        return plain
    }
}

extension URL: Defaults.Serializable {
    public static var bridge: Defaults.URLBridge { Defaults.URLBridge() }
}

extension URL: Defaults.Coercible {
    @_spi(StoreAuthors) public static func coerced(from stored: PropertyListValue) -> URL? { CoercionTable.url(stored) }

    @_spi(StoreAuthors) public static var coercionRule: String {
        "a path or a URL such as https://example.com is needed"
    }
}

/// The form inside structured values: the text without quotation marks, or a dictionary for a URL with a base, like the
/// `Codable` form.
extension URL: StructuredLeaf {
    func structuredForm() -> PropertyListValue {
        guard let baseURL else { return .string(absoluteString) }
        return ["base": .string(baseURL.absoluteString), "relative": .string(relativeString)]
    }

    init(structuredForm stored: PropertyListValue) throws(ValueDecodingError) {
        if case .string(let text) = stored, let flaw = URLText.flaw(of: text) {
            throw .unreadable(stored, reason: flaw)
        }
        guard let url = try Self.url(of: stored) else { throw .unreadable(stored, reason: URLText.notURL) }
        self = url
    }

    private static func url(of stored: PropertyListValue) throws(ValueDecodingError) -> URL? {
        guard case .dictionary(let parts) = stored else { return URL(string: try String(propertyListValue: stored)) }
        guard case .string(let base)? = parts["base"], case .string(let relative)? = parts["relative"] else {
            return nil
        }
        return URLForm.url(relative, relativeTo: base)
    }
}

/// The form of URLs inside JSON text: a string, or an object for a URL with a base, like the `Codable` form.
private enum URLForm {
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
            // If both forms fail, the error about the usual one is thrown.
            guard let parts = try? JSONCoding.decode(Relative.self, from: stored),
                let url = url(parts.relative, relativeTo: parts.base)
            else { throw error }
            return url
        }
    }

    /// The URL of a text relative to a base.
    static func url(_ relative: String, relativeTo base: String) -> URL? {
        guard let base = URL(string: base) else { return nil }
        return URL(string: relative, relativeTo: base)
    }
}

/// Distinguishes the texts of URLs from paths of files.
enum URLText {
    /// The URL of a text, by the rules of <doc:CoercingValues>.
    static func url(of text: String) -> URL? {
        // Linux reads an empty text as the working folder, which an empty setting cannot mean.
        guard !text.isEmpty else { return nil }
        if isJSON(text) { return storedURL(text) }
        // The platforms read only paths here: to them, `http://a.b` is a file in a folder `http:`. A coercing key must read
        // its own writes, so a scheme takes precedence.
        if hasScheme(text) { return flaw(of: text) == nil ? URL(string: text) : nil }
        return URL(filePath: text, directoryHint: .inferFromPath)
    }

    /// Whether a text has the form that ``Defaults/URLBridge`` writes; URLs do not begin with a quotation mark or a brace.
    static func isJSON(_ text: String) -> Bool {
        text.hasUTF8Prefix("\"") || text.hasUTF8Prefix("{\"")
    }

    /// The reason why a text that `URL` would accept is not the text of a URL; `nil` if there is none.
    ///
    /// `URL` encodes a space itself, which hides a missing quotation mark or a second URL. Texts that this package wrote have no spaces.
    static func flaw(of text: String) -> String? {
        let hasSpace = text.unicodeScalars.contains {
            $0.properties.isWhitespace || $0.properties.generalCategory == .control
        }
        return hasSpace ? "a URL has no spaces; write %20 for a space in it" : nil
    }

    static let notURL = "it is not a URL; write it as https://example.com/path"

    private static func storedURL(_ text: String) -> URL? {
        do {
            return try URLForm.url(of: .string(text))
        } catch {
            return nil  // Only the presence of a URL matters here.
        }
    }

    /// Whether a text begins with a scheme and `//`.
    ///
    /// - SeeAlso: RFC 3986, section 3.1: a letter, then letters, digits, `+`, `-` and `.`.
    private static func hasScheme(_ text: String) -> Bool {
        guard let end = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return false }
        let scheme = text[..<end]
        guard let first = scheme.first, first.isASCII, first.isLetter else { return false }
        return scheme.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
            && text[end...].utf8.starts(with: "://".utf8)
    }
}

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Tells the texts of URLs from paths of files.
enum URLText {
    /// The URL that a text stands for, as ``CoercionTable/url(_:)`` says.
    static func url(of text: String) -> URL? {
        // Linux makes the working folder of it, which no one who left a setting empty can have meant.
        guard !text.isEmpty else { return nil }
        if isJSON(text) { return storedURL(text) }
        // The platforms know only paths here: for them `http://a.b` is a file in a folder `http:`. What a coercing key
        // writes has to be read back, so a scheme comes first.
        if hasScheme(text) { return URL(string: text) }
        return URL(filePath: text, directoryHint: .inferFromPath)
    }

    /// Whether a text is one that ``Defaults/URLBridge`` stores; no URL begins with a quotation mark or a brace.
    static func isJSON(_ text: String) -> Bool {
        text.hasUTF8Prefix("\"") || text.hasUTF8Prefix("{\"")
    }

    private static func storedURL(_ text: String) -> URL? {
        do {
            return try URLForm.url(of: .string(text))
        } catch {
            return nil  // The caller asks whether there is a URL; that is the answer.
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

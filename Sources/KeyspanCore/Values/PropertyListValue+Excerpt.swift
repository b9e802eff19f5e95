#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension PropertyListValue {
    /// The value in the words of an error: shortened, with its kind, which may be the reason of the error.
    ///
    /// It takes bounded time and space: collections are counted, not listed.
    ///
    /// - Parameter isText: Whether the value is text that a person typed where nothing but text can be: then its kind is not shown.
    /// - Returns: Words such as `the string "abc"`, `"abc"` or `an array of 3 elements`.
    func excerpt(isText: Bool = false) -> String {
        switch self {
        case .string("") where isText: "an empty text"
        case .string(""): "an empty string"
        case .string(let text): (isText ? "" : "the string ") + Self.excerpt(of: text).quoted
        case .boolean, .integer, .real: isText ? description : "\(kind.name) \(description)"
        case .date, .data: "\(kind.name) \(description)"
        case .array(let elements): "an array of \(Self.count(elements.count, "element"))"
        case .dictionary(let members): "a dictionary of \(Self.count(members.count, "member"))"
        }
    }

    /// The most characters of a text in an error.
    static let mostScalarsOfExcerpt = 60

    /// The beginning of a text, without the name and the password of a user in a URL.
    private static func excerpt(of text: String) -> String {
        let scalars = text.unicodeScalars
        let beginning = scalars.prefix(mostScalarsOfExcerpt)
        let (shown, rest) = (String(beginning), Substring(scalars[beginning.endIndex...]))
        return (hidingUserInformation(in: shown, before: rest) ?? shown) + (rest.isEmpty ? "" : "…")
    }

    /// Whether a text may have the name and the password of a user, as a URL has them.
    static func mayHaveUserInformation(_ text: String) -> Bool {
        hidingUserInformation(in: text, before: "") != nil
    }

    /// The most bytes behind an excerpt in which an `@` is searched.
    private static let mostBytesSearched = 4096

    /// The text with `…` in place of what may be user information; `nil` for a text without any.
    ///
    /// By RFC 3986, section 3.2.1, it lies between `//` and the last `@` of the authority. But a slash in a password ends the authority
    /// too early, which may be the reason of the error, so all before the last `@` is hidden. A host may have it without `//` as well.
    private static func hidingUserInformation(in text: String, before rest: Substring) -> String? {
        let (bytes, at) = (Array(text.utf8), UInt8(ascii: "@"))
        let mark = Array("://".utf8)
        let markStart = bytes.indices.first { bytes[$0...].starts(with: mark) }
        let start = markStart.map { $0 + mark.count } ?? 0
        let authority = bytes[start...].prefix { !"/?#".utf8.contains($0) }
        var end = bytes[start...].lastIndex(of: at)
        if rest.utf8.prefix(mostBytesSearched).contains(at)
            || markStart != nil && !rest.isEmpty && authority.endIndex == bytes.endIndex
        {
            end = bytes.endIndex
        }
        guard let end, markStart != nil || isNameAndPassword(bytes[..<end]) else { return nil }
        let shown = String(decoding: bytes[..<start], as: UTF8.self)
        return end == bytes.endIndex ? shown : shown + "…" + String(decoding: bytes[end...], as: UTF8.self)
    }

    /// Whether the bytes before an `@` look like `name:password`, and not like prose or JSON.
    private static func isNameAndPassword(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.contains(UInt8(ascii: ":")) && !bytes.contains { " \t\r\n\"'{[".utf8.contains($0) }
    }

    private static func count(_ count: Int, _ noun: String) -> String {
        "\(count) \(noun)\(count == 1 ? "" : "s")"
    }
}

extension PropertyListKind {
    /// The kind before a value.
    fileprivate var name: String {
        switch self {
        case .real: "the number"
        default: "the \(rawValue)"
        }
    }
}

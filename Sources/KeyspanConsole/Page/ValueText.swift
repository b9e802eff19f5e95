#if Console
@_spi(StoreAuthors) import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore

/// A value in the form in which a page shows it.
struct ValueText {
    /// The number of characters of a value that a row shows.
    private static let excerptLength = 400

    /// The text.
    let text: String

    /// Makes the text of a value: that of a string as it is, and JSON for others.
    init(_ value: PropertyListValue) {
        text =
            switch value {
            case .string(let text): text
            case .boolean, .integer, .real: value.description
            case .date, .data, .array, .dictionary: String(decoding: JSONText.encodeOnOneLine(value), as: UTF8.self)
            }
    }

    /// The beginning of a value's text, followed by `…` if it is not all of it; made in a time that the rest does not influence.
    static func beginning(of value: PropertyListValue) -> String {
        switch value {
        case .array, .dictionary:
            // A character takes four bytes at most.
            let bytes = JSONText.beginningOnOneLine(of: value, upTo: 4 * excerptLength)
            let (text, isCut) = excerpt(of: String(decoding: bytes, as: UTF8.self))
            return text + (isCut || bytes.count > 4 * excerptLength ? "…" : "")
        case .boolean, .integer, .real, .string, .date, .data:
            let (text, isCut) = excerpt(of: ValueText(value).text)
            return text + (isCut ? "…" : "")
        }
    }

    /// The text, or its beginning if it is long.
    var excerpt: (text: String, isCut: Bool) { Self.excerpt(of: text) }

    private static func excerpt(of text: String) -> (text: String, isCut: Bool) {
        let scalars = text.unicodeScalars
        let end = scalars.index(scalars.startIndex, offsetBy: excerptLength, limitedBy: scalars.endIndex)
        guard let end, end != scalars.endIndex else { return (text, false) }
        // A copy, which does not keep the whole text.
        return (String(String.UnicodeScalarView(scalars[..<end])), true)
    }

    /// The text as a cell or a sentence shows it, without a link to its rest.
    var html: HTMLText {
        let (text, isCut) = excerpt
        return Self.html(of: text + (isCut ? "…" : ""))
    }

    /// A text as a cell or a sentence shows it.
    static func html(of text: String) -> HTMLText {
        text.isEmpty ? #"<span class="none">empty text</span>"# : #"<bdi class="value">\#(text)</bdi>"#
    }
}
#endif

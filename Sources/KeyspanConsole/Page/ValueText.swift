@_spi(StoreAuthors) import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore

/// A value in the form in which a page shows it.
struct ValueText {
    /// The number of characters of a value that a row shows.
    static let excerptLength = 400

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

    /// The text, or its beginning if it is long.
    var excerpt: (text: String, isCut: Bool) {
        let scalars = text.unicodeScalars
        let end = scalars.index(scalars.startIndex, offsetBy: Self.excerptLength, limitedBy: scalars.endIndex)
        guard let end, end != scalars.endIndex else { return (text, false) }
        return (String(scalars[..<end]), true)
    }

    /// The text as a cell or a sentence shows it, without a link to its rest.
    var html: HTMLText {
        let (text, isCut) = excerpt
        if text.isEmpty { return #"<span class="none">empty text</span>"# }
        return #"<bdi class="value">\#(text)\#(isCut ? "…" : "")</bdi>"#
    }
}

import KeyspanCore

/// The spaces and line ends with which a JSON text is written.
struct JSONLayout {
    /// The end of a line; `nil` to write everything on one line.
    var lineEnd: [UInt8]?
    /// The indentation of one level.
    var indentation: [UInt8]
    /// The colon with the space around it.
    var colon: [UInt8]
    /// The text between two members of the top-level object.
    var separator: [UInt8]

    /// The layout of texts that are written as a whole: two spaces for each level.
    static let standard = JSONLayout(
        lineEnd: [ASCII.lineFeed],
        indentation: [ASCII.space, ASCII.space],
        colon: [ASCII.colon, ASCII.space],
        separator: [ASCII.comma, ASCII.lineFeed, ASCII.space, ASCII.space]
    )

    /// The same layout without line ends, for a value that stands on one line.
    var onOneLine: JSONLayout {
        var layout = self
        layout.lineEnd = nil
        return layout
    }

    /// The text between two items of a collection that stands on one line.
    var separatorOnOneLine: [UInt8] {
        colon.last == ASCII.space ? [ASCII.comma, ASCII.space] : [ASCII.comma]
    }
}

extension JSONLayout {
    /// The longest indentation and separator that new members take over, so that the size of a file with them can be foreseen.
    private static let longest = 8

    /// The layout of a text, as far as its first two members show it.
    init(of document: JSONDocument) {
        self = .standard
        let bytes = document.bytes
        guard let first = document.index.entries.first else { return }
        let colon = bytes[(Int(first.nameEnd) + 1)..<Int(first.valueStart)]
        if colon.count <= 3, !colon.contains(ASCII.lineFeed) { self.colon = Array(colon) }

        // There is nothing but space between the brace and the first name.
        let space = bytes[..<first.start].drop { $0 != ASCII.openBrace }.dropFirst()
        if let line = space.lastIndex(of: ASCII.lineFeed) {
            let hasReturn = line > space.startIndex && space[line - 1] == ASCII.carriageReturn
            guard space.endIndex - line - 1 <= Self.longest else { return }
            let lineEnd = hasReturn ? [ASCII.carriageReturn, ASCII.lineFeed] : [ASCII.lineFeed]
            indentation = Array(space[(line + 1)...])
            self.lineEnd = lineEnd
            separator = [ASCII.comma] + lineEnd + indentation
        } else {
            lineEnd = nil
            separator = separatorOnOneLine
            guard document.index.entries.count > 1 else { return }
            let text = bytes[first.end..<document.index.entries[1].start]
            if text.count <= Self.longest { separator = Array(text) }
        }
    }
}

import KeyspanCore

/// The spaces and line ends with which a part of a JSON text is written.
struct JSONLayout {
    /// The end of a line; `nil` to write everything on one line.
    var lineEnd: [UInt8]?
    /// The indentation of one level.
    var indentation: [UInt8]
    /// The indentation of the line in which the part begins.
    var margin: [UInt8] = []
    /// The indentation of the line in which the object around the part ends.
    var closingMargin: [UInt8] = []
    /// The colon with the space around it.
    var colon: [UInt8]
    /// The text between two members of the object around the part.
    var separator: [UInt8]

    /// The layout of texts that are written as a whole: two spaces for each level.
    static let standard = JSONLayout(
        lineEnd: [ASCII.lineFeed],
        indentation: [ASCII.space, ASCII.space],
        colon: [ASCII.colon, ASCII.space],
        separator: [ASCII.comma, ASCII.lineFeed]
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

    /// The layout of the members of an object that begins in a line of this layout.
    var ofMembers: JSONLayout {
        var layout = self
        layout.closingMargin = margin
        layout.margin += indentation
        layout.separator = lineEnd.map { [ASCII.comma] + $0 + layout.margin } ?? separatorOnOneLine
        return layout
    }
}

extension JSONLayout {
    /// The longest indentation of a level and separator that new members take over, so that the size of a file with them can be
    /// foreseen.
    private static let longest = 8

    /// The layout of new items of an object or array, as far as its first two items, or those of the collections around it, show it.
    ///
    /// - Parameters:
    ///   - members: The items.
    ///   - outer: The layout of the object as a member; `nil` for the whole text's object.
    ///   - document: The text.
    init(of members: JSONMembers, within outer: JSONLayout?, in document: JSONDocument) {
        self = outer ?? .standard
        let bytes = document.bytes
        if outer == nil, let end = bytes.firstIndex(of: ASCII.lineFeed), end > 0, bytes[end - 1] == ASCII.carriageReturn
        {
            lineEnd = [ASCII.carriageReturn, ASCII.lineFeed]
        }
        self = ofMembers
        guard let first = members.first else { return }
        if outer == nil {
            let colon = bytes[(first.nameEnd + 1)..<first.valueStart]
            if colon.count <= 3, !colon.contains(where: { $0 == ASCII.lineFeed || $0 == ASCII.slash }) {
                self.colon = Array(colon)
            }
        }
        let space = bytes[(document.index.object.open + 1)..<first.start]
        if let line = space.lastIndex(of: ASCII.lineFeed) {
            let margin = space[(line + 1)...]
            guard margin.allSatisfy({ $0 == ASCII.space || $0 == ASCII.tab }),
                margin.count <= (outer.map { max($0.margin.count, Self.longest) } ?? 0) + Self.longest
            else { return }
            let hasReturn = line > space.startIndex && space[line - 1] == ASCII.carriageReturn
            let lineEnd = hasReturn ? [ASCII.carriageReturn, ASCII.lineFeed] : [ASCII.lineFeed]
            if outer == nil { indentation = Array(margin) }
            self.margin = Array(margin)
            self.lineEnd = lineEnd
            separator = [ASCII.comma] + lineEnd + margin
        } else {
            lineEnd = nil
            separator = separatorOnOneLine
            guard members.count > 1 else { return }
            let text = bytes[first.end..<members[1].start]
            if text.count <= Self.longest, !text.contains(ASCII.slash) { separator = Array(text) }
        }
    }
}

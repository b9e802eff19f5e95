/// Changes of objects and arrays among whose items are comments.
extension TextSplices {
    /// Changes a part of an object or array, so that each comment stays with its item.
    ///
    /// A new item goes behind the comments of the item before it and before those of the item behind it. A removed item takes the comments
    /// on its own lines along, with lines that get empty by that; those on lines of their own are left to a person.
    mutating func edit(
        _ stretch: JSONStretch,
        of bytes: [UInt8],
        adding new: [JSONNewMember],
        _ layout: JSONLayout
    ) {
        let gaps = stretch.gaps.enumerated().map { number, range in
            JSONGap(
                bytes,
                range,
                isFirst: number == 0 && stretch.before == nil,
                isLast: number == stretch.removed.count && stretch.after == nil
            )
        }
        var commas = gaps.flatMap(\.commas)
        let isFollowed = stretch.after != nil || commas.count > max(0, stretch.count - 1)
        // A removed item with the comments on its lines.
        var deleted = stretch.removed.indices.map {
            gaps[$0].endOfSpace..<max(stretch.removed[$0].end, gaps[$0 + 1].endOfOwn)
        }
        if let before = stretch.before {
            let usesComma = insert(new, behind: before.end, gaps[0], layout, isFollowed)
            if usesComma, !commas.isEmpty { commas.removeFirst() }
        } else if let block = gaps[0].block, !new.isEmpty {
            // The comments above the first item stay above it.
            replace(block..<block) { text in
                text.write(new, layout)
                if isFollowed { text.bytes.append(ASCII.comma) }
                text.bytes += layout.lineEnd ?? [ASCII.lineFeed]
                text.bytes += bytes[..<block].reversed().prefix { $0 == ASCII.space || $0 == ASCII.tab }.reversed()
            }
        } else if let first = deleted.first, !new.isEmpty {
            deleted.removeFirst()
            commas.removeAll(where: first.contains)
            replace(first) { text in
                text.write(new, layout)
                if isFollowed { text.bytes.append(ASCII.comma) }
            }
        } else if stretch.after != nil, !new.isEmpty {
            replace(gaps[0].endOfSpace..<gaps[0].endOfSpace) { text in
                for member in new {
                    text.write(member, layout)
                    text.bytes += layout.separator
                }
            }
        } else if !new.isEmpty {
            fill(stretch, of: bytes, with: new, layout)
        }
        // The line of a removed item below comments stays, empty, so that these are not above the next item.
        let blankLines =
            stretch.after == nil
            ? [] : stretch.removed.indices.filter { gaps[$0].block != nil && !gaps[$0 + 1].hasBlankLine }
        let parts = deleted + commas.map { $0..<($0 + 1) }
        for range in bytes.deletions(
            of: parts,
            keepingLinesOf: blankLines.map { stretch.removed[$0].start },
            in: stretch.range
        ) {
            replace(range) { _ in }
        }
    }

    /// Adds items behind one that stays.
    ///
    /// - Parameters:
    ///   - new: The items.
    ///   - end: The end of the item that stays.
    ///   - gap: What follows it.
    ///   - isFollowed: Whether a comma follows the last item.
    /// - Returns: Whether the comma in the gap is still needed.
    private mutating func insert(
        _ new: [JSONNewMember],
        behind end: Int,
        _ gap: JSONGap,
        _ layout: JSONLayout,
        _ isFollowed: Bool
    ) -> Bool {
        if new.isEmpty { return isFollowed }
        let comma = gap.commas.first
        let own = max(end, gap.endOfOwn)
        if let endOfLine = gap.endOfLine, comma ?? 0 < endOfLine,
            layout.lineEnd != nil || own > comma.map({ $0 + 1 }) ?? end
        {
            if comma == nil, end < endOfLine { replace(end..<end) { $0.bytes.append(ASCII.comma) } }
            replace(endOfLine..<endOfLine) { text in
                if comma == nil, end == endOfLine { text.bytes.append(ASCII.comma) }
                text.bytes += (layout.lineEnd ?? [ASCII.lineFeed]) + layout.margin
                text.write(new, layout)
                if isFollowed { text.bytes.append(ASCII.comma) }
            }
        } else if let comma {
            let place = gap.isLast ? max(comma + 1, own) : comma + 1
            replace(place..<place) { text in
                text.bytes += layout.separator.drop { $0 != ASCII.comma }.dropFirst()
                text.write(new, layout)
                if isFollowed { text.bytes.append(ASCII.comma) }
            }
        } else {
            replace(own..<own) { text in
                for member in new { text.write(member, behind: layout.separator, layout) }
            }
        }
        return true
    }

    /// Adds items to an object or array that has comments and no item.
    private mutating func fill(
        _ stretch: JSONStretch,
        of bytes: [UInt8],
        with new: [JSONNewMember],
        _ layout: JSONLayout
    ) {
        let range = stretch.range
        let end = (bytes[range].lastIndex { !$0.isJSONSpace } ?? range.lowerBound - 1) + 1
        let hasLineEnd = bytes[end..<range.upperBound].contains(ASCII.lineFeed)
        replace(end..<end) { text in
            // A comment may end with its line only.
            text.bytes += (layout.lineEnd ?? [ASCII.lineFeed]) + layout.margin
            text.write(new, layout)
            if !hasLineEnd, let lineEnd = layout.lineEnd { text.bytes += lineEnd + layout.closingMargin }
        }
    }
}

extension JSONStretch {
    /// The number of members in it and around it.
    fileprivate var count: Int { (before == nil ? 0 : 1) + removed.count + (after == nil ? 0 : 1) }
}

/// The spaces, commas and comments between two items, and to which of the two each comment belongs.
///
/// A comment belongs to the item on whose line it is; between two items on one line, to the one on its side of the comma.
private struct JSONGap {
    /// Whether no item is behind it.
    let isLast: Bool
    /// The commas outside of comments.
    private(set) var commas: [Int] = []
    /// The end of the last comment of the item before; 0 if it has none.
    private(set) var endOfOwn = 0
    /// Where the line of the item before, with its comments, ends; `nil` if the item behind is on it.
    private(set) var endOfLine: Int?
    /// Where the item behind begins, with its comments on its line.
    private(set) var endOfSpace: Int
    /// Where the comments on lines of their own begin that are right above the item behind; `nil` if there are none.
    private(set) var block: Int?
    /// Whether there is a line without a comment.
    private(set) var hasBlankLine = false

    private enum Part {
        case comma(Int)
        case comment(Range<Int>)
        /// A line feed, or the carriage return before it.
        case lineEnd(Int)
    }

    /// Looks at a gap.
    ///
    /// - Parameters:
    ///   - bytes: The text.
    ///   - range: The gap.
    ///   - isFirst: Whether no item is before it.
    ///   - isLast: Whether no item is behind it.
    init(_ bytes: [UInt8], _ range: Range<Int>, isFirst: Bool, isLast: Bool) {
        self.isLast = isLast
        endOfSpace = range.upperBound
        let parts = Self.parts(of: bytes, in: range)
        for case .comma(let comma) in parts { commas.append(comma) }
        let lineEnds = parts.indices.filter { if case .lineEnd = parts[$0] { true } else { false } }
        if let first = lineEnds.first, case .lineEnd(let end) = parts[first] { endOfLine = isFirst ? nil : end }
        if !isFirst {
            for part in parts[..<(lineEnds.first ?? parts.endIndex)] {
                if case .comma = part, lineEnds.isEmpty, !isLast { break }
                if case .comment(let comment) = part { endOfOwn = comment.upperBound }
            }
        }
        hasBlankLine = zip(lineEnds, lineEnds.dropFirst()).contains { $0 + 1 == $1 }
        if isLast { return }
        var ofNext = parts[(lineEnds.last.map { $0 + 1 } ?? 0)...]
        if let comma = ofNext.lastIndex(where: { if case .comma = $0 { true } else { false } }) {
            ofNext = ofNext[(comma + 1)...]
        } else if lineEnds.isEmpty, !isFirst {
            return
        }
        if case .comment(let comment)? = ofNext.first { endOfSpace = comment.lowerBound }
        // A comment is on a line of its own if a line ends before and behind it.
        for (end, next) in zip(lineEnds, lineEnds.dropFirst()).reversed() {
            guard parts[(end + 1)..<next].allSatisfy({ if case .comment = $0 { true } else { false } }),
                case .comment(let comment)? = parts[(end + 1)..<next].first
            else { break }
            block = comment.lowerBound
        }
    }

    private static func parts(of bytes: [UInt8], in range: Range<Int>) -> [Part] {
        var (parts, offset) = ([Part](), range.lowerBound)
        while offset < range.upperBound {
            let start = offset
            offset += 1
            switch bytes[start] {
            case ASCII.comma: parts.append(.comma(start))
            case ASCII.lineFeed:
                let hasReturn = start > range.lowerBound && bytes[start - 1] == ASCII.carriageReturn
                parts.append(.lineEnd(hasReturn ? start - 1 : start))
            case ASCII.slash:
                let isOfLine = bytes[offset] == ASCII.slash
                if isOfLine {
                    while offset < range.upperBound, bytes[offset] != ASCII.lineFeed { offset += 1 }
                    if bytes[offset - 1] == ASCII.carriageReturn { offset -= 1 }
                } else {
                    offset += 3
                    while bytes[offset - 2] != ASCII.asterisk || bytes[offset - 1] != ASCII.slash { offset += 1 }
                }
                parts.append(.comment(start..<offset))
            default: break
            }
        }
        return parts
    }
}

extension [UInt8] {
    /// The parts of a range that vanish with parts of it: these, the space before them, and lines in which nothing else is.
    ///
    /// - Parameters:
    ///   - parts: The parts.
    ///   - kept: Offsets of parts whose lines stay, empty, in their order.
    ///   - range: The range.
    fileprivate func deletions(
        of parts: [Range<Int>],
        keepingLinesOf kept: [Int],
        in range: Range<Int>
    ) -> [Range<Int>] {
        if parts.isEmpty { return [] }
        var kept = kept.lazy.map { $0 - range.lowerBound }[...]
        var isDeleted = Array<Bool>(repeating: false, count: range.count)
        for part in parts {
            var start = part.lowerBound
            while start > range.lowerBound, self[start - 1] == ASCII.space || self[start - 1] == ASCII.tab {
                start -= 1
            }
            // What stays of a line keeps its indentation.
            if start > range.lowerBound, self[start - 1] == ASCII.lineFeed { start = part.lowerBound }
            for offset in start..<part.upperBound { isDeleted[offset - range.lowerBound] = true }
        }
        // The space behind a bracket stays as it was.
        if isDeleted[0], "[{".utf8.contains(self[range.lowerBound - 1]), self[range.lowerBound] != ASCII.space {
            var next = isDeleted.firstIndex(of: false) ?? isDeleted.endIndex
            while next < isDeleted.endIndex, self[range.lowerBound + next] == ASCII.space {
                isDeleted[next] = true
                next += 1
            }
        }
        // The present line, if it began in the range: where the space begins behind what vanishes, if something does, and whether something
        // stays.
        var line: (start: Int, rest: Int?, stays: Bool)?
        for offset in range {
            let index = offset - range.lowerBound
            if isDeleted[index] {
                line?.rest = index + 1
            } else if self[offset] == ASCII.lineFeed {
                if let line, line.rest != nil, !line.stays {
                    kept = kept.drop { $0 < line.start }
                    let isKept = kept.first.map { $0 <= index } ?? false
                    let end = !isKept ? index + 1 : self[offset - 1] == ASCII.carriageReturn ? index - 1 : index
                    for empty in line.start..<Swift.max(end, line.start) { isDeleted[empty] = true }
                }
                line = (index + 1, nil, false)
            } else if !self[offset].isJSONSpace {
                // What stays of the line moves to its indentation.
                if let rest = line?.rest, line?.stays == false {
                    for space in rest..<index { isDeleted[space] = true }
                }
                line?.stays = true
            }
        }
        var deletions: [Range<Int>] = []
        for offset in range where isDeleted[offset - range.lowerBound] {
            if let last = deletions.last, last.upperBound == offset {
                deletions[deletions.count - 1] = last.lowerBound..<(offset + 1)
            } else {
                deletions.append(offset..<(offset + 1))
            }
        }
        return deletions
    }
}

extension UInt8 {
    /// Whether this is one of the four bytes that JSON counts as whitespace.
    var isJSONSpace: Bool {
        self == ASCII.space || self == ASCII.lineFeed || self == ASCII.carriageReturn || self == ASCII.tab
    }
}

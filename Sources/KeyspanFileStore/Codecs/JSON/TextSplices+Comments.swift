/// Changes of objects among whose members are comments.
extension TextSplices {
    /// Changes a part of an object, and takes nothing away but members, commas, and lines that get empty by that.
    ///
    /// New members follow the comments behind the member before them.
    mutating func edit(
        _ stretch: JSONStretch,
        of bytes: [UInt8],
        adding new: [JSONNewMember],
        _ layout: JSONLayout
    ) {
        var commas = stretch.gaps.flatMap { bytes.commas(in: $0) }
        let isFollowed = stretch.after != nil || commas.count > max(0, stretch.count - 1)
        var deleted = stretch.removed.map { $0.start..<$0.end }
        if let before = stretch.before {
            let usesComma = insert(
                new,
                behind: before.end,
                commas.first,
                in: stretch,
                of: bytes,
                layout,
                isFollowed
            )
            if usesComma, !commas.isEmpty { commas.removeFirst() }
        } else if let first = deleted.first, !new.isEmpty {
            // Of the commas, the last one may be needed.
            deleted.removeFirst()
            if isFollowed, !commas.isEmpty { commas.removeLast() }
            replace(first) { $0.write(new, layout) }
        } else if !new.isEmpty {
            fill(stretch, of: bytes, with: new, layout)
        }
        for range in bytes.deletions(of: deleted + commas.map { $0..<($0 + 1) }, in: stretch.range) {
            replace(range) { _ in }
        }
    }

    /// Adds members behind one that stays.
    ///
    /// - Parameters:
    ///   - new: The members.
    ///   - end: The end of the member that stays.
    ///   - comma: The comma behind it.
    ///   - isFollowed: Whether a comma follows the last member.
    /// - Returns: Whether that comma is still needed.
    private mutating func insert(
        _ new: [JSONNewMember],
        behind end: Int,
        _ comma: Int?,
        in stretch: JSONStretch,
        of bytes: [UInt8],
        _ layout: JSONLayout,
        _ isFollowed: Bool
    ) -> Bool {
        if new.isEmpty { return isFollowed }
        guard let lineEnd = layout.lineEnd, let lastOfLine = bytes.endOfLine(in: stretch.gaps[0]),
            comma ?? 0 < lastOfLine
        else {
            // The comma that is there follows the last new member.
            replace(end..<end) { text in
                for member in new { text.write(member, behind: layout.separator, layout) }
            }
            return isFollowed
        }
        let (start, end) = (end, lastOfLine)
        if comma == nil, start < end { replace(start..<start) { $0.bytes.append(ASCII.comma) } }
        replace(end..<end) { text in
            if comma == nil, start == end { text.bytes.append(ASCII.comma) }
            text.bytes += lineEnd + layout.margin
            text.write(new, layout)
            if isFollowed { text.bytes.append(ASCII.comma) }
        }
        return true
    }

    /// Adds members to an object that has comments and no member that stays before them.
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
            if stretch.after != nil { text.bytes.append(ASCII.comma) }
            if !hasLineEnd, let lineEnd = layout.lineEnd { text.bytes += lineEnd + layout.closingMargin }
        }
    }
}

extension JSONStretch {
    /// The number of members in it and around it.
    fileprivate var count: Int { (before == nil ? 0 : 1) + removed.count + (after == nil ? 0 : 1) }
}

extension [UInt8] {
    /// The commas in spaces and comments, outside of the comments.
    fileprivate func commas(in gap: Range<Int>) -> [Int] {
        var commas: [Int] = []
        forEachByteOutsideComments(in: gap) { offset, byte in
            if byte == ASCII.comma { commas.append(offset) }
            return true
        }
        return commas
    }

    /// Where the first line ends in spaces and comments; `nil` if a comment goes on in the next line, or there is one line only.
    fileprivate func endOfLine(in gap: Range<Int>) -> Int? {
        var end: Int?
        var next = gap.lowerBound
        forEachByteOutsideComments(in: gap) { offset, byte in
            // A line ended within a comment that was skipped.
            if self[next..<offset].dropLast(byte == ASCII.lineFeed ? 1 : 0).contains(ASCII.lineFeed) { return false }
            next = offset
            guard byte == ASCII.lineFeed else { return true }
            end = offset > gap.lowerBound && self[offset - 1] == ASCII.carriageReturn ? offset - 1 : offset
            return false
        }
        return end
    }

    /// Calls a closure with each byte of spaces, commas and comments that is in no comment; a line's end is in none.
    ///
    /// - Parameter body: Returns whether to go on.
    private func forEachByteOutsideComments(in gap: Range<Int>, _ body: (Int, UInt8) -> Bool) {
        var offset = gap.lowerBound
        while offset < gap.upperBound {
            if self[offset] == ASCII.slash, offset + 1 < gap.upperBound {
                if self[offset + 1] == ASCII.slash {
                    while offset < gap.upperBound, self[offset] != ASCII.lineFeed { offset += 1 }
                } else {
                    offset += 2
                    while offset + 1 < gap.upperBound,
                        !(self[offset] == ASCII.asterisk && self[offset + 1] == ASCII.slash)
                    { offset += 1 }
                    offset += 2
                }
                continue
            }
            if !body(offset, self[offset]) { return }
            offset += 1
        }
    }

    /// The parts of a range that vanish with parts of it: these, and lines in which nothing else is.
    fileprivate func deletions(of parts: [Range<Int>], in range: Range<Int>) -> [Range<Int>] {
        if parts.isEmpty { return [] }
        var isDeleted = Array<Bool>(repeating: false, count: range.count)
        for part in parts {
            for offset in part { isDeleted[offset - range.lowerBound] = true }
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
                    for empty in line.start...index { isDeleted[empty] = true }
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

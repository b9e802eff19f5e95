@_spi(StoreAuthors) import KeyspanCore

extension JSONReader {
    /// Validates a whole text with an object at its top level, and notes where its entries are.
    ///
    /// Accepts and rejects the same texts as ``readTable()``. Values that most files have are skipped without being made; all
    /// others are read, so that there is one grammar.
    mutating func readIndex() throws(JSONFault) -> JSONIndex {
        try skipToFirstByte()
        guard cursor.current == ASCII.openBrace else { throw JSONFault(.topLevelObject, at: cursor.position) }
        var index = JSONIndex(of: JSONObject(open: cursor.position, close: cursor.position))
        _ = cursor.consume(ASCII.openBrace)
        var isSorted = true
        var last: Name?
        var nextEstimate = 32
        try skipSpace()
        if cursor.current != ASCII.closeBrace {
            var problem = JSONFault.Problem.memberName
            repeat {
                let name = try readName(otherwise: problem)
                if isSorted, let last { isSorted = precedes(last, name) }
                last = name
                try readEntry(name, into: &index)
                if index.entries.count >= nextEstimate {
                    nextEstimate = index.entries.count * 8
                    reserve(&index, atMost: nextEstimate)
                }
                problem = .memberNameAfterComma
            } while try consumeComma(before: ASCII.closeBrace)
        }
        index.object.close = cursor.position
        guard cursor.consume(ASCII.closeBrace) else { throw JSONFault(.commaOrBrace, at: cursor.position) }
        try readEnd()
        // A comment may be behind the object.
        index.object.isSorted = isSorted && !hasComments
        return index
    }

    /// The name of a member.
    private struct Name {
        /// The name in the text, without its quotes.
        let range: Range<Int>
        let hasEscapes: Bool
    }

    /// Reads the name of a member and the colon.
    private mutating func readName(otherwise problem: JSONFault.Problem) throws(JSONFault) -> Name {
        guard cursor.current == ASCII.quote else { throw JSONFault(problem, at: cursor.position) }
        let start = cursor.position + 1
        var hasEscapes = false
        if !skipPlainString() {
            _ = try readString()
            hasEscapes = cursor.range(from: start).contains(ASCII.backslash)
        }
        let range = start..<(cursor.position - 1)
        try skipSpace()
        guard cursor.consume(ASCII.colon) else { throw JSONFault(.colon, at: cursor.position) }
        try skipSpace()
        return Name(range: range, hasEscapes: hasEscapes)
    }

    /// Makes room for as many entries as the text has if they are all as long as those so far.
    ///
    /// - Parameter limit: The greatest number, because a few short entries may precede a huge one.
    private func reserve(_ index: inout JSONIndex, atMost limit: Int) {
        let estimate = Double(index.entries.count) * Double(cursor.all.count) / Double(cursor.position)
        index.reserve(min(limit, Int(estimate * 1.125)))
    }

    /// Reads the value of a member, and notes it.
    private mutating func readEntry(_ name: Name, into index: inout JSONIndex) throws(JSONFault) {
        let start = cursor.position
        let first = cursor.current
        let isNull = try readNull()
        if !isNull { try skipValue() }
        let value = start..<cursor.position
        let entry = JSONEntry(
            name: name.range,
            value: value,
            hash: hash(of: name),
            hasEscapes: name.hasEscapes,
            isNull: isNull
        )
        let isKept = Self.isKept(valueBeginningWith: first, length: value.count)
        let bytes = cursor.all
        guard index.append(entry, keepingValue: isKept, unless: { bytes.hasSameKey(entry, as: $0) }) else {
            throw JSONFault(.duplicateName, at: name.range.lowerBound - 1)
        }
    }

    /// Whether a value is kept once it was read, because reading it takes an allocation.
    static func isKept(valueBeginningWith first: UInt8, length: Int) -> Bool {
        switch first {
        case ASCII.openBrace, ASCII.openBracket: true
        // A string of up to 15 bytes is in the value itself.
        case ASCII.quote: length > 15 + 2
        default: false
        }
    }

    /// Reads a value that is not nested in another one and not `null`, and makes it only if its text is unusual.
    mutating func skipValue() throws(JSONFault) {
        switch cursor.current {
        case ASCII.quote:
            if !skipPlainString() { _ = try readString() }
        case ASCII.openBrace, ASCII.openBracket:
            let start = cursor
            if !skipFlatCollection() {
                cursor = start
                _ = try readCollection()
            }
        default: _ = try readScalar(otherwise: .value)
        }
    }

    /// Skips a string without escapes whose bytes are ASCII; stays where it is before any other.
    private mutating func skipPlainString() -> Bool {
        let start = cursor
        if cursor.consume(ASCII.quote), cursor.skipPlainText(upTo: ASCII.quote, ASCII.backslash),
            cursor.consume(ASCII.quote)
        {
            return true
        }
        cursor = start
        return false
    }

    /// Skips an array or object of scalars that is certainly valid; returns `false`, anywhere in it, for any other.
    private mutating func skipFlatCollection() -> Bool {
        let isObject = cursor.consume(ASCII.openBrace)
        if !isObject { _ = cursor.consume(ASCII.openBracket) }
        let closingBracket = isObject ? ASCII.closeBrace : ASCII.closeBracket
        cursor.skipWhitespace()
        if cursor.consume(closingBracket) { return true }
        flatNames.removeAll(keepingCapacity: true)
        repeat {
            cursor.skipWhitespace()
            if isObject, !skipFlatName() { return false }
            switch cursor.current {
            case ASCII.quote:
                if !skipPlainString() { return false }
            case ASCII.openBrace, ASCII.openBracket, UInt8(ascii: "n"):
                return false
            default:
                do throws(JSONFault) {
                    _ = try readScalar(otherwise: .value)
                } catch {
                    return false
                }
            }
            cursor.skipWhitespace()
        } while cursor.consume(ASCII.comma)
        return cursor.consume(closingBracket)
    }

    /// Skips a name that the object does not have yet and that belongs to no tagged form, and the colon.
    private mutating func skipFlatName() -> Bool {
        let nameStart = cursor.position + 1
        guard flatNames.count < Self.mostFlatNames, skipPlainString() else { return false }
        let bytes = cursor.all
        let name = nameStart..<(cursor.position - 1)
        if name.isEmpty || bytes[nameStart] == UInt8(ascii: "$") { return false }
        if flatNames.contains(where: { bytes.raw($0).hasSameBytes(as: bytes.raw(name)) }) { return false }
        flatNames.append(name)
        cursor.skipWhitespace()
        guard cursor.consume(ASCII.colon) else { return false }
        cursor.skipWhitespace()
        return true
    }

    /// The number of names that are compared one by one.
    private static let mostFlatNames = 12
}

// MARK: - Names

extension JSONReader {
    private func text(of name: Name) -> String {
        cursor.all.text(ofName: name.range, hasEscapes: name.hasEscapes)
    }

    private func hash(of name: Name) -> UInt64 {
        name.hasEscapes ? UTF8Hash.of(text(of: name)) : UTF8Hash.of(cursor.all.raw(name.range))
    }

    private func precedes(_ left: Name, _ right: Name) -> Bool {
        if left.hasEscapes || right.hasEscapes { return text(of: left).utf8Precedes(text(of: right)) }
        return cursor.all.raw(left.range).precedes(cursor.all.raw(right.range))
    }
}

/// The names and keys of members of a text.
extension UnsafeBufferPointer<UInt8> {
    /// A part of the bytes.
    @inline(__always)
    func raw(_ range: Range<Int>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(self)[range])
    }

    /// A name without escapes.
    ///
    /// - Parameters:
    ///   - range: The place of the name without its quotes.
    ///   - hasEscapes: Whether it has escapes there.
    func text(ofName range: Range<Int>, hasEscapes: Bool) -> String {
        guard hasEscapes else { return String(decoding: self[range], as: UTF8.self) }
        let quoted = self[(range.lowerBound - 1)...range.upperBound]
        var reader = JSONReader(TextCursor(UnsafeBufferPointer(rebasing: quoted)))
        // The reader has read these bytes before, so it does not throw.
        return (try? reader.readString()) ?? ""
    }

    /// The key of an entry.
    func key(of entry: JSONEntry) -> String { text(ofName: entry.name, hasEscapes: entry.nameHasEscapes) }

    /// Whether an entry has a key.
    @inline(__always)
    func isKey(_ key: UnsafeRawBufferPointer, of entry: JSONEntry) -> Bool {
        entry.nameHasEscapes ? self.key(of: entry).utf8.elementsEqual(key) : raw(entry.name).hasSameBytes(as: key)
    }

    /// Whether two entries have the same key.
    func hasSameKey(_ left: JSONEntry, as right: JSONEntry) -> Bool {
        if left.nameHasEscapes || right.nameHasEscapes { return key(of: left).hasSameUTF8(as: key(of: right)) }
        return raw(left.name).hasSameBytes(as: raw(right.name))
    }
}

@_spi(StoreAuthors) import KeyspanCore

extension JSONReader {
    /// Validates a whole text with an object at its top level, and notes where its members are.
    ///
    /// Accepts and rejects the same texts as ``readTable()``. Values that most files have are skipped without being made; all
    /// others are read, so that there is one grammar.
    ///
    /// - Returns: The index, and whether the names are sorted by their UTF-8.
    mutating func readIndex() throws(JSONFault) -> (index: JSONIndex, isSorted: Bool) {
        try skipToFirstByte()
        guard cursor.consume(ASCII.openBrace) else { throw JSONFault(.topLevelObject, at: cursor.position) }
        var index = JSONIndex()
        var isSorted = true
        var nextEstimate = 32
        cursor.skipWhitespace()
        if !cursor.consume(ASCII.closeBrace) {
            var problem = JSONFault.Problem.memberName
            repeat {
                cursor.skipWhitespace()
                let start = cursor.position
                let (entry, isKept) = try readEntry(otherwise: problem)
                if isSorted, let last = index.entries.last { isSorted = cursor.all.precedes(last, entry) }
                guard index.append(entry, keepingValue: isKept, unless: hasSameName) else {
                    throw JSONFault(.duplicateName, at: start)
                }
                if index.entries.count == nextEstimate {
                    nextEstimate *= 8
                    reserve(&index, atMost: nextEstimate)
                }
                problem = .memberNameAfterComma
                cursor.skipWhitespace()
            } while cursor.consume(ASCII.comma)
            guard cursor.consume(ASCII.closeBrace) else { throw JSONFault(.commaOrBrace, at: cursor.position) }
        }
        try readEnd()
        return (index, isSorted)
    }

    /// Makes room for as many entries as the text has if they are all as long as those so far.
    ///
    /// - Parameter limit: The greatest number, because a few short entries may precede a huge one.
    private func reserve(_ index: inout JSONIndex, atMost limit: Int) {
        let estimate = Double(index.entries.count) * Double(cursor.all.count) / Double(cursor.position)
        index.reserve(min(limit, Int(estimate * 1.125)))
    }

    private mutating func readEntry(
        otherwise problem: JSONFault.Problem
    ) throws(JSONFault) -> (entry: JSONEntry, isKept: Bool) {
        guard cursor.current == ASCII.quote else { throw JSONFault(problem, at: cursor.position) }
        let nameStart = cursor.position + 1
        var (hash, hasEscapes): (UInt64?, Bool) = (nil, false)
        if !skipPlainString() {
            let name = try readString()
            hasEscapes = cursor.range(from: nameStart).contains(ASCII.backslash)
            if hasEscapes { hash = UTF8Hash.of(name) }
        }
        let name = nameStart..<(cursor.position - 1)
        cursor.skipWhitespace()
        guard cursor.consume(ASCII.colon) else { throw JSONFault(.colon, at: cursor.position) }
        cursor.skipWhitespace()
        let valueStart = cursor.position
        let first = cursor.current
        let isNull = try readNull()
        if !isNull { try skipValue() }
        let value = valueStart..<cursor.position
        let entry = JSONEntry(
            name: name,
            value: value,
            hash: hash ?? UTF8Hash.of(cursor.all.raw(name)),
            hasEscapes: hasEscapes,
            isNull: isNull
        )
        return (entry, Self.isKept(valueBeginningWith: first, length: value.count))
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
    private mutating func skipValue() throws(JSONFault) {
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
    /// Whether two entries of the text have the same name.
    private func hasSameName(_ left: JSONEntry, _ right: JSONEntry) -> Bool {
        if left.nameHasEscapes || right.nameHasEscapes { return name(of: left).hasSameUTF8(as: name(of: right)) }
        return cursor.all.raw(left.name).hasSameBytes(as: cursor.all.raw(right.name))
    }

    private func name(of entry: JSONEntry) -> String {
        JSONDocument.name(of: entry, in: cursor.all)
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// A part of the bytes.
    @inline(__always)
    func raw(_ range: Range<Int>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(self)[range])
    }

    /// Whether the name of one member of the text sorts before that of another by its UTF-8.
    func precedes(_ left: JSONEntry, _ right: JSONEntry) -> Bool {
        if left.nameHasEscapes || right.nameHasEscapes {
            return JSONDocument.name(of: left, in: self).utf8Precedes(JSONDocument.name(of: right, in: self))
        }
        return raw(left.name).precedes(raw(right.name))
    }
}

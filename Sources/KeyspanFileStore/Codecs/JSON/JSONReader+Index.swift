@_spi(StoreAuthors) import KeyspanCore

extension JSONReader {
    /// Validates a whole text with an object at its top level, and notes where its entries are.
    ///
    /// Accepts and rejects the same texts as ``readTable()``. Values that most files have are skipped without being made; all
    /// others are read, so that there is one grammar.
    ///
    /// - Parameter form: Which members are groups of entries, and which of two with the same key counts.
    mutating func readIndex(_ form: EntryForm) throws(JSONFault) -> JSONIndex {
        try skipToFirstByte()
        guard cursor.current == ASCII.openBrace else { throw JSONFault(.topLevelObject, at: cursor.position) }
        var index = JSONIndex()
        try readGroup(JSONGroup(prefix: "", parent: 0, depth: 0, name: 0..<0, open: 0, close: 0), into: &index, form)
        try readEnd()
        return index
    }

    /// Reads the object here, whose members are entries or groups of entries.
    ///
    /// It is called for no more nested groups than the names of keys may have.
    private mutating func readGroup(
        _ group: consuming JSONGroup,
        into index: inout JSONIndex,
        _ form: borrowing EntryForm
    ) throws(JSONFault) {
        let number = index.groups.count
        group.open = cursor.position
        let hadComments = hasComments
        hasComments = false
        _ = cursor.consume(ASCII.openBrace)
        groupsOfPrefix[group.prefix, default: []].append(group.parent)
        index.groups.append(group)
        var isSorted = true
        var last: Name?
        var nextEstimate = 32
        try skipSpace()
        if cursor.current != ASCII.closeBrace {
            var problem = JSONFault.Problem.memberName
            repeat {
                let start = cursor.position
                let name = try readName(otherwise: problem)
                if isSorted, let last { isSorted = precedes(last, name) }
                last = name
                if let inner = try groupHere(name, in: number, of: index, form) {
                    guard !hasMember(name, in: number, of: index) else { throw JSONFault(.duplicateName, at: start) }
                    try readGroup(inner, into: &index, form)
                } else {
                    try readEntry(name, in: number, into: &index, form)
                }
                if index.entries.count >= nextEstimate {
                    nextEstimate = index.entries.count * 8
                    reserve(&index, atMost: nextEstimate)
                }
                problem = .memberNameAfterComma
            } while try consumeComma(before: ASCII.closeBrace)
        }
        index.groups[number].close = cursor.position
        index.groups[number].isSorted = isSorted && !hasComments
        hasComments = hasComments || hadComments
        guard cursor.consume(ASCII.closeBrace) else { throw JSONFault(.commaOrBrace, at: cursor.position) }
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

    /// The group that the value of a member is; `nil` if the member is an entry.
    private func groupHere(
        _ name: Name,
        in outer: Int,
        of index: JSONIndex,
        _ form: borrowing EntryForm
    ) throws(JSONFault) -> JSONGroup? {
        guard cursor.current == ASCII.openBrace, !form.groups.isEmpty else { return nil }
        let key = index.groups[outer].prefix + text(of: name)
        guard form.groups.contains(key) else { return nil }
        // A name such as `$data` makes a value of an object.
        var probe = self
        guard try probe.isObjectOfPlainNames() else { return nil }
        return JSONGroup(
            prefix: key + ".",
            parent: outer,
            depth: index.groups[outer].depth + 1,
            name: name.range,
            open: cursor.position,
            close: cursor.position
        )
    }

    /// Reads the object here, and returns whether none of its names begins with `$`.
    private mutating func isObjectOfPlainNames() throws(JSONFault) -> Bool {
        _ = cursor.consume(ASCII.openBrace)
        try skipSpace()
        if cursor.current == ASCII.closeBrace { return true }
        repeat {
            let name = try readMemberName(otherwise: .memberName)
            if name.utf8.first == UInt8(ascii: "$") { return false }
            if try !readNull() { try skipValue() }
        } while try consumeComma(before: ASCII.closeBrace)
        return true
    }

    /// Makes room for as many entries as the text has if they are all as long as those so far.
    ///
    /// - Parameter limit: The greatest number, because a few short entries may precede a huge one.
    private func reserve(_ index: inout JSONIndex, atMost limit: Int) {
        let estimate = Double(index.entries.count) * Double(cursor.all.count) / Double(cursor.position)
        index.reserve(min(limit, Int(estimate * 1.125)))
    }

    /// Reads the value of a member that is an entry, and notes it.
    private mutating func readEntry(
        _ name: Name,
        in group: Int,
        into index: inout JSONIndex,
        _ form: borrowing EntryForm
    ) throws(JSONFault) {
        let start = cursor.position
        let first = cursor.current
        let isNull = try readNull()
        if !isNull { try skipValue() }
        let value = start..<cursor.position
        let entry = JSONEntry(
            name: name.range,
            value: value,
            hash: hash(of: name, in: index.groups[group]),
            hasEscapes: name.hasEscapes,
            isNull: isNull
        )
        let isKept = Self.isKept(valueBeginningWith: first, length: value.count)
        let prefix = index.groups[group].prefix
        let bytes = cursor.all
        let present = index.append(entry, keepingValue: isKept, in: group) { other, otherPrefix in
            bytes.hasSameKey(entry, behind: prefix, as: other, behind: otherPrefix)
        }
        let isGroup = form.groups.mayContain(nameWithHash: entry.hash) && hasGroup(name, in: group, of: index)
        guard present != nil || isGroup else { return }
        guard !isGroup, let present, index.group(ofEntryAt: present) != group else {
            throw JSONFault(.duplicateName, at: name.range.lowerBound - 1)
        }
        let depth = index.groups[index.group(ofEntryAt: present)].depth
        // A `null` counts as absent.
        let hasRival = !isNull && index.entries[present].isPresent
        guard let isCounting = hasRival ? form.counts(index.groups[group].depth, over: depth) : !isNull else {
            throw JSONFault(.duplicateKey, at: name.range.lowerBound - 1)
        }
        index.append(duplicate: entry, keepingValue: isKept, in: group, of: present, counting: isCounting)
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

    /// The hash of the key of a member.
    private func hash(of name: Name, in group: JSONGroup) -> UInt64 {
        if group.prefix.isEmpty, !name.hasEscapes { return UTF8Hash.of(cursor.all.raw(name.range)) }
        return UTF8Hash.of(group.prefix + text(of: name))
    }

    private func precedes(_ left: Name, _ right: Name) -> Bool {
        if left.hasEscapes || right.hasEscapes { return text(of: left).utf8Precedes(text(of: right)) }
        return cursor.all.raw(left.range).precedes(cursor.all.raw(right.range))
    }

    /// Whether an object has a group with a name.
    private func hasGroup(_ name: Name, in outer: Int, of index: JSONIndex) -> Bool {
        let prefix = index.groups[outer].prefix + text(of: name) + "."
        return groupsOfPrefix[prefix]?.contains(outer) ?? false
    }

    /// Whether an object has a group or an entry with a name.
    private func hasMember(_ name: Name, in group: Int, of index: JSONIndex) -> Bool {
        if hasGroup(name, in: group, of: index) { return true }
        let key = index.groups[group].prefix + text(of: name)
        let place = index.place(ofHash: UInt32(truncatingIfNeeded: UTF8Hash.of(key))) { entry, prefix in
            cursor.all.key(of: entry, behind: prefix).hasSameUTF8(as: key)
        }
        return place.map { index.places(with: $0).contains { index.group(ofEntryAt: $0) == group } } ?? false
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
    func key(of entry: JSONEntry, behind prefix: String) -> String {
        let name = text(ofName: entry.name, hasEscapes: entry.nameHasEscapes)
        return prefix.isEmpty ? name : prefix + name
    }

    /// Whether an entry has a key.
    @inline(__always)
    func isKey(_ key: UnsafeRawBufferPointer, of entry: JSONEntry, behind prefix: String) -> Bool {
        if entry.nameHasEscapes { return self.key(of: entry, behind: prefix).utf8.elementsEqual(key) }
        if prefix.isEmpty { return raw(entry.name).hasSameBytes(as: key) }
        let length = prefix.utf8.count
        guard key.count == length + entry.name.count,
            raw(entry.name).hasSameBytes(as: UnsafeRawBufferPointer(rebasing: key[length...]))
        else { return false }
        let beginning = UnsafeRawBufferPointer(rebasing: key[..<length])
        return prefix.utf8.withContiguousStorageIfAvailable { UnsafeRawBufferPointer($0).hasSameBytes(as: beginning) }
            ?? prefix.utf8.elementsEqual(beginning)
    }

    /// Whether two entries have the same key.
    func hasSameKey(_ left: JSONEntry, behind prefix: String, as right: JSONEntry, behind other: String) -> Bool {
        if left.nameHasEscapes || right.nameHasEscapes || !prefix.hasSameUTF8(as: other) {
            return key(of: left, behind: prefix).hasSameUTF8(as: key(of: right, behind: other))
        }
        return raw(left.name).hasSameBytes(as: raw(right.name))
    }
}

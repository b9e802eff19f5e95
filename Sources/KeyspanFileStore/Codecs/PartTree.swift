@_spi(StoreAuthors) import KeyspanCore

/// Parts of values to be found in a text in one pass.
///
/// A path begins with the key of an entry. The tree notes the offset of each path, or else that of the innermost part around it that
/// the text has: a value of a kind that the format writes in another way has no parts there.
struct PartTree {
    /// The paths that end here, by their numbers.
    private(set) var paths: [Int] = []
    /// The trees of the members that paths lead to.
    private(set) var members: TextDictionary<PartTree> = [:]
    /// The trees of the elements that paths lead to.
    private(set) var elements: [Int: PartTree] = [:]

    /// Whether no path leads further.
    var isLeaf: Bool { members.isEmpty && elements.isEmpty }

    /// Makes the tree of paths, whose numbers are their indices.
    init(_ paths: [ValuePath] = []) {
        for (number, path) in paths.enumerated() { insert(number, path.steps[...]) }
    }

    private mutating func insert(_ number: Int, _ steps: ArraySlice<ValuePath.Step>) {
        switch steps.first {
        case nil: paths.append(number)
        case .name(let name): members[name, default: PartTree()].insert(number, steps.dropFirst())
        case .index(let index): elements[index, default: PartTree()].insert(number, steps.dropFirst())
        }
    }

    /// Notes the offset of the part at the root for all paths through it.
    func note(_ offset: Int?, in offsets: inout [Int?]) {
        for path in paths { offsets[path] = offset }
        for (_, tree) in members { tree.note(offset, in: &offsets) }
        for tree in elements.values { tree.note(offset, in: &offsets) }
    }
}

extension JSONDocument {
    /// The offsets of parts of the entries' values.
    ///
    /// - Parameters:
    ///   - paths: The paths, each with the key of an entry as its first step.
    ///   - isCurrent: Whether the value of a key is the expected one; otherwise its parts are not searched.
    func offsets(of paths: [ValuePath], where isCurrent: (String, PropertyListValue) -> Bool) -> [Int?] {
        var offsets = [Int?](repeating: nil, count: paths.count)
        for (key, tree) in PartTree(paths).members {
            guard let place = place(ofKey: key), let value = value(at: place), isCurrent(key, value) else { continue }
            let entry = index.entries[place]
            tree.note(entry.start, in: &offsets)
            if tree.isLeaf { continue }
            bytes.withUnsafeBufferPointer { bytes in
                let text = TextCursor(UnsafeBufferPointer(rebasing: bytes[entry.value]))
                var reader = JSONReader(text, allowingComments: allowsComments)
                // The document has validated the value, so this finds every part.
                try? reader.findParts(tree) { part, offset in part.note(entry.value.lowerBound + offset, in: &offsets) }
            }
        }
        return offsets
    }
}

extension JSONReader {
    /// Reads a value, and finds parts of it.
    ///
    /// - Parameters:
    ///   - tree: The parts.
    ///   - note: Receives each part that the text has with its offset, outer parts first. That of a member is the offset of its name.
    mutating func findParts(_ tree: PartTree, note: (PartTree, Int) -> Void) throws(JSONFault) {
        let isObject = cursor.current == ASCII.openBrace
        guard !tree.isLeaf, isObject || cursor.current == ASCII.openBracket else { return _ = try readValue() }
        let closingBracket = isObject ? ASCII.closeBrace : ASCII.closeBracket
        _ = cursor.consume(isObject ? ASCII.openBrace : ASCII.openBracket)
        try skipSpace()
        var count = 0
        while cursor.current != closingBracket, !cursor.isAtEnd {
            let start = cursor.position
            let part =
                isObject ? tree.members[try readMemberName(otherwise: .memberName)] : tree.elements[count]
            if let part { note(part, start) }
            if try !readNull() { try findParts(part ?? PartTree(), note: note) }
            count += 1
            guard try consumeComma(before: closingBracket) else { break }
        }
        _ = cursor.consume(closingBracket)
    }
}

extension LineAndColumn {
    /// The places of bytes in a text.
    static func places(ofBytes offsets: [Int?], in bytes: [UInt8]) -> [LineAndColumn?] {
        var places = [LineAndColumn?](repeating: nil, count: offsets.count)
        let known = offsets.indices.compactMap { index in offsets[index].map { (index: index, offset: $0) } }
        var (line, column, counted) = (1, 1, bytes.withUnsafeBufferPointer(TextBeginning.byteOrderMarkLength))
        for (index, offset) in known.sorted(by: { $0.offset < $1.offset }) {
            for byte in bytes[min(counted, offset)..<offset] {
                if byte == ASCII.lineFeed {
                    (line, column) = (line + 1, 1)
                } else if byte & 0xC0 != 0x80 {
                    // Every scalar has exactly one byte that is not a continuation byte.
                    column += 1
                }
            }
            counted = max(counted, offset)
            places[index] = LineAndColumn(line: line, column: column)
        }
        return places
    }
}

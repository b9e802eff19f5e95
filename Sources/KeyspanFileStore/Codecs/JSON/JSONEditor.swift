@_spi(StoreAuthors) import KeyspanCore

/// Makes a new text from a document: the bytes of members that did not change are copied, with the space around them.
///
/// A changed value is written in the place of the old one. A new member goes to its sorted place if the names are sorted, else to the
/// end, on a line of its own if the other members have one. A removed member takes the space before it along.
struct JSONEditor {
    /// A change at a member of the document, or before it.
    private enum Change {
        /// Before the member at a place.
        case insert(name: String, PropertyListValue)
        case replace(PropertyListValue)
        case remove
    }

    private let document: JSONDocument
    private let layout: JSONLayout
    private let limit: Int
    /// Whether only the size of the new text is wanted, so that old members are counted and not copied.
    private let isMeasuring: Bool

    private var bytes: [UInt8] = []
    private var entries: ContiguousArray<JSONEntry> = []
    /// The number of bytes that were counted and not copied.
    private var countedSize = 0
    /// Whether the new text has no members yet.
    private var isEmpty = true
    /// Up to where the old text was copied or left out.
    private var position = 0
    /// The first old member that was neither copied nor left out.
    private var next = 0
    /// Whether a new member was written before the first old one, so that no separator of the old text follows.
    private var lacksSeparator = false

    /// Begins an edit.
    ///
    /// - Parameters:
    ///   - document: The old text.
    ///   - limit: The number of bytes after which the edit may stop.
    ///   - isMeasuring: Whether only the size of the new text is wanted.
    private init(_ document: JSONDocument, limit: Int, measuring isMeasuring: Bool = false) {
        self.document = document
        self.limit = min(limit, JSONDocument.maximumSize)
        self.isMeasuring = isMeasuring
        layout = JSONLayout(of: document)
    }

    /// Makes the document in which some keys have other values.
    ///
    /// - Parameters:
    ///   - writes: The keys, each once, with their values; `nil` removes a key.
    ///   - document: The old text.
    ///   - limit: The greatest number of bytes of the new one.
    /// - Returns: `nil` if the new text would have more bytes.
    static func apply(
        _ writes: [(key: String, value: PropertyListValue?)],
        to document: JSONDocument,
        upTo limit: Int
    ) -> JSONDocument? {
        let changes = changes(by: writes, to: document)
        if changes.isEmpty { return document.bytes.count > limit ? nil : document }
        var editor = JSONEditor(document, limit: limit)
        guard let hasSameNames = editor.makeText(changes) else { return nil }
        let index = JSONIndex(editor.entries, named: hasSameNames ? document.index : nil)
        // A text can become sorted, and then has the same layout for a store that reads it.
        let isSorted = document.isSorted || !hasSameNames && editor.hasSortedNames
        return JSONDocument(editor.bytes, index, isSorted: isSorted)
    }

    /// The number of bytes of the document that ``apply(_:to:upTo:)`` would make.
    ///
    /// Takes only the time of the writes.
    static func size(
        of document: JSONDocument,
        applying writes: [(key: String, value: PropertyListValue?)],
        upTo limit: Int
    ) -> Int? {
        let changes = changes(by: writes, to: document)
        if changes.isEmpty { return document.bytes.count > limit ? nil : document.bytes.count }
        var editor = JSONEditor(document, limit: limit, measuring: true)
        return editor.makeText(changes).map { _ in editor.size }
    }

    private var size: Int { countedSize + bytes.count }

    private var hasSortedNames: Bool {
        bytes.withUnsafeBufferPointer { bytes in
            zip(entries, entries.dropFirst()).allSatisfy { bytes.precedes($0, $1) }
        }
    }

    /// The changes by writes, sorted by the members at which they are.
    private static func changes(
        by writes: [(key: String, value: PropertyListValue?)],
        to document: JSONDocument
    ) -> [(place: Int, change: Change)] {
        var changes: [(place: Int, change: Change)] = []
        var added: [(key: String, value: PropertyListValue)] = []
        for (key, value) in writes {
            guard let place = document.place(ofKey: key) else {
                if let value { added.append((key, value)) }
                continue
            }
            if let value {
                if document.value(forKey: key) != value { changes.append((place, .replace(value))) }
            } else if document.hasValue(forKey: key) {
                changes.append((place, .remove))
            }
        }
        changes.sort { $0.place < $1.place }
        added.sort { $0.key.utf8Precedes($1.key) }
        return merge(
            added.map { key, value in
                (document.isSorted ? document.placeToInsert(key) : document.placeCount, .insert(name: key, value))
            },
            before: changes
        )
    }

    /// One list of two that are sorted by place; of changes at one place, those of the first list come first.
    private static func merge(
        _ first: [(place: Int, change: Change)],
        before second: [(place: Int, change: Change)]
    ) -> [(place: Int, change: Change)] {
        var merged: [(place: Int, change: Change)] = []
        merged.reserveCapacity(first.count + second.count)
        var rest = second[...]
        for change in first {
            while let next = rest.first, next.place < change.place { merged.append(rest.removeFirst()) }
            merged.append(change)
        }
        return merged + rest
    }

    /// Makes the new text.
    ///
    /// - Returns: Whether it has the same names in the same order; `nil` if it has more bytes than the limit.
    private mutating func makeText(_ changes: [(place: Int, change: Change)]) -> Bool? {
        let old = document.index.entries
        if !isMeasuring {
            bytes.reserveCapacity(document.bytes.count + 64 * changes.count)
            entries.reserveCapacity(old.count + changes.count)
        }
        let brace = braces()
        position = old.first?.start ?? brace.open + 1
        copy(0..<position)
        var hasSameNames = true
        for (place, change) in changes {
            copyMembers(before: place)
            switch change {
            case .insert(let name, let value):
                insert(name, value)
                hasSameNames = false
            case .replace(let value): replaceMember(at: place, by: value)
            case .remove:
                position = old[place].end
                next = place + 1
                hasSameNames = false
            }
            // The bytes before the first member may still be left out.
            if size - document.bytes.count > limit { return nil }
        }
        copyMembers(before: old.count)
        if isEmpty {
            (bytes, countedSize) = ([], 0)
            copy(0..<(brace.open + 1))
            position = brace.close
        } else if old.isEmpty, let lineEnd = layout.lineEnd {
            bytes += lineEnd
            position = brace.close
        }
        copy(position..<document.bytes.count)
        return size > limit ? nil : hasSameNames
    }

    private mutating func copy(_ range: Range<Int>) {
        if isMeasuring { countedSize += range.count } else { bytes += document.bytes[range] }
    }

    /// The offsets of the braces of the top-level object.
    private func braces() -> (open: Int, close: Int) {
        let entries = document.index.entries
        // Nothing but space, and a byte-order mark, is before the one and behind the other.
        let open =
            document.bytes[..<(entries.first?.start ?? document.bytes.count)].firstIndex(of: ASCII.openBrace) ?? 0
        let close = document.bytes[(entries.last?.end ?? open)...].firstIndex(of: ASCII.closeBrace) ?? open
        return (open, close)
    }

    /// Copies the old members before a place that were not changed, in one piece.
    private mutating func copyMembers(before place: Int) {
        guard next < place else { return }
        let old = document.index.entries
        beginOldMember(old[next])
        let end = old[place - 1].end
        let distance = bytes.count - position
        copy(position..<end)
        isEmpty = false
        if !isMeasuring {
            for var entry in old[next..<place] {
                entry.move(by: distance)
                entries.append(entry)
            }
        }
        position = end
        next = place
    }

    /// Prepares that the text of an old member follows: behind a separator, or at the start of the object.
    private mutating func beginOldMember(_ entry: JSONEntry) {
        if lacksSeparator {
            bytes += layout.separator
            lacksSeparator = false
            position = entry.start
        } else if isEmpty {
            position = entry.start
        }
    }

    private mutating func insert(_ name: String, _ value: PropertyListValue) {
        if !isEmpty {
            bytes += layout.separator
        } else if document.index.entries.isEmpty, let lineEnd = layout.lineEnd {
            bytes += lineEnd + layout.indentation
        }
        // Behind old members that were left out, the separator of the next one remains.
        lacksSeparator = next == 0
        let start = bytes.count
        var writer = makeWriter(layout)
        writer.writeString(name)
        let nameEnd = writer.bytes.count - 1
        writer.bytes += layout.colon
        append(writer, value, name: (start + 1)..<nameEnd, hash: UTF8Hash.of(name), nameHasEscapes: nil)
    }

    private mutating func replaceMember(at place: Int, by value: PropertyListValue) {
        let entry = document.index.entries[place]
        beginOldMember(entry)
        let distance = bytes.count - position
        copy(position..<Int(entry.valueStart))
        append(
            makeWriter(isCollectionOnOneLine(at: place) ? layout.onOneLine : layout),
            value,
            // Not by moving the entry, whose offsets may be too small for a text that is beyond the limit.
            name: (entry.name.lowerBound + distance)..<(entry.name.upperBound + distance),
            hash: UInt64(entry.hash),
            nameHasEscapes: entry.nameHasEscapes
        )
        position = entry.end
        next += 1
    }

    /// Whether a value is an array or object with items that a person has put on one line.
    private func isCollectionOnOneLine(at place: Int) -> Bool {
        switch document.value(at: place) {
        case .array(let elements)?: !elements.isEmpty && !hasLineEnd(at: place)
        case .dictionary(let entries)?: !entries.isEmpty && !hasLineEnd(at: place)
        default: false
        }
    }

    private func hasLineEnd(at place: Int) -> Bool {
        document.bytes[document.index.entries[place].value].contains(ASCII.lineFeed)
    }

    /// A writer that continues the text in its place.
    private mutating func makeWriter(_ layout: JSONLayout) -> JSONWriter {
        var writer = JSONWriter(layout, depth: 1)
        writer.limit = limit
        swap(&writer.bytes, &bytes)
        return writer
    }

    /// Writes a value with a writer, takes the text back and notes the member.
    private mutating func append(
        _ writer: consuming JSONWriter,
        _ value: PropertyListValue,
        name: Range<Int>,
        hash: UInt64,
        nameHasEscapes: Bool?
    ) {
        let start = writer.bytes.count
        writer.writeValue(value)
        swap(&writer.bytes, &bytes)
        isEmpty = false
        if isMeasuring { return }
        var entry = JSONEntry(
            name: name,
            value: start..<bytes.count,
            hash: hash,
            hasEscapes: nameHasEscapes ?? bytes[name].contains(ASCII.backslash),
            isNull: false
        )
        if JSONReader.isKept(valueBeginningWith: bytes[start], length: bytes.count - start) { entry.keptNumber = 0 }
        entries.append(entry)
    }
}

extension JSONDocument {
    /// The place of the first member whose name follows a key; the names are sorted.
    fileprivate func placeToInsert(_ key: String) -> Int {
        var places = 0..<placeCount
        while !places.isEmpty {
            let middle = places.lowerBound + places.count / 2
            if name(at: middle).utf8Precedes(key) {
                places = (middle + 1)..<places.upperBound
            } else {
                places = places.lowerBound..<middle
            }
        }
        return places.lowerBound
    }
}

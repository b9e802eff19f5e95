@_spi(StoreAuthors) import KeyspanCore

/// Parts of a JSON text that are replaced by new text, and the entries in it.
struct TextSplices {
    private struct Splice {
        /// The part of the old text.
        let range: Range<Int>
        /// The part of the new text in its place.
        let text: Range<Int>
        /// The new entries in it, and the new groups.
        let entries: Range<Int>
        let groups: Range<Int>
        /// The place of the old entry whose value this is.
        let place: Int?
    }

    private let document: JSONDocument
    private var splices: [Splice] = []
    private var new: JSONNewText
    /// By how many bytes the text grows.
    private(set) var growth = 0

    /// Begins without splices.
    ///
    /// - Parameters:
    ///   - document: The old text.
    ///   - limit: The number of bytes after which values may be written in part.
    init(for document: JSONDocument, limit: Int) {
        self.document = document
        new = JSONNewText(limit: limit, oldGroups: document.index.groups.count)
    }

    var isEmpty: Bool { splices.isEmpty }

    /// Replaces a part of the text.
    ///
    /// - Parameters:
    ///   - range: The part, which overlaps with no other one.
    ///   - group: The number of the object that the part is in, for new members.
    ///   - place: The place of the entry whose value the part is, if it is one.
    ///   - write: Writes the new text.
    mutating func replace(
        _ range: Range<Int>,
        in group: Int,
        ofEntryAt place: Int? = nil,
        _ write: (inout JSONNewText) -> Void
    ) {
        let starts = (new.bytes.count, new.entries.count, new.groups.count)
        (new.group, new.depth) = (group, document.index.groups[group].depth)
        write(&new)
        let text = starts.0..<new.bytes.count
        if range.isEmpty, text.isEmpty { return }
        growth += text.count - range.count
        splices.append(
            Splice(
                range: range,
                text: text,
                entries: starts.1..<new.entries.count,
                groups: starts.2..<new.groups.count,
                place: place
            )
        )
    }

    /// Brings the splices into the order of the text.
    mutating func sort() {
        splices.sort { ($0.range.lowerBound, $0.range.upperBound) < ($1.range.lowerBound, $1.range.upperBound) }
    }

    /// Makes the text with all replaced parts, which are sorted.
    func appliedText() -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(document.bytes.count + growth)
        var position = 0
        for splice in splices {
            bytes += document.bytes[position..<splice.range.lowerBound]
            bytes += new.bytes[splice.text]
            position = splice.range.upperBound
        }
        return bytes + document.bytes[position...]
    }

    /// Makes the document with all replaced parts, which are sorted.
    func applied() -> JSONDocument {
        let old = document.index
        var bytes: [UInt8] = []
        bytes.reserveCapacity(document.bytes.count + growth)
        var entries: ContiguousArray<JSONEntry> = []
        entries.reserveCapacity(old.entries.count + new.entries.count)
        var numbers: ContiguousArray<UInt32> = []
        // New groups have their numbers already.
        var groups = old.groups + new.groups
        let hasNumbers = groups.count > 1
        var newPlaces: [Int?] = old.shadowed.isEmpty ? [] : Array(repeating: nil, count: old.entries.count)
        var hasSameKeys = true
        var (position, place) = (0, 0)

        /// Copies the old text up to an offset, with the entries that begin before it.
        func copy(upTo end: Int) {
            let distance = bytes.count - position
            bytes += document.bytes[position..<end]
            while place < old.entries.count, old.entries[place].start < end {
                var entry = old.entries[place]
                entry.move(by: distance)
                if !newPlaces.isEmpty { newPlaces[place] = entries.count }
                if hasNumbers { numbers.append(UInt32(truncatingIfNeeded: old.group(ofEntryAt: place))) }
                entries.append(entry)
                place += 1
            }
            position = end
        }

        for splice in splices {
            copy(upTo: splice.range.lowerBound)
            let distance = bytes.count - splice.text.lowerBound
            bytes += new.bytes[splice.text]
            position = splice.range.upperBound
            if splice.place != nil {
                let last = entries.count - 1
                let value = (splice.text.lowerBound + distance)..<(splice.text.upperBound + distance)
                entries[last] = entries[last].with(value: value, in: bytes)
            } else {
                while place < old.entries.count, old.entries[place].start < position {
                    place += 1
                    hasSameKeys = false
                }
            }
            for (var entry, group) in new.entries[splice.entries] {
                entry.move(by: distance)
                entries.append(entry)
                if hasNumbers { numbers.append(UInt32(truncatingIfNeeded: group)) }
                hasSameKeys = false
            }
            for number in splice.groups { groups[old.groups.count + number].move(by: distance) }
        }
        copy(upTo: document.bytes.count)
        moveOldGroups(of: &groups, count: old.groups.count)

        var shadowed: [Int: [Int]] = [:]
        for (counting, places) in old.shadowed {
            if let counting = newPlaces[counting] { shadowed[counting] = places.compactMap { newPlaces[$0] } }
        }
        let named = hasSameKeys ? old : nil
        var index = JSONIndex(entries, in: numbers, of: groups, shadowed: shadowed, named: named)
        if !hasSameKeys { noteSortedGroups(of: &index, in: bytes, hasComments: document.hasComments) }
        return JSONDocument(bytes, index, as: document.form, hasComments: document.hasComments)
    }

    /// Moves the groups of the old text with the text around them.
    private func moveOldGroups(of groups: inout [JSONGroup], count: Int) {
        var distances: [Int] = []
        distances.reserveCapacity(splices.count + 1)
        var distance = 0
        for splice in splices {
            distances.append(distance)
            distance += splice.text.count - splice.range.count
        }
        distances.append(distance)
        func moved(_ offset: Int) -> Int {
            var indices = 0..<splices.count
            while !indices.isEmpty {
                let middle = indices.lowerBound + indices.count / 2
                if splices[middle].range.upperBound <= offset {
                    indices = (middle + 1)..<indices.upperBound
                } else {
                    indices = indices.lowerBound..<middle
                }
            }
            return offset + distances[indices.lowerBound]
        }
        for number in 0..<count {
            groups[number].open = moved(groups[number].open)
            groups[number].close = moved(groups[number].close)
            guard number > 0 else { continue }
            let start = moved(groups[number].start)
            groups[number].name = (start + 1)..<(start + 1 + groups[number].name.count)
        }
    }

    /// Notes which groups became sorted, so that they are treated like those of the same text that is read.
    private func noteSortedGroups(of index: inout JSONIndex, in bytes: [UInt8], hasComments: Bool) {
        guard !hasComments, index.groups.contains(where: { !$0.isSorted }) else { return }
        let members = JSONMembers.all(in: index)
        for number in index.groups.indices where !index.groups[number].isSorted {
            index.groups[number].isSorted = members[number].areSorted(in: bytes)
        }
    }
}

/// The text of new members and values, with the places of their entries in it.
struct JSONNewText {
    /// The text.
    var bytes: [UInt8] = []
    /// The entries, each with the number of its group.
    private(set) var entries: [(entry: JSONEntry, group: Int)] = []
    /// The groups that are new.
    private(set) var groups: [JSONGroup] = []
    /// The number of the object in which members are written, and the number of objects around it.
    fileprivate var (group, depth) = (0, 0)

    private let limit: Int
    private let oldGroups: Int

    fileprivate init(limit: Int, oldGroups: Int) {
        (self.limit, self.oldGroups) = (limit, oldGroups)
    }

    /// Writes a value.
    mutating func write(_ value: PropertyListValue, _ layout: JSONLayout) {
        var writer = makeWriter(layout)
        writer.writeValue(value)
        swap(&writer.bytes, &bytes)
    }

    /// Writes members with separators between them.
    mutating func write(_ members: [JSONNewMember], _ layout: JSONLayout) {
        for (number, member) in members.enumerated() {
            write(member, behind: number == 0 ? [] : layout.separator, layout)
        }
    }

    /// Writes a member or element behind a separator.
    mutating func write(_ member: JSONNewMember, behind separator: [UInt8] = [], _ layout: JSONLayout) {
        bytes += separator
        switch member.content {
        case .element(let value, let isOnOneLine):
            write(value, isOnOneLine ? layout.onOneLine : layout)
        case .value(let value, let key):
            let name = writeName(member.name, layout)
            let valueStart = bytes.count
            write(value, layout)
            let entry = JSONEntry(
                name: name,
                value: valueStart..<bytes.count,
                hash: UTF8Hash.of(key),
                hasEscapes: bytes[name].contains(ASCII.backslash),
                isNull: false
            )
            entries.append((entry.with(value: valueStart..<bytes.count, in: bytes), group))
        case .group(let prefix, let members):
            let name = writeName(member.name, layout)
            write(members.sorted { $0.name.utf8Precedes($1.name) }, in: prefix, named: name, layout)
        }
    }

    /// Writes the name of a member and the colon.
    ///
    /// - Returns: The place of the name without its quotes.
    private mutating func writeName(_ name: String, _ layout: JSONLayout) -> Range<Int> {
        let start = bytes.count + 1
        var writer = makeWriter(layout)
        writer.writeString(name)
        let end = writer.bytes.count - 1
        writer.bytes += layout.colon
        swap(&writer.bytes, &bytes)
        return start..<end
    }

    /// Writes a group with its members.
    private mutating func write(
        _ members: [JSONNewMember],
        in prefix: String,
        named name: Range<Int>,
        _ layout: JSONLayout
    ) {
        let (outer, index) = (group, groups.count)
        (group, depth) = (oldGroups + index, depth + 1)
        groups.append(JSONGroup(prefix: prefix, parent: outer, depth: depth, name: name, open: bytes.count, close: 0))
        let inner = layout.ofMembers
        bytes.append(ASCII.openBrace)
        if let lineEnd = inner.lineEnd { bytes += lineEnd + inner.margin }
        write(members, inner)
        if let lineEnd = inner.lineEnd { bytes += lineEnd + inner.closingMargin }
        groups[index].close = bytes.count
        bytes.append(ASCII.closeBrace)
        (group, depth) = (outer, depth - 1)
    }

    /// A writer that continues the text in its place.
    private mutating func makeWriter(_ layout: JSONLayout) -> JSONWriter {
        var writer = JSONWriter(layout)
        writer.limit = limit
        swap(&writer.bytes, &bytes)
        return writer
    }
}

extension JSONEntry {
    /// The entry with another value, which is not `null`.
    fileprivate func with(value: Range<Int>, in bytes: [UInt8]) -> JSONEntry {
        var entry = JSONEntry(name: name, value: value, hash: UInt64(hash), hasEscapes: nameHasEscapes, isNull: false)
        if JSONReader.isKept(valueBeginningWith: bytes[value.lowerBound], length: value.count) { entry.keptNumber = 0 }
        return entry
    }
}

extension JSONGroup {
    /// Moves the group with the text around it.
    fileprivate mutating func move(by distance: Int) {
        name = (name.lowerBound + distance)..<(name.upperBound + distance)
        (open, close) = (open + distance, close + distance)
    }
}

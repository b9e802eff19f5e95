@_spi(StoreAuthors) import KeyspanCore

/// Parts of a JSON text that are replaced by new text, and the entries in it.
struct TextSplices {
    private struct Splice {
        /// The part of the old text.
        let range: Range<Int>
        /// The part of the new text in its place.
        let text: Range<Int>
        /// The new entries in it.
        let entries: Range<Int>
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
        new = JSONNewText(limit: limit)
    }

    var isEmpty: Bool { splices.isEmpty }

    /// Replaces a part of the text.
    ///
    /// - Parameters:
    ///   - range: The part, which overlaps with no other one.
    ///   - place: The place of the entry whose value the part is, if it is one.
    ///   - write: Writes the new text.
    mutating func replace(
        _ range: Range<Int>,
        ofEntryAt place: Int? = nil,
        _ write: (inout JSONNewText) -> Void
    ) {
        let starts = (new.bytes.count, new.entries.count)
        write(&new)
        let text = starts.0..<new.bytes.count
        if range.isEmpty, text.isEmpty { return }
        growth += text.count - range.count
        splices.append(
            Splice(
                range: range,
                text: text,
                entries: starts.1..<new.entries.count,
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
        var hasSameKeys = true
        var (position, place) = (0, 0)

        /// Copies the old text up to an offset, with the entries that begin before it.
        func copy(upTo end: Int) {
            let distance = bytes.count - position
            bytes += document.bytes[position..<end]
            while place < old.entries.count, old.entries[place].start < end {
                var entry = old.entries[place]
                entry.move(by: distance)
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
            for var entry in new.entries[splice.entries] {
                entry.move(by: distance)
                entries.append(entry)
                hasSameKeys = false
            }
        }
        copy(upTo: document.bytes.count)

        var object = old.object
        // All splices are in it.
        object.close += growth
        var index = JSONIndex(entries, of: object, named: hasSameKeys ? old : nil)
        if !hasSameKeys, !document.hasComments, !object.isSorted {
            // So that it is treated like that of the same text that is read.
            index.object.isSorted = JSONMembers(of: index).areSorted(in: bytes)
        }
        return JSONDocument(bytes, index, allowingComments: document.allowsComments, hasComments: document.hasComments)
    }
}

/// The text of new members and values, with the places of their entries in it.
struct JSONNewText {
    /// The text.
    var bytes: [UInt8] = []
    /// The entries.
    private(set) var entries: [JSONEntry] = []

    private let limit: Int

    fileprivate init(limit: Int) {
        self.limit = limit
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
        case .member(let value, let text):
            let name = writeName(member.name, layout)
            let valueStart = bytes.count
            if let text { bytes += text } else { write(value, layout) }
            let entry = JSONEntry(
                name: name,
                value: valueStart..<bytes.count,
                hash: UTF8Hash.of(member.name),
                hasEscapes: bytes[name].contains(ASCII.backslash),
                isNull: false
            )
            entries.append(entry.with(value: valueStart..<bytes.count, in: bytes))
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

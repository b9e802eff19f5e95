@_spi(StoreAuthors) import KeyspanCore

/// Makes a new text from a document, whose bytes stay where no value changes.
///
/// A changed value is written in the place of the old one, and of a collection only the items that change. A new member goes to its sorted
/// place if the names of its object are sorted, else to the end, on a line of its own if the other members have one. A removed member takes
/// the space before it along, and the comments on its line. All other comments stay with their members.
struct JSONEditor {
    let document: JSONDocument
    private let members: JSONMembers
    private(set) var splices: TextSplices
    /// The place of the document in another one, if it is the text of a collection.
    let context: Context?
    private let layout: JSONLayout

    /// The text around a collection that is edited on its own.
    struct Context {
        /// The layout of the member or element that the collection is.
        let layout: JSONLayout
        /// The number of nested collections that may still be edited and not written as a whole.
        let levels: Int
    }

    /// Plans the changes by writes.
    ///
    /// - Parameters:
    ///   - writes: The keys, each once, with their values; `nil` removes a key.
    ///   - document: The old text.
    ///   - limit: The number of bytes after which the plan may stop.
    ///   - context: The text around the document, if it is that of a collection.
    init(
        _ writes: [(key: String, value: PropertyListValue?)],
        to document: JSONDocument,
        upTo limit: Int,
        within context: Context? = nil
    ) {
        self.document = document
        self.context = context
        members = JSONMembers(of: document.index)
        layout = JSONLayout(of: members, within: context?.layout, in: document)
        splices = TextSplices(for: document, limit: limit)
        var added: [JSONNewMember] = []
        var removed: Set<Int> = []
        for (key, value) in writes {
            guard let place = document.place(ofKey: key) else {
                if let value { added.append(JSONNewMember(name: key, value: value)) }
                continue
            }
            if let value {
                if document.value(at: place) != value { replaceValue(at: place, by: value) }
            } else if !document.index.entries[place].isNull {
                removed.insert(place)
            }
        }
        if let place = removed.first, let member = renamed(at: place, removed, added) {
            // It keeps its place, and with it its comments.
            splices.replace(members[place].start..<members[place].end) { $0.write(member, layout) }
        } else {
            edit(stretches(of: removed, added))
        }
        splices.sort()
    }

    /// The member with a new name, if the writes do no more than to rename one in a text with comments.
    private func renamed(at place: Int, _ removed: Set<Int>, _ added: [JSONNewMember]) -> JSONNewMember? {
        guard document.hasComments, removed.count == 1, added.count == 1, case .member(let value, _) = added[0].content,
            document.value(at: place) == value
        else { return nil }
        return JSONNewMember(
            name: added[0].name,
            value: value,
            text: document.bytes[document.index.entries[place].value]
        )
    }

    /// Plans the changes of an array, whose elements are the entries of a document.
    init(_ changes: ArrayChanges, to document: JSONDocument, within context: Context) {
        self.document = document
        self.context = context
        members = JSONMembers(of: document.index)
        layout = JSONLayout(of: members, within: context.layout, in: document)
        splices = TextSplices(for: document, limit: .max)
        for (place, value) in changes.replaced { replaceValue(at: place, by: value) }
        let isOnOneLine = document.index.entries.indices.contains(where: isCollectionOnOneLine)
        edit(changes.stretches.map { ($0, $1.map { JSONNewMember(element: $0, isOnOneLine: isOnOneLine) }) })
        splices.sort()
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
        let limit = min(limit, JSONDocument.maximumSize)
        let editor = JSONEditor(writes, to: document, upTo: limit)
        if document.bytes.count + editor.splices.growth > limit { return nil }
        return editor.splices.isEmpty ? document : editor.splices.applied()
    }

    /// The number of bytes of the document that ``apply(_:to:upTo:)`` would make.
    ///
    /// Takes only the time of the writes.
    static func size(
        of document: JSONDocument,
        applying writes: [(key: String, value: PropertyListValue?)],
        upTo limit: Int
    ) -> Int? {
        let limit = min(limit, JSONDocument.maximumSize)
        let size = document.bytes.count + JSONEditor(writes, to: document, upTo: limit).splices.growth
        return size > limit ? nil : size
    }

    private mutating func replaceValue(at place: Int, by value: PropertyListValue) {
        let entry = document.index.entries[place]
        let layout = isCollectionOnOneLine(at: place) ? layout.onOneLine : layout
        let levels = context?.levels ?? Self.deepestEdit
        let edited =
            levels > 0 ? editedCollection(at: place, to: value, Context(layout: layout, levels: levels - 1)) : nil
        splices.replace(entry.value, ofEntryAt: place) { text in
            if let edited {
                text.bytes += edited
            } else {
                text.write(value, layout)
            }
        }
    }

    /// The number of nested collections of which only the items that change are written.
    ///
    /// Each level reads the text of the levels in it once more.
    private static let deepestEdit = 16

    /// Whether a value is an array or object with items that a person has put on one line.
    private func isCollectionOnOneLine(at place: Int) -> Bool {
        let first = document.bytes[document.index.entries[place].value.lowerBound]
        guard first == ASCII.openBrace || first == ASCII.openBracket, !hasLineEnd(at: place) else { return false }
        return switch document.value(at: place) {
        case .array(let elements)?: !elements.isEmpty
        case .dictionary(let entries)?: !entries.isEmpty
        default: false
        }
    }

    private func hasLineEnd(at place: Int) -> Bool {
        document.bytes[document.index.entries[place].value].contains(ASCII.lineFeed)
    }
}

// MARK: - Objects that get and lose members

extension JSONEditor {
    /// Plans the items that the object or array gets and loses.
    private mutating func edit(_ stretches: [(removed: Range<Int>, new: [JSONNewMember])]) {
        for (removed, new) in stretches {
            let stretch = JSONStretch(
                object: document.index.object,
                before: removed.lowerBound > 0 ? members[removed.lowerBound - 1] : nil,
                removed: Array(members[removed]),
                after: removed.upperBound < members.count ? members[removed.upperBound] : nil
            )
            if document.hasComments, stretch.hasComments(in: document.bytes) {
                splices.edit(stretch, of: document.bytes, adding: new, layout)
            } else {
                edit(stretch, adding: new)
            }
        }
    }

    /// The parts of the object between members that stay, in which something changes: the indices of the members that are removed there,
    /// and the new members.
    private func stretches(
        of removed: Set<Int>,
        _ added: [JSONNewMember]
    ) -> [(removed: Range<Int>, new: [JSONNewMember])] {
        let isSorted = document.index.object.isSorted
        var runs = members.runs(of: removed)[...]
        var stretches: [(removed: Range<Int>, new: [JSONNewMember])] = []
        let added = added.sorted { $0.name.utf8Precedes($1.name) }
        let indices =
            isSorted ? members.indices(of: added.map(\.name), in: document) : added.map { _ in members.count }
        for (member, index) in zip(added, indices) {
            while let run = runs.first, run.upperBound < index { stretches.append((runs.removeFirst(), [])) }
            if let run = runs.first, run.lowerBound <= index {
                stretches.append((runs.removeFirst(), []))
            } else if stretches.last.map({ $0.removed.lowerBound <= index && index <= $0.removed.upperBound }) != true {
                stretches.append((index..<index, []))
            }
            stretches[stretches.count - 1].new.append(member)
        }
        return stretches + runs.map { ($0, []) }
    }

    /// Plans the changes in a part of an object without comments.
    private mutating func edit(_ stretch: JSONStretch, adding new: [JSONNewMember]) {
        if let before = stretch.before {
            splices.replace(before.end..<(stretch.removed.last?.end ?? before.end)) { text in
                for member in new { text.write(member, behind: layout.separator, layout) }
            }
        } else if let first = stretch.removed.first, let last = stretch.removed.last, !new.isEmpty {
            splices.replace(first.start..<last.end) { $0.write(new, layout) }
        } else if let first = stretch.removed.first, let after = stretch.after {
            splices.replace(first.start..<after.start) { _ in }
        } else if let after = stretch.after {
            splices.replace(after.start..<after.start) { text in
                for member in new {
                    text.write(member, layout)
                    text.bytes += layout.separator
                }
            }
        } else {
            splices.replace((stretch.object.open + 1)..<stretch.object.close) { text in
                if new.isEmpty { return }
                if let lineEnd = layout.lineEnd { text.bytes += lineEnd + layout.margin }
                text.write(new, layout)
                if let lineEnd = layout.lineEnd { text.bytes += lineEnd + layout.closingMargin }
            }
        }
    }
}

/// A part of an object between two members that stay.
struct JSONStretch {
    let object: JSONObject
    /// The member that stays before it; `nil` if it begins with the object.
    let before: JSONMembers.Member?
    /// The members that are removed.
    let removed: [JSONMembers.Member]
    /// The member that stays behind it; `nil` if it ends with the object.
    let after: JSONMembers.Member?

    /// The whole part.
    var range: Range<Int> { (before?.end ?? object.open + 1)..<(after?.start ?? object.close) }

    /// The spaces, commas and comments in it.
    var gaps: [Range<Int>] {
        let starts = [range.lowerBound] + removed.map(\.end)
        let ends = removed.map(\.start) + [range.upperBound]
        return zip(starts, ends).map { $0..<$1 }
    }

    func hasComments(in bytes: [UInt8]) -> Bool {
        gaps.contains { bytes[$0].contains(ASCII.slash) }
    }
}

@_spi(StoreAuthors) package import KeyspanCore

/// The values of a text that is being read, with the lines of their names.
///
/// It has the rules of ``JSONText``: nested values as deep as there, tagged forms, and members that are absent because they are null.
/// The first mapping is the top level, which is neither a tagged form nor a level of nesting.
package struct TextTree {
    /// A value that was read: a scalar, or a collection with all that is in it.
    package struct Item: Sendable {
        fileprivate enum Content {
            case null
            case scalar(PropertyListValue)
            case collection(ReadCollection)
        }

        fileprivate let content: Content
        fileprivate let lines: MemberLines
        /// How the text has a scalar that is not a text, if the value is written in another way.
        fileprivate let text: String?

        /// How much memory and time a copy of the value takes: the bytes of its texts and 16 for each value.
        package let cost: Int

        /// The value that makes a member absent.
        package static let null = Item(content: .null, lines: MemberLines(), text: nil, cost: 16)

        /// Makes a scalar.
        ///
        /// - Parameters:
        ///   - value: The value.
        ///   - text: The text that stands for it without quotes; `nil` for a text in quotes.
        package static func scalar(_ value: PropertyListValue, writtenAs text: String? = nil) -> Item {
            let bytes =
                switch value {
                case .string(let text): text.utf8.count
                case .data(let data): data.count
                default: 0
                }
            let ownText = text.flatMap { value.kind == .string || $0.hasSameUTF8(as: value.description) ? nil : $0 }
            return Item(content: .scalar(value), lines: MemberLines(), text: ownText, cost: 16 + bytes)
        }
    }

    private struct Frame {
        var collection: OpenCollection
        let start: LineAndColumn
        /// The name of the member that is being read, and its place.
        var name: (text: String, place: LineAndColumn)?
        /// The places of the names so far.
        var places: TextDictionary<LineAndColumn> = [:]
        var lines = MemberLines()
        /// The number of elements so far.
        var count = 0
        var cost = 16
    }

    private var frames: [Frame] = []

    /// Makes a tree without a top level.
    package init() {}

    /// The number of collections that are open.
    package var depth: Int { frames.count }

    /// Whether the innermost collection is a mapping that waits for a name.
    package var expectsName: Bool {
        guard let frame = frames.last else { return false }
        return frame.collection.isObject && frame.name == nil
    }

    /// Steps into a collection; at first, into the mapping at the top level.
    package mutating func open(isMapping: Bool, at place: LineAndColumn) throws(TextFileError) {
        // An object that is one level too deep may still be a tag, which does not count as a level.
        let limit = PropertyListValue.maximumNesting
        let outerLevels =
            switch frames.count {
            case 0: -1
            case 1: 0
            default: frames[frames.count - 1].collection.levels(aroundObject: isMapping)
            }
        guard outerLevels < (isMapping ? limit + 1 : limit), frames.count <= 2 * limit else {
            throw .nesting(at: place)
        }
        let collection = OpenCollection(start: 0, isObject: isMapping, outerLevels: outerLevels)
        frames.append(Frame(collection: collection, start: place))
    }

    /// Begins a member of the innermost mapping.
    package mutating func begin(_ name: String, at place: LineAndColumn) throws(TextFileError) {
        guard let index = frames.indices.last else { return }
        if let first = frames[index].places.updateValue(place, forKey: name) {
            throw .duplicate(name, first: first, at: place)
        }
        frames[index].name = (name, place)
        frames[index].collection.begin(name: name, at: 0)
    }

    /// Adds a value: the value of the member that was begun, or an element.
    ///
    /// - Parameter place: Where the value is, for errors.
    package mutating func append(_ item: Item, at place: LineAndColumn) throws(TextFileError) {
        guard let index = frames.indices.last else { return }
        do throws(JSONFault) {
            switch item.content {
            case .null:
                guard frames[index].collection.isObject else { throw JSONFault(.nullElement, at: 0) }
                try frames[index].collection.appendNull()
            case .scalar(let value): try frames[index].collection.append(value)
            case .collection(let collection): try frames[index].collection.append(collection)
            }
        } catch {
            // Names were compared before, so only an element can be refused.
            throw .nullElement(at: place)
        }
        if let name = frames[index].name {
            frames[index].lines[name.text] = .init(line: name.place.line, text: item.text, parts: item.lines)
            frames[index].name = nil
        } else {
            let element = frames[index].count
            frames[index].lines[element] = .init(line: place.line, text: item.text, parts: item.lines)
            frames[index].count += 1
        }
        frames[index].cost +=
            item.cost + (frames[index].collection.isObject ? frames[index].collection.name.utf8.count : 0)
    }

    /// Steps out of the innermost collection, which the caller adds to the one around it.
    package mutating func close() throws(TextFileError) -> Item {
        guard let frame = frames.popLast() else { return .null }
        let outerLevels = frame.collection.outerLevels
        let collection = frame.collection.close()
        let nesting = outerLevels == 0 ? collection.interpreted.nesting : collection.leastNesting
        guard outerLevels + nesting <= PropertyListValue.maximumNesting else { throw .nesting(at: frame.start) }
        return Item(content: .collection(collection), lines: frame.lines, text: nil, cost: frame.cost)
    }

    /// Throws if a whole item cannot be added here because it would be nested too deeply.
    package func check(nestingOf item: Item, at place: LineAndColumn) throws(TextFileError) {
        guard case .collection(let collection) = item.content, let last = frames.last else { return }
        let levels = frames.count == 1 ? 0 : last.collection.outerLevels + 1
        guard levels + collection.interpreted.nesting <= PropertyListValue.maximumNesting else {
            throw .nesting(at: place)
        }
    }

    /// The whole text, after its top level was closed.
    package static func text(of topLevel: Item) -> ParsedText {
        guard case .collection(let collection) = topLevel.content,
            case .dictionary(let members)? = collection.literal?.value
        else {
            return .empty
        }
        return ParsedText(members: PropertyListTable(members), lines: topLevel.lines)
    }
}

extension TextFileError {
    fileprivate static func nesting(at place: LineAndColumn) -> TextFileError {
        TextFileError(
            at: place,
            expected: "at most \(PropertyListValue.maximumNesting) nested collections",
            found: "one more",
            remedy: "store it in a flatter form"
        )
    }

    fileprivate static func nullElement(at place: LineAndColumn) -> TextFileError {
        TextFileError(
            at: place,
            expected: "a value",
            found: "a null",
            remedy: "a property list has no null: remove the element"
        )
    }

    /// A name that a mapping has twice.
    package static func duplicate(
        _ name: String,
        first: LineAndColumn,
        at place: LineAndColumn
    ) -> TextFileError {
        TextFileError(
            at: place,
            expected: "a name that the mapping does not have yet",
            found: "\(name.quoted) again, which is in line \(first.line) already,",
            remedy: "remove one of the two members"
        )
    }
}

@_spi(StoreAuthors) import KeyspanCore
import KeyspanTesting

@_spi(StoreAuthors) @testable import KeyspanFileStore

/// Texts as a person might write them, with nested objects, comments and layouts that no program would choose, and changes of their
/// values.
struct RandomPerson {
    /// The part of a text that a change reaches.
    struct Change {
        /// The items whose text may change, with everything in them.
        var paths: [[String]]
        /// The one collection several of whose items change.
        var collection: [String]?

        func contains(_ path: [String]) -> Bool { paths.contains { path.starts(with: $0) } }

        /// Whether a comment may go: one in an item that changes, or between those of a collection, which may move.
        func mayLoseComment(at path: [String]) -> Bool { contains(path) }
    }

    private var random: SeededGenerator
    private var values: RandomValues
    /// Whether names may be those of tagged forms, and names and values any.
    let isWild: Bool
    /// The groups of the person's program.
    let naming: NestedNaming
    /// Whether the text may have comments.
    let allowsComments: Bool
    private var number = 0
    private var commentNumber = 0
    /// Paths of collections with equal items: it is undecided which one of them a change of one item means.
    private var repeatingPaths: Set<[String]> = []

    init(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        values = RandomValues(seed: seed)
        isWild = Int.random(in: 0..<3, using: &random) == 0
        let keys = (0..<Int.random(in: 1...12, using: &random)).map { _ in Self.key(&random) }
        let newNames: [NestedNaming.NewNames] = [.likeOthers, .nested, .flat]
        naming = NestedNaming(
            groups: GroupNames(of: keys),
            newNames: newNames.randomElement(using: &random) ?? .flat,
            deepestCounts: Bool.random(using: &random)
        )
        allowsComments = !isWild || Bool.random(using: &random)
        self.random = random
    }

    private static func key(_ random: inout SeededGenerator) -> String {
        (0..<Int.random(in: 1...4, using: &random)).map { _ in
            ["a", "b", "c", "é", "x y"].randomElement(using: &random) ?? ""
        }
        .joined(separator: ".")
    }

    private mutating func roll(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

    private mutating func key() -> String { isWild && roll(3) == 0 ? values.string() : Self.key(&random) }

    // MARK: Texts

    mutating func file() -> String { "\(space())\(object(levels: 3))\(space())" }

    private mutating func space() -> String {
        let spaces = ["", "", " ", "\n", "\n    ", "\r\n\t", "\n\n  "]
        let text = spaces[roll(7)]
        guard allowsComments, roll(5) == 0 else { return text }
        commentNumber += 1
        let comment = [
            "/* c\(commentNumber)c ] \" */", "/*c\(commentNumber)c \n}, */", "// c\(commentNumber)c [{,\"\n",
        ]
        return text + comment[roll(3)] + spaces[roll(7)]
    }

    private mutating func comma(after items: [String]) -> String {
        allowsComments && !items.isEmpty && roll(4) == 0 ? ",\(space())" : ""
    }

    private mutating func quoted(_ text: String) -> String {
        var writer = JSONWriter(.standard.onOneLine)
        writer.writeString(text)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// An object that may be that of a group.
    private mutating func object(levels: Int) -> String {
        let names = (0..<roll(5)).map { _ in UTF8Text(wrappedValue: key()) }
        var items: [String] = []
        for name in Set(names).sorted(by: { $0.wrappedValue.utf8Precedes($1.wrappedValue) }).shuffled(using: &random) {
            let isObject = levels > 0 && Bool.random(using: &random)
            let content = isObject ? object(levels: levels - 1) : roll(10) == 0 ? "null" : value(levels: 3)
            items.append("\(space())\(quoted(name.wrappedValue))\(space()):\(space())\(content)\(space())")
        }
        return "{\(items.isEmpty ? space() : "")\(items.joined(separator: ","))\(comma(after: items))}"
    }

    private mutating func scalar() -> String {
        number += 1
        if isWild, roll(2) == 0 {
            var writer = JSONWriter(Bool.random(using: &random) ? .standard : .standard.onOneLine)
            writer.writeValue(values.value(levels: 1))
            return String(decoding: writer.bytes, as: UTF8.self)
        }
        let texts = ["\(number)", "\(number).50", "\(number)e1", "\"\\u0061 / \\/ \(number)\""]
        return (texts + ["{\"$date\":\(space())\(number)}"])[roll(5)]
    }

    private mutating func value(levels: Int) -> String {
        if levels == 0 || roll(6) == 0 { return scalar() }
        // With a number of its own, each collection is unlike the others.
        var items = [scalar()] + (0..<roll(4)).map { _ in value(levels: levels - 1) }
        items.swapAt(0, roll(items.count))
        let isArray = Bool.random(using: &random)
        if !isArray {
            items = zip(names().shuffled(using: &random), items).map { "\($0)\(space()):\(space())\($1)" }
            if roll(4) == 0 { items.append("\"null\" : null") }
        }
        let list = items.map { space() + $0 + space() }.joined(separator: ",") + comma(after: items)
        return isArray ? "[\(list)]" : "{\(list)}"
    }

    private func names() -> [String] {
        let names = ["\"a\"", "\"\\u0062\"", "\"é\"", "\"e\u{301}\"", "\"\"", "\"a.b\"", "\"\\/\\\"\""]
        return isWild
            ? ["\"$data\"", "\"$date\"", "\"\\u0024real\"", "\"$dictionary\"", "\"$x\""] + names.prefix(2) : names
    }

    // MARK: Changes

    /// Changes one item at any depth, several items of a collection without others in it, or several keys.
    mutating func change(_ table: inout PropertyListTable) -> Change {
        let names = names(in: table)
        let flatNames = names.filter { table[$0]?.isFlatCollection == true }
        let distinctNames = names.filter { !isRepeating(at: ScannedText.path($0)) }
        if roll(3) == 0, let name = distinctNames.randomElement(using: &random), var value = table[name] {
            var path = ScannedText.path(name)
            change(&value, &path)
            table[name] = value
            return Change(paths: [path])
        }
        if roll(2) == 0, let name = flatNames.randomElement(using: &random), var value = table[name] {
            for _ in 0...roll(3) { changeFlat(&value) }
            let path = ScannedText.path(name)
            repeatingPaths.insert(path)
            table[name] = value
            return Change(paths: [path], collection: path)
        }
        var written: [String] = []
        for _ in 0..<roll(5) {
            let present = Bool.random(using: &random) ? self.names(in: table).randomElement(using: &random) : nil
            let name = present ?? key()
            table[name] = Bool.random(using: &random) ? nil : newValue()
            written.append(name)
        }
        if roll(15) == 0 {
            written += table.sortedKeys
            for key in table.sortedKeys { table[key] = nil }
        }
        return Change(paths: written.map { ScannedText.path($0) })
    }

    /// The names that lead to a value, sorted.
    private func names(in table: PropertyListTable) -> [String] {
        func names(of value: PropertyListValue, named name: String) -> [String] {
            guard case .dictionary(let members) = value else { return [name] }
            return [name] + members.flatMap { names(of: $1, named: "\(name).\($0)") }
        }
        let all = Set(table.flatMap { names(of: $1, named: $0) }.map { UTF8Text($0) })
        return all.sorted().map(\.wrappedValue).filter { table[$0] != nil }
    }

    private func isRepeating(at path: [String]) -> Bool {
        repeatingPaths.contains { $0.starts(with: path) || path.starts(with: $0) }
    }

    /// A value that no text has.
    private mutating func newValue() -> PropertyListValue {
        number += 1
        let value = PropertyListValue.integer(.init(1_000_000 + number))
        return [value, [value], ["a": value], "\(value)", []][roll(5)]
    }

    private mutating func changeFlat(_ value: inout PropertyListValue) {
        if case .array(var list) = value {
            switch roll(4) {
            case 0: list.insert(list.randomElement(using: &random) ?? newValue(), at: roll(list.count + 1))
            case 1 where !list.isEmpty: list.remove(at: roll(list.count))
            case 2 where !list.isEmpty: list.swapAt(0, roll(list.count))
            default: list.insert(newValue(), at: roll(list.count + 1))
            }
            value = .array(list)
        } else if case .dictionary(var entries) = value {
            let names = entries.keys.sorted { $0.utf8Precedes($1) }
            entries[names.randomElement(using: &random) ?? "a"] = nil
            if Bool.random(using: &random) { entries["\(roll(7))"] = newValue() }
            value = .dictionary(entries)
        }
    }

    /// Changes one item.
    ///
    /// - Parameter path: The path of the value, then that of the item whose text may change.
    private mutating func change(_ value: inout PropertyListValue, _ path: inout [String]) {
        switch value {
        case .array(var elements):
            let index = roll(elements.count + 1)
            if index == elements.count || roll(5) == 0 {
                elements.insert(newValue(), at: index)
                path.append("new")
            } else {
                path.append("\(index)")
                switch roll(5) {
                case 0: elements.remove(at: index)
                case 1: elements[index] = newValue()
                default: change(&elements[index], &path)
                }
            }
            value = .array(elements)
        case .dictionary(var entries):
            let names = entries.keys.sorted { $0.utf8Precedes($1) }
            let newNames = ["new", "null", "", "z\n"] + (isWild ? ["$date", "$dictionary"] : [])
            let present = roll(5) > 0 ? names.randomElement(using: &random) : nil
            let name = present ?? newNames.randomElement(using: &random) ?? ""
            path += ScannedText.path(name)
            switch present == nil ? 1 : roll(5) {
            case 0: entries[name] = nil
            case 1: entries[name] = newValue()
            default:
                var item = entries[name] ?? ""
                change(&item, &path)
                entries[name] = item
            }
            value = .dictionary(entries)
        default: value = newValue()
        }
    }
}

extension PropertyListValue {
    /// Whether it is a list or a dictionary of values that are neither.
    fileprivate var isFlatCollection: Bool {
        let items = arrayValue ?? dictionaryValue.map { Array($0.values) }
        return items?.allSatisfy { $0.arrayValue == nil && $0.dictionaryValue == nil } ?? false
    }
}

/// The comments, scalars and items of a text, with the paths of the items that they are in.
struct ScannedText {
    private(set) var comments: [(path: [String], text: String)] = []
    private(set) var scalars: [(path: [String], text: String)] = []
    /// The items, each with the path of its collection and its own name as it is.
    private(set) var items: [(collection: [String], name: [UInt8])] = []
    private let bytes: [UInt8]
    private var offset = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        skipSpace([])
        scanValue([])
        skipSpace([])
    }

    /// A name as a path: a name with dots leads through objects.
    ///
    /// Two parts differ if their UTF-8 does.
    static func path(_ name: String) -> [String] {
        name.split(separator: ".", omittingEmptySubsequences: false).map { "\(Array($0.utf8))" }
    }

    private var current: UInt8 { offset < bytes.count ? bytes[offset] : 0 }

    private func text(from start: Int) -> String { String(decoding: bytes[start..<offset], as: UTF8.self) }

    private mutating func skipSpace(_ path: [String]) {
        while " \n\r\t/,".utf8.contains(current) {
            let start = offset
            offset += 1
            guard bytes[start] == UInt8(ascii: "/") else { continue }
            if current == UInt8(ascii: "/") {
                while current != 0x0A, current != 0x0D { offset += 1 }
            } else {
                offset += 1
                while !bytes[offset...].starts(with: "*/".utf8) { offset += 1 }
                offset += 2
            }
            comments.append((path, text(from: start)))
        }
    }

    private mutating func scanString() -> String {
        let start = offset
        offset += 1
        while current != UInt8(ascii: "\"") { offset += current == UInt8(ascii: "\\") ? 2 : 1 }
        offset += 1
        return text(from: start)
    }

    private mutating func scanValue(_ path: [String]) {
        let start = offset
        switch current {
        case UInt8(ascii: "["), UInt8(ascii: "{"):
            let isArray = current == UInt8(ascii: "[")
            offset += 1
            skipSpace(path)
            var index = 0
            while current != UInt8(ascii: isArray ? "]" : "}") {
                var (item, ownName) = (path + ["\(index)"], Array("\(index)".utf8))
                if !isArray {
                    let name = scanString()
                    let text = (try? JSONText.parse(Array(name.utf8)))?.stringValue ?? ""
                    (item, ownName) = (path + Self.path(text), Array(text.utf8))
                    skipSpace(item)
                    offset += 1
                    skipSpace(item)
                }
                items.append((path, ownName))
                scanValue(item)
                skipSpace(path)
                index += 1
            }
            offset += 1
        case UInt8(ascii: "\""): scalars.append((path, scanString()))
        default:
            while current != 0, !" \n\r\t/,]}".utf8.contains(current) { offset += 1 }
            scalars.append((path, text(from: start)))
        }
    }
}

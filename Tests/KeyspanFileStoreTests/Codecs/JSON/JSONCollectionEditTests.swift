@_spi(StoreAuthors) import KeyspanCore
import KeyspanTesting
import Testing

@_spi(StoreAuthors) @testable import KeyspanFileStore

/// Changes inside of nested lists and dictionaries that a person has written.
@Suite struct JSONCollectionEditTests {
    private static let form = EntryForm(groups: GroupNames(of: ["list", "tls.port", "tls.host"]), allowsComments: true)

    @Test(
        arguments: [
            (#"{"tls.port": { "old": null }}"#, ["x": 1], #"{"tls.port": { "old": null, "x": 1 }}"#),
            (#"{"tls.port": [ { "old": null } ]}"#, [["x": 1]], #"{"tls.port": [ { "old": null, "x": 1 } ]}"#),
            (#"{"tls.port": { "old": null }}"#, ["old": 1], #"{"tls.port": { "old": 1 }}"#),
        ] as [(String, PropertyListValue, String)]
    )
    func `members with null stay in a dictionary that has no others`(
        text: String,
        value: PropertyListValue,
        result: String
    )
        throws
    {
        let document = try JSONDocument(Array(text.utf8), as: Self.form)
        let edited = try #require(JSONEditor.apply([("tls.port", value)], to: document, upTo: .max))
        #expect(String(decoding: edited.bytes, as: UTF8.self) == result)
    }

    @Test(arguments: 0..<TestLevel.current.pick(300, thorough: 3_000, exhaustive: 30_000))
    func `one change in nested collections leaves all other text`(run: Int) throws {
        let seed = SeededGenerator.seedOfRun &+ UInt64(run)
        var person = RandomPerson(seed: seed, hasSpecialNames: run % 4 == 3)
        var document = try JSONDocument(Array(person.file().utf8), as: Self.form)
        for _ in 0..<8 {
            guard let key = ["list", "tls.port"].filter(document.hasValue).randomElement(using: &person.random),
                var value = document.value(forKey: key)
            else { return }
            let isFlat = !document.index.groups.contains { $0.prefix.hasSameUTF8(as: "tls.") }
            var path =
                isFlat ? [ScannedText.component(key)] : key.split(separator: ".").map { ScannedText.component("\($0)") }
            person.change(&value, &path)
            let writes: [(key: String, value: PropertyListValue?)] = [(key, value)]
            let edited = try #require(JSONEditor.apply(writes, to: document, upTo: .max))
            let words = """
                seed \(seed): \(key) = \(value) in
                \(String(decoding: document.bytes, as: UTF8.self)) made
                \(String(decoding: edited.bytes, as: UTF8.self))
                """
            let read = try #require(try? JSONDocument(edited.bytes, as: Self.form), "\(words)")
            #expect(read.value(forKey: key) == value && edited.value(forKey: key) == value, "\(words)")
            var expected = PropertyListTable(document)
            expected[key] = value
            #expect(PropertyListTable(read) == expected, "\(words)")
            let size = edited.bytes.count
            let sizes = [size, size - 1].map { JSONEditor.size(of: document, applying: writes, upTo: $0) }
            #expect(edited === document || sizes == [size, nil], "\(words)")
            if !person.hasSpecialNames {
                let (before, after) = (ScannedText(document.bytes), ScannedText(edited.bytes))
                let comments = before.comments.filter { !$0.path.starts(with: path) }.map(\.text)
                #expect(after.comments.map(\.text).filter(comments.contains) == comments, "\(words)")
                // All others are there once.
                let items = before.scalars.filter { !$0.path.starts(with: path) && $0.text != "null" }.map(\.text)
                #expect(after.scalars.map(\.text).filter(items.contains) == items, "\(words)")
            }
            document = edited
        }
    }
}

/// Texts as a person might write them, and changes of their values.
private struct RandomPerson {
    var random: SeededGenerator
    /// Whether names may be those of tagged forms.
    let hasSpecialNames: Bool
    private var number = 0
    private var commentNumber = 0

    init(seed: UInt64, hasSpecialNames: Bool) {
        random = SeededGenerator(seed: seed)
        self.hasSpecialNames = hasSpecialNames
    }

    private mutating func roll(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

    mutating func file() -> String {
        let (list, port) = (value(levels: 5), value(levels: 4))
        let tls = roll(3) == 0 ? "\"tls.port\":\(port)" : "\"tls\"\(space()): {\(space())\"port\" : \(port)\(space())}"
        return "\(space()){\(space())\"list\":\(space())\(list)\(space()),\(space())\(tls)\(space())}\(space())"
    }

    private mutating func space() -> String {
        var text = ["", "", " ", "\n", "\n    ", "\r\n\t", "\t"][roll(7)]
        guard roll(5) == 0 else { return text }
        commentNumber += 1
        text +=
            ["/* c\(commentNumber)c ] \" */", "/* c\(commentNumber)c \n}, */", "// c\(commentNumber)c [{,\"\n"][roll(3)]
        return text + ["", " ", "\n  "][roll(3)]
    }

    private mutating func scalar() -> String {
        number += 1
        return [
            "\(number)", "\(number).50", "\(number)e1", "\"\\u0061 / \\/ \(number)\"",
            "{\"$date\":\(space())\(number)}",
        ][
            roll(5)
        ]
    }

    private mutating func value(levels: Int) -> String {
        if levels == 0 || roll(6) == 0 { return scalar() }
        // With a number of its own, each collection is unlike the others.
        var items = [scalar()] + (0..<roll(4)).map { _ in value(levels: levels - 1) }
        items.swapAt(0, roll(items.count))
        let isArray = Bool.random(using: &random)
        if !isArray {
            let names = names().shuffled(using: &random).prefix(items.count)
            items = zip(names, items).map { "\($0)\(space()):\(space())\($1)" }
            if roll(4) == 0 { items.append("\"null\" : null") }
        }
        items = items.map { space() + $0 + space() }
        let comma = roll(4) == 0 ? ",\(space())" : ""
        return "\(isArray ? "[" : "{")\(items.joined(separator: ","))\(comma)\(isArray ? "]" : "}")"
    }

    private func names() -> [String] {
        let names = ["\"a\"", "\"\\u0062\"", "\"é\"", "\"e\u{301}\"", "\"\"", "\"a.b\"", "\"\\/\\\"\""]
        return hasSpecialNames
            ? ["\"$data\"", "\"$date\"", "\"\\u0024real\"", "\"$dictionary\"", "\"$x\""] + names.prefix(2) : names
    }

    /// A value that no text has.
    private mutating func newValue() -> PropertyListValue {
        number += 1
        let value = PropertyListValue.integer(.init(1_000_000 + number))
        return [value, [value], ["a": value], "\(value)"][roll(4)]
    }

    /// Changes one item.
    ///
    /// - Parameter path: The path of the value, then that of the item whose text may change.
    mutating func change(_ value: inout PropertyListValue, _ path: inout [String]) {
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
            if let name = names.randomElement(using: &random), roll(5) > 0 {
                path.append(ScannedText.component(name))
                switch roll(5) {
                case 0: entries[name] = nil
                case 1: entries[name] = newValue()
                default:
                    var item = entries[name] ?? ""
                    change(&item, &path)
                    entries[name] = item
                }
            } else {
                let name =
                    (["new", "null", "", "z\n"] + (hasSpecialNames ? ["$date", "$dictionary"] : [])).randomElement(
                        using: &random
                    ) ?? ""
                path.append(ScannedText.component(name))
                entries[name] = newValue()
            }
            value = .dictionary(entries)
        default: value = newValue()
        }
    }
}

/// The comments and scalars of a text, with the paths of the items that they are in.
private struct ScannedText {
    private(set) var comments: [(path: [String], text: String)] = []
    private(set) var scalars: [(path: [String], text: String)] = []
    private let bytes: [UInt8]
    private var offset = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        skipSpace([])
        scanValue([])
        skipSpace([])
    }

    /// A name in a path, which differs if its UTF-8 does.
    static func component(_ name: String) -> String { "\(Array(name.utf8))" }

    private var current: UInt8 { offset < bytes.count ? bytes[offset] : 0 }

    private func text(from start: Int) -> String { String(decoding: bytes[start..<offset], as: UTF8.self) }

    private mutating func skipSpace(_ path: [String]) {
        while [0x20, 0x0A, 0x0D, 0x09, 0x2F, 0x2C].contains(current) {
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
                var item = path + ["\(index)"]
                if !isArray {
                    let name = scanString()
                    item = path + [Self.component((try? JSONText.parse(Array(name.utf8)))?.stringValue ?? "")]
                    skipSpace(item)
                    offset += 1
                    skipSpace(item)
                }
                scanValue(item)
                skipSpace(path)
                index += 1
            }
            offset += 1
        case UInt8(ascii: "\""): scalars.append((path, scanString()))
        default:
            while ![0x20, 0x0A, 0x0D, 0x09, 0x2F, 0x2C, 0x5D, 0x7D].contains(current) { offset += 1 }
            scalars.append((path, text(from: start)))
        }
    }
}

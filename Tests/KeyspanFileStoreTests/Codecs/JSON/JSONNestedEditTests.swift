import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTesting
import Testing

@_spi(StoreAuthors) @testable import KeyspanFileStore

/// Keys with dots in their names are found and written in the objects of a file.
@Suite
struct JSONNestedEditTests {
    /// The keys that the store knows; `headers` is a dictionary.
    static let keys = ["port", "tls.port", "tls.host", "tls.client.port", "tls.client.name", "log.level", "headers"]

    static func form(
        _ keys: [String] = keys,
        newKeys: FileStoreOptions.Nesting.NewKeys = .likeOthers,
        duplicates: FileStoreOptions.Nesting.Duplicates = .dottedCounts
    ) -> EntryForm {
        EntryForm(
            groups: GroupNames(of: keys),
            nesting: .init(newKeys: newKeys, duplicates: duplicates),
            allowsComments: true
        )
    }

    @Test(
        arguments: [
            (#"{"tls": {"port": 443, "client": {"port": 1}}}"#, ["tls.port": 443, "tls.client.port": 1]),
            (#"{"tls.port": 443, "tls.client": {"port": 1}}"#, ["tls.port": 443, "tls.client.port": 1]),
            (#"{"tls": {"client.port": 1, "other": {"a": 2}}}"#, ["tls.client.port": 1, "tls.other": ["a": 2]]),
            // A dictionary stays one; scalars, tagged forms and objects with tag-like names are values.
            (#"{"headers": {"a": {"b": 1}}, "log": 5}"#, ["headers": ["a": ["b": 1]], "log": 5]),
            (#"{"tls": {"$data": "aGk="}}"#, ["tls": .data(Data([0x68, 0x69]))]),
            (#"{"tls": {"port": 1, "$comment": "x"}}"#, ["tls": ["port": 1, "$comment": "x"]]),
            (#"{"tls": {}, "port": {"a": 1}}"#, ["port": ["a": 1]]),
            (#"{"tls": {"port": null, "host": "a"}}"#, ["tls.host": "a"]),
            (#"{"t\u006cs": {"p\u006frt": 443}}"#, ["tls.port": 443]),
        ] as [(String, PropertyListTable)]
    )
    func `an object is a group if keys are in it`(text: String, table: PropertyListTable) throws {
        let document = try JSONDocument(Array(text.utf8), as: Self.form())
        #expect(PropertyListTable(document) == table)
        for (key, value) in table { #expect(document.value(forKey: key) == value) }
    }

    @Test func `the error of a comment without an end says how to end it`() {
        let text = Array("{\n  /* one\n  \"port\": 1\n}".utf8)
        let error = #expect(throws: JSONTextError.self) { try JSONDocument(text, as: Self.form()) }
        #expect(error?.description.hasPrefix("line 2, column 3: ") == true)
        #expect(error?.remedy == "end the comment with `*/`")
    }

    @Test(arguments: [
        (#"{"tls": {"port": 1}, "tls.port": 2}"#, "tls.port", 2, 1),
        (#"{"tls.port": 2, "tls": {"port": 1}}"#, "tls.port", 2, 1),
        (#"{"tls.client": {"port": 2}, "tls": {"client": {"port": 1}}}"#, "tls.client.port", 2, 1),
        (#"{"tls": {"client": {"port": 1}, "client.port": 2}, "a": 1}"#, "tls.client.port", 2, 1),
    ])
    func `of two places of a key the rule chooses one`(text: String, key: String, dotted: Int, nested: Int) throws {
        let bytes = Array(text.utf8)
        #expect(try JSONDocument(bytes, as: Self.form()).value(forKey: key) == .integer(PropertyListInteger(dotted)))
        let other = try JSONDocument(bytes, as: Self.form(duplicates: .nestedCounts))
        #expect(other.value(forKey: key) == .integer(PropertyListInteger(nested)))
        #expect(other.index.duplicates.count == 1)
        let error = #expect(throws: JSONTextError.self) {
            try JSONDocument(bytes, as: Self.form(duplicates: .areRefused))
        }
        #expect(error?.remedy?.hasPrefix("the first one is in line 1: ") == true)
        // A removal removes both, and a write changes the one that counts.
        let removed = try #require(JSONEditor.apply([(key, nil)], to: other, upTo: .max))
        #expect(removed.value(forKey: key) == nil)
        #expect(try JSONDocument(removed.bytes, as: Self.form()).value(forKey: key) == nil)
        let written = try #require(JSONEditor.apply([(key, .integer(9))], to: other, upTo: .max))
        let again = try JSONDocument(written.bytes, as: Self.form())
        #expect(written.value(forKey: key) == 9 && again.value(forKey: key) == .integer(PropertyListInteger(dotted)))
    }

    @Test(arguments: [
        #"{"tls": {"port": 1}, "tls": {"host": "a"}}"#, #"{"tls": {"port": 1}, "tls": 5}"#, #"{"tls": 5, "tls": {}}"#,
        #"{"tls": {"port": 1, "port": 2}}"#, #"{"tls": {"client": {}, "client": 1}}"#, #"{"a": 1, "a": 2}"#,
        #"{"tls": {"client": {}, "c\u006cient": {}}}"#, #"{"tls": {"port": [1}}"#, #"{"tls": {"port": 1,, }}"#,
        #"{"tls": {"port": 1"#, #"{"tls": {/* "port": 1}}"#, #"{"tls": {/ "port": 1}}"#, #"{"a": 1,, }"#, #"{,}"#,
    ])
    func `one name twice in one object is an error`(text: String) {
        #expect(throws: JSONTextError.self) { try JSONDocument(Array(text.utf8), as: Self.form()) }
    }

    @Test(arguments: [
        // In the place of the value, whatever its shape.
        Edit(#"{"tls": {"port": 1}, "a": 2}"#, [("tls.port", 5)], #"{"tls": {"port": 5}, "a": 2}"#),
        Edit(#"{"tls": {"client.port": 1}}"#, [("tls.client.port", 5)], #"{"tls": {"client.port": 5}}"#),
        // New keys: in the innermost object that is there, and in new ones.
        Edit(
            "{\n  \"tls\": {\n    \"port\": 1\n  }\n}\n",
            [("tls.host", "a"), ("tls.client.port", 2), ("log.level", "debug"), ("port", 80)],
            """
            {
              "log": {
                "level": "debug"
              },
              "port": 80,
              "tls": {
                "client": {
                  "port": 2
                },
                "host": "a",
                "port": 1
              }
            }

            """
        ),
        Edit(
            "{}",
            [("tls.port", 1), ("tls.host", "a")],
            "{\n  \"tls\": {\n    \"host\": \"a\",\n    \"port\": 1\n  }\n}"
        ),
        Edit(#"{"tls.port": 1}"#, [("tls.host", "a")], #"{"tls.host": "a", "tls.port": 1}"#),
        Edit(
            #"{"tls": {"port": 1}, "a": 1, "tls.host": "a"}"#,
            [("log.level", "b")],
            #"{"tls": {"port": 1}, "a": 1, "tls.host": "a", "log": {"level": "b"}}"#
        ),
        // Removed keys leave their object.
        Edit(
            "{\n\t\"tls\": {\n\t\t\"port\": 1,\n\t\t\"host\": 2\n\t}\n}",
            [("tls.port", nil)],
            "{\n\t\"tls\": {\n\t\t\"host\": 2\n\t}\n}"
        ),
        Edit(#"{"tls": {"port": 1}}"#, [("tls.port", nil)], #"{"tls": {}}"#),
        Edit("{\n  \"tls\": {}\n}", [("tls.port", 1)], "{\n  \"tls\": {\n    \"port\": 1\n  }\n}"),
        // A key that is not known, a value in the way of a group, and a part that would look like a tag.
        Edit(#"{"tls": {"port": 1}}"#, [("a.b", 1)], #"{"a.b": 1, "tls": {"port": 1}}"#),
        Edit(#"{"log": 5, "tls": {}}"#, [("log.level", "a")], #"{"log": 5, "log.level": "a", "tls": {}}"#),
        Edit(#"{"tls": {}}"#, [("tls.$data", "aGk=")], #"{"tls": {}, "tls.$data": "aGk="}"#),
    ])
    func `a write goes where the value is, a new key where the others are`(edit: Edit) throws {
        try edit.check(Self.form())
    }

    @Test(arguments: [
        Edit(
            "{\n  // all\n  \"a\": 1, // first\n  \"b\": 2 // last\n}",
            [("a", 5)],
            "{\n  // all\n  \"a\": 5, // first\n  \"b\": 2 // last\n}"
        ),
        Edit(
            "{\n  \"a\": 1, // first\n  \"b\": 2 // last\n}",
            [("c", 3)],
            "{\n  \"a\": 1, // first\n  \"b\": 2, // last\n  \"c\": 3\n}"
        ),
        Edit(
            "{\n  \"a\": 1, // first\n  \"b\": 2, // last\n}",
            [("c", 3)],
            "{\n  \"a\": 1, // first\n  \"b\": 2, // last\n  \"c\": 3,\n}"
        ),
        Edit("{\n  // nothing\n}", [("c", 3)], "{\n  // nothing\n  \"c\": 3\n}"),
        Edit("{ /* nothing */ }", [("c", 3)], "{ /* nothing */\n  \"c\": 3\n }"),
        Edit(
            "{\n  \"a\": 1,\n  // of b\n  \"b\": 2,\n  \"c\": 3\n}",
            [("b", nil)],
            "{\n  \"a\": 1,\n  // of b\n  \"c\": 3\n}"
        ),
        Edit("{\n  // of a\n  \"a\": 1\n}", [("a", nil)], "{\n  // of a\n}"),
        Edit("{\n  // of a\n  \"a\": 1\n}", [("a", nil), ("b", 2)], "{\n  // of a\n  \"b\": 2\n}"),
        Edit("{\"a\": 1, /* x */ \"b\": 2}", [("b", nil)], "{\"a\": 1 /* x */ }"),
        Edit("{\"a\": 1, /* x */ \"b\": 2}", [("a", nil)], "{ /* x */ \"b\": 2}"),
        Edit(
            "{\n  \"tls\": { // transport\n    \"port\": 1 // usual\n  }\n}",
            [("tls.host", "a"), ("tls.port", 2)],
            "{\n  \"tls\": { // transport\n    \"port\": 2, // usual\n    \"host\": \"a\"\n  }\n}"
        ),
        Edit(
            "{\"a\": [1, // one\n 2,], \"b\": {/**/}}",
            [("c", 1)],
            "{\"a\": [1, // one\n 2,], \"b\": {/**/}, \"c\": 1}"
        ),
    ])
    func `comments stay`(edit: Edit) throws {
        try edit.check(Self.form(Self.keys + ["a", "b", "c"]))
    }

    @Test(arguments: 0..<TestLevel.current.pick(300, thorough: 3_000, exhaustive: 30_000))
    func `any text with groups and comments keeps what is not written`(run: Int) throws {
        let seed = SeededGenerator.seedOfRun &+ UInt64(run)
        var text = RandomNestedText(seed: seed)
        let form = text.form
        var document = try JSONDocument(text.make(), as: form)
        let comments = text.comments(of: document)
        for _ in 0..<5 {
            var table = PropertyListTable(document)
            text.change(&table)
            let edited = try #require(JSONEditor.apply(table.writes, to: document, upTo: .max))
            let words = """
                seed \(seed): \(table.writes) in
                \(String(decoding: document.bytes, as: UTF8.self)) made
                \(String(decoding: edited.bytes, as: UTF8.self))
                """
            let read: JSONDocument
            do {
                read = try JSONDocument(edited.bytes, as: form)
            } catch {
                Issue.record("\(error): \(words)")
                return
            }
            #expect(PropertyListTable(edited) == table, "\(words)")
            #expect(PropertyListTable(read) == table, "\(words)")
            Self.expectSameIndex(edited, read, words)
            #expect(text.comments(of: edited) == comments, "\(words)")
            let size = JSONEditor.size(of: document, applying: table.writes, upTo: .max)
            #expect(size == edited.bytes.count, "\(words)")
            document = edited
        }
    }

    /// Checks that the index that was made with an edit is the one of the text.
    static func expectSameIndex(_ edited: JSONDocument, _ read: JSONDocument, _ words: String) {
        #expect(edited.count == read.count && edited.placeCount == read.placeCount, "\(words)")
        let groups = { (document: JSONDocument) in
            document.index.groups.map { "\($0.prefix) \($0.depth) \($0.name) \($0.open) \($0.close)" }.sorted()
        }
        #expect(groups(edited) == groups(read), "\(words)")
        for place in 0..<min(read.placeCount, edited.placeCount) {
            let (left, right) = (edited.index.entries[place], read.index.entries[place])
            #expect(left.name == right.name && left.value == right.value && left.hash == right.hash, "\(words)")
            #expect(left.isNull == right.isNull && left.isShadowed == right.isShadowed, "\(words)")
            #expect(edited.key(at: place).hasSameUTF8(as: read.key(at: place)), "\(words)")
            #expect(edited.place(ofKey: read.key(at: place)) == read.place(ofKey: read.key(at: place)), "\(words)")
        }
    }
}

/// A text, the writes, and the text that they make of it.
struct Edit: CustomTestStringConvertible, Sendable {
    let text: String
    let writes: [(String, PropertyListValue?)]
    let result: String

    init(_ text: String, _ writes: [(String, PropertyListValue?)], _ result: String) {
        (self.text, self.writes, self.result) = (text, writes, result)
    }

    var testDescription: String { "\(text.debugDescription) \(writes)" }

    func check(_ form: EntryForm, _ location: SourceLocation = #_sourceLocation) throws {
        let document = try JSONDocument(Array(text.utf8), as: form)
        let writes = writes.map { (key: $0.0, value: $0.1) }
        let edited = try #require(JSONEditor.apply(writes, to: document, upTo: .max))
        let found = String(decoding: edited.bytes, as: UTF8.self)
        #expect(found == result, sourceLocation: location)
        let read = try JSONDocument(edited.bytes, as: form)
        #expect(PropertyListTable(edited) == PropertyListTable(read), sourceLocation: location)
        JSONNestedEditTests.expectSameIndex(edited, read, found)
        #expect(JSONEditor.size(of: document, applying: writes, upTo: .max) == edited.bytes.count)
    }
}

/// Texts with nested keys and comments in layouts that no program would choose, and writes to their keys.
struct RandomNestedText {
    private static let parts = ["a", "b", "c", "é", "x y"]

    private var random: SeededGenerator
    private var commentNumber = 0
    /// The form of the text.
    private(set) var form: EntryForm

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        var keys: Set<UTF8Text> = []
        for _ in 0..<Int.random(in: 1...12, using: &random) { keys.insert(Self.key(&random)) }
        let newKeys: [FileStoreOptions.Nesting.NewKeys] = [.likeOthers, .nested, .flat]
        form = EntryForm(
            groups: GroupNames(of: keys.map(\.wrappedValue)),
            nesting: .init(
                newKeys: newKeys.randomElement(using: &random) ?? .flat,
                duplicates: Bool.random(using: &random) ? .dottedCounts : .nestedCounts
            ),
            allowsComments: true
        )
    }

    private static func key(_ random: inout SeededGenerator) -> String {
        (0..<Int.random(in: 1...4, using: &random)).map { _ in parts.randomElement(using: &random) ?? "" }
            .joined(separator: ".")
    }

    /// A text.
    mutating func make() -> [UInt8] {
        let text = "\(space())\(object(levels: 3))\(space())"
        return Array(text.utf8)
    }

    /// The comments outside of values, in their order.
    func comments(of document: JSONDocument) -> [String] {
        var bytes: [UInt8] = []
        var position = 0
        for entry in document.index.entries {
            bytes += document.bytes[position..<entry.value.lowerBound]
            position = entry.value.upperBound
        }
        let text = String(decoding: bytes + document.bytes[position...], as: UTF8.self)
        // No string of the text has such characters.
        return text.split(separator: "#").enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) }
    }

    /// Changes some entries.
    mutating func change(_ table: inout PropertyListTable) {
        for _ in 0..<Int.random(in: 0...4, using: &random) {
            let present = Bool.random(using: &random) ? table.sortedKeys.randomElement(using: &random) : nil
            let key = present ?? Self.key(&random)
            if form.groups.contains(key), table[key] == nil { continue }
            table[key] = Bool.random(using: &random) ? nil : value()
        }
        if Int.random(in: 0..<15, using: &random) == 0 { for key in table.sortedKeys { table[key] = nil } }
    }

    private mutating func value() -> PropertyListValue {
        switch Int.random(in: 0..<5, using: &random) {
        case 0: .string("text")
        case 1: .array([1, "x"])
        case 2: .array([])
        case 3: .boolean(true)
        default: .integer(PropertyListInteger(Int.random(in: 0..<1000, using: &random)))
        }
    }

    private mutating func object(levels: Int) -> String {
        var text = "{\(space())"
        var names: Set<UTF8Text> = []
        for _ in 0..<Int.random(in: 0...4, using: &random) {
            let name = Self.key(&random)
            guard names.insert(name) else { continue }
            if names.count > 1 { text += ",\(space())" }
            let isObject = levels > 0 && Bool.random(using: &random)
            var writer = JSONWriter(.standard.onOneLine)
            writer.writeValue(value())
            let isNull = Int.random(in: 0..<10, using: &random) == 0
            let content =
                isObject ? object(levels: levels - 1) : isNull ? "null" : String(decoding: writer.bytes, as: UTF8.self)
            text += "\"\(name)\"\(space(mayComment: false)):\(space(mayComment: false))\(content)\(space())"
        }
        if !names.isEmpty, Int.random(in: 0..<4, using: &random) == 0 { text += ",\(space())" }
        return text + "}"
    }

    private mutating func space(mayComment: Bool = true) -> String {
        let spaces = ["", "", " ", "\n", "\n  ", "\r\n\t", "\n\n    ", "\t"]
        var text = spaces.randomElement(using: &random) ?? ""
        guard mayComment, Int.random(in: 0..<4, using: &random) == 0 else { return text }
        commentNumber += 1
        switch Int.random(in: 0..<3, using: &random) {
        case 0: text += "/*#\(commentNumber)#*/"
        case 1: text += "/* #\(commentNumber),\n \"a\": # */"
        default: text += "// #\(commentNumber) , }#\n"
        }
        return text + (spaces.randomElement(using: &random) ?? "")
    }
}

@_spi(StoreAuthors) import KeyspanCore
import KeyspanTesting
import Testing

@_spi(StoreAuthors) @testable import KeyspanFileStore

/// A file that is saved keeps what a person wrote.
@Suite
struct JSONEditorTests {
    /// A text, the writes, and the text that they make of it.
    struct Edit: CustomTestStringConvertible, Sendable {
        let text: String
        let writes: [(String, PropertyListValue?)]
        let result: String

        init(_ text: String, _ writes: [(String, PropertyListValue?)], _ result: String) {
            (self.text, self.writes, self.result) = (text, writes, result)
        }

        var testDescription: String { "\(text.debugDescription) \(writes)" }
    }

    @Test(arguments: [
        // Order, blank lines, alignment and spelling stay.
        Edit(
            "{\n\t\"z\" : 1.50,\n\n\n\t\"a\" : 1e3,   \"m\":[1,2]\n}",
            [("a", 5)],
            "{\n\t\"z\" : 1.50,\n\n\n\t\"a\" : 5,   \"m\":[1,2]\n}"
        ),
        // A value that is written again as it is keeps its spelling.
        Edit("{\"a\": 1.50}", [("a", 1.5)], "{\"a\": 1.50}"),
        Edit("{\"a\": 1.50}", [("a", .integer(1))], "{\"a\": 1}"),
        // New members: sorted, at the end, alone.
        Edit("{\n  \"a\": 1,\n  \"c\": 2\n}\n", [("b", 0)], "{\n  \"a\": 1,\n  \"b\": 0,\n  \"c\": 2\n}\n"),
        Edit("{\n  \"b\": 1\n}\n", [("a", 0), ("c", 2)], "{\n  \"a\": 0,\n  \"b\": 1,\n  \"c\": 2\n}\n"),
        Edit("{\n    \"z\": 1,\n    \"a\": 2\n}", [("b", 0)], "{\n    \"z\": 1,\n    \"a\": 2,\n    \"b\": 0\n}"),
        Edit("{}", [("a", 0), ("b", [1])], "{\n  \"a\": 0,\n  \"b\": [\n    1\n  ]\n}"),
        Edit(" { } \n", [("a", 0)], " {\n  \"a\": 0\n} \n"),
        Edit("{\"b\":1,\"c\":2}", [("a", [1, 2])], "{\"a\":[1,2],\"b\":1,\"c\":2}"),
        Edit("{\"b\": 1}", [("c", ["x": 1, "y": []])], "{\"b\": 1, \"c\": {\"x\": 1, \"y\": []}}"),
        Edit("{ \"b\": 1, \"c\": 2 }", [("d", 3)], "{ \"b\": 1, \"c\": 2, \"d\": 3 }"),
        // Removed members.
        Edit("{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3\n}", [("b", nil)], "{\n  \"a\": 1,\n  \"c\": 3\n}"),
        Edit("{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3\n}", [("a", nil)], "{\n  \"b\": 2,\n  \"c\": 3\n}"),
        Edit("{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3\n}", [("c", nil)], "{\n  \"a\": 1,\n  \"b\": 2\n}"),
        Edit("{\n  \"a\": 1,\n  \"b\": 2\n}\n", [("a", nil), ("b", nil)], "{}\n"),
        Edit("{\n  \"a\": 1,\n  \"b\": 2\n}\n", [("a", nil), ("b", nil), ("c", 3)], "{\n  \"c\": 3\n}\n"),
        Edit("{\n  \"b\": 1,\n  \"c\": 2\n}", [("a", 0), ("b", nil)], "{\n  \"a\": 0,\n  \"c\": 2\n}"),
        Edit("{\n  \"b\": 1,\n  \"c\": 2\n}", [("a", 0), ("b", nil), ("c", 5)], "{\n  \"a\": 0,\n  \"c\": 5\n}"),
        Edit("{\n  \"b\": 1,\n  \"d\": 2\n}", [("b", nil), ("c", 3)], "{\n  \"c\": 3,\n  \"d\": 2\n}"),
        // Values that were null.
        Edit("{\"a\": null, \"b\": 1}", [("a", 2)], "{\"a\": 2, \"b\": 1}"),
        Edit("{\"a\": null, \"b\": 1}", [("b", nil)], "{\"a\": null}"),
        Edit("{\"a\": null, \"b\": 1}", [("a", nil)], "{\"a\": null, \"b\": 1}"),
        // Nested values take the indentation and the line ends of the file.
        Edit(
            "{\r\n    \"a\": 1,\r\n    \"b\": {}\r\n}\r\n",
            [("b", ["x": [1]])],
            "{\r\n    \"a\": 1,\r\n    \"b\": {\r\n        \"x\": [\r\n            1\r\n        ]\r\n    }\r\n}\r\n"
        ),
        // A list on one line stays on one line, and one on several lines on several.
        Edit(
            "{\n  \"a\": [1, 2],\n  \"b\": [\n    1\n  ]\n}",
            [("a", [3, ["x"]])],
            "{\n  \"a\": [3, [\"x\"]],\n  \"b\": [\n    1\n  ]\n}"
        ),
        Edit("{\n  \"a\": [\n    1\n  ]\n}", [("a", [1, 2])], "{\n  \"a\": [\n    1,\n    2\n  ]\n}"),
        // Names with escapes keep them.
        Edit(#"{"\u0061": 1, "b": 2}"#, [("a", 5), ("\"", 0)], #"{"\"": 0, "\u0061": 5, "b": 2}"#),
        Edit("\u{FEFF}{\"a\": 1}", [("a", 2)], "\u{FEFF}{\"a\": 2}"),
        Edit("\u{FEFF}{\"a\": 1}", [("a", nil)], "\u{FEFF}{}"),
    ])
    func `only the text of what changed is changed`(edit: Edit) throws {
        let document = try JSONDocument(Array(edit.text.utf8))
        let edited = try #require(JSONEditor.apply(edit.writes.map { ($0.0, $0.1) }, to: document, upTo: .max))
        #expect(String(decoding: edited.bytes, as: UTF8.self) == edit.result)
        try expectConsistent(edited)
        let size = JSONEditor.size(of: document, applying: edit.writes.map { ($0.0, $0.1) }, upTo: .max)
        #expect(size == edited.bytes.count)
    }

    @Test(arguments: [
        // Elements: changed, added, removed, moved.
        Edit(
            "{\"a\": [\n  1, // one\n  2, // two\n  3 // three\n]}",
            [("a", [1, 5, 3])],
            "{\"a\": [\n  1, // one\n  5, // two\n  3 // three\n]}"
        ),
        Edit(
            "{\n  \"a\": [\n    // First.\n    1.50,\n    2, // two\n  ],\n}",
            [("a", [1.5, 2, 3])],
            "{\n  \"a\": [\n    // First.\n    1.50,\n    2, // two\n    3,\n  ],\n}"
        ),
        Edit(
            "{\n  \"a\": [\n    1, // one\n    2, // two\n    3 // three\n  ]\n}",
            [("a", [1, 3])],
            "{\n  \"a\": [\n    1, // one\n    // two\n    3 // three\n  ]\n}"
        ),
        Edit("{\"a\": [ 1,2,  3 ]}", [("a", [2, 3, 1])], "{\"a\": [ 2,  3,1 ]}"),
        Edit("{\"a\": [ 1, 2, 3 ]}", [("a", [0, 1, 2, 2.5, 3])], "{\"a\": [ 0, 1, 2, 2.5, 3 ]}"),
        Edit("{\"a\": [/* none */]}", [("a", [1])], "{\"a\": [/* none */\n    1]}"),
        Edit("{\n  \"a\": [\n    // none\n  ]\n}", [("a", [1])], "{\n  \"a\": [\n    // none\n    1\n  ]\n}"),
        Edit("{\"a\": [1, /* two */ 2]}", [("a", [])], "{\"a\": [ /* two */ ]}"),
        // Members of values.
        Edit(
            "{\n  \"a\": {\n    \"z\": 1, // z\n    /* y */ \"y\": 2\n  }\n}",
            [("a", ["z": 3, "y": 2, "x": [1]])],
            "{\n  \"a\": {\n    \"z\": 3, // z\n    /* y */ \"y\": 2,\n    \"x\": [\n      1\n    ]\n  }\n}"
        ),
        Edit(
            "{\"a\": {\"b\": {\"c\" :1e1, \"d\":null, \"e\":[1]}}}",
            [("a", ["b": ["c": 10.0, "d": 5]])],
            "{\"a\": {\"b\": {\"c\" :1e1, \"d\":5}}}"
        ),
        // Structures in a list: a new one looks like the others.
        Edit(
            "{\n  \"a\": [\n    {\"host\": \"a\", \"port\": 1}, // first\n    {\"host\": \"b\", \"port\": 2}\n  ]\n}",
            [("a", [["host": "a", "port": 1], ["host": "b", "port": 3], ["host": "c", "port": 4]])],
            "{\n  \"a\": [\n    {\"host\": \"a\", \"port\": 1}, // first\n    {\"host\": \"b\", \"port\": 3},\n"
                + "    {\"host\": \"c\", \"port\": 4}\n  ]\n}"
        ),
        Edit(
            "{\n\t\"a\": [\n\t\t{\n\t\t\t\"host\": \"a\" // first\n\t\t}\n\t]\n}",
            [("a", [["host": "a"], ["host": "b", "ports": [1]]])],
            "{\n\t\"a\": [\n\t\t{\n\t\t\t\"host\": \"a\" // first\n\t\t},\n\t\t{\n\t\t\t\"host\": \"b\",\n"
                + "\t\t\t\"ports\": [\n\t\t\t\t1\n\t\t\t]\n\t\t}\n\t]\n}"
        ),
        // Objects that are other values, or become ones, are written as a whole.
        Edit(#"{"a": {"$data": "AA=="}}"#, [("a", ["$data": 1])], #"{"a": {"$data": 1}}"#),
        Edit(
            #"{"a": {"x": 1, "$real": "nan"}}"#,
            [("a", ["$real": "nan"])],
            #"{"a": {"$dictionary": {"$real": "nan"}}}"#
        ),
        Edit(#"{"a": {"$dictionary": {"b": 1, "c": 2}}}"#, [("a", ["b": 1])], #"{"a": {"b": 1}}"#),
        Edit(
            #"{"a": {"$dictionary": {"$dictionary": 5}}}"#,
            [("a", ["$dictionary": 6])],
            #"{"a": {"$dictionary": 6}}"#
        ),
    ])
    func `of a collection only the items that change are changed`(edit: Edit) throws {
        let form = EntryForm(allowsComments: true)
        let document = try JSONDocument(Array(edit.text.utf8), as: form)
        let edited = try #require(JSONEditor.apply(edit.writes.map { ($0.0, $0.1) }, to: document, upTo: .max))
        #expect(String(decoding: edited.bytes, as: UTF8.self) == edit.result)
        try expectConsistent(edited)
        for (key, value) in edit.writes { #expect(edited.value(forKey: key) == value) }
        let size = JSONEditor.size(of: document, applying: edit.writes.map { ($0.0, $0.1) }, upTo: .max)
        #expect(size == edited.bytes.count)
    }

    @Test(arguments: 0..<TestLevel.current.pick(200, thorough: 2_000, exhaustive: 20_000))
    func `comments in collections survive, and items that stay keep their text`(run: Int) throws {
        var random = SeededGenerator(seed: SeededGenerator.seedOfRun &+ UInt64(run))
        var document = try JSONDocument(commentedText(&random), as: EntryForm(allowsComments: true))
        let comments = comments(in: document)
        for _ in 0..<8 {
            var list = document.value(forKey: "list")?.arrayValue ?? []
            var object = document.value(forKey: "object")?.dictionaryValue ?? [:]
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let value = PropertyListValue.integer(.init(Int.random(in: 0...9, using: &random)))
                switch Int.random(in: 0..<6, using: &random) {
                case 0: list.insert(value, at: Int.random(in: 0...list.count, using: &random))
                case 1 where !list.isEmpty: list.remove(at: Int.random(in: list.indices, using: &random))
                case 2 where !list.isEmpty: list[Int.random(in: list.indices, using: &random)] = value
                case 3: list.swapAt(list.startIndex, Int.random(in: 0..<max(1, list.count), using: &random))
                case 4: object["\(Int.random(in: 0...6, using: &random))"] = value
                default: object["\(Int.random(in: 0...6, using: &random))"] = nil
                }
            }
            let writes: [(key: String, value: PropertyListValue?)] = [
                ("list", .array(list)), ("object", .dictionary(object)),
            ]
            let edited = try #require(JSONEditor.apply(writes, to: document, upTo: .max))
            let text = String(decoding: edited.bytes, as: UTF8.self)
            try expectConsistent(edited)
            #expect(edited.value(forKey: "list") == .array(list), "\(text)")
            #expect(edited.value(forKey: "object") == .dictionary(object), "\(text)")
            #expect(self.comments(in: edited) == comments, "\(text)")
            document = edited
        }
    }

    /// The numbers of the comments.
    private func comments(in document: JSONDocument) -> [String] {
        let text = String(decoding: document.bytes, as: UTF8.self)
        return text.matches(of: /c\d+c/).map { String($0.output) }
    }

    /// A list and an object with numbered comments at random places.
    private func commentedText(_ random: inout SeededGenerator) -> [UInt8] {
        var count = 0
        func space() -> String {
            var space = ""
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                space += ["", " ", "\n", "\n    ", "\r\n\t"].randomElement(using: &random) ?? ""
                guard Int.random(in: 0...2, using: &random) == 0 else { continue }
                count += 1
                space += Bool.random(using: &random) ? "/* c\(count)c */" : "// c\(count)c, [\n"
            }
            return space
        }
        func collection(_ brackets: (String, String), _ item: (Int) -> String) -> String {
            let items = (0..<Int.random(in: 0...5, using: &random)).map { space() + item($0) + space() }
            let comma = !items.isEmpty && Bool.random(using: &random) ? "," : ""
            return brackets.0 + items.joined(separator: ",") + comma + space() + brackets.1
        }
        let list = collection(("[", "]")) { _ in "\(Int.random(in: 0...9, using: &random))" }
        let object = collection(("{", "}")) { "\"\($0)\" : \($0)" }
        return Array("{\(space())\"list\": \(list),\(space())\"object\":\(object)\(space())}".utf8)
    }

    /// Checks that the index that was made with an edit is the one of the text.
    private func expectConsistent(_ edited: JSONDocument) throws {
        let read = try JSONDocument(edited.bytes, as: edited.form)
        #expect(edited.count == read.count && edited.placeCount == read.placeCount)
        #expect(edited.index.groups[0].isSorted == read.index.groups[0].isSorted || !edited.index.groups[0].isSorted)
        for place in 0..<read.placeCount {
            let (left, right) = (edited.index.entries[place], read.index.entries[place])
            #expect(left.name == right.name && left.value == right.value && left.hash == right.hash)
            #expect(left.isNull == right.isNull && left.nameHasEscapes == right.nameHasEscapes)
            #expect((left.keptNumber == nil) == (right.keptNumber == nil))
            #expect(edited.place(ofKey: read.key(at: place)) == place)
        }
        #expect(PropertyListTable(edited) == PropertyListTable(read))
    }

    @Test(arguments: 0..<TestLevel.current.pick(100, thorough: 1_000, exhaustive: 10_000))
    func `a file that only stores write looks as if it were written at once`(run: Int) throws {
        let seed = SeededGenerator.seedOfRun &+ UInt64(run)
        var (values, random) = (RandomValues(seed: seed), SeededGenerator(seed: seed))
        let codec = JSONFileCodec()
        var table = try codec.decode(JSONText.encode(PropertyListTable(values.dictionary(levels: 2))))
        for _ in 0..<6 {
            change(&table, &values, &random)
            let encoded = try #require(codec.encode(table, upTo: .max))
            #expect(encoded.bytes == JSONText.encode(table), "seed \(seed)")
            #expect(encoded.table == table)
            table = encoded.table
        }
    }

    @Test(arguments: 0..<TestLevel.current.pick(100, thorough: 1_000, exhaustive: 10_000))
    func `the members of any text stay as they are, in their order`(run: Int) throws {
        let seed = SeededGenerator.seedOfRun &+ UInt64(run)
        var (values, random) = (RandomValues(seed: seed), SeededGenerator(seed: seed))
        var document = try JSONDocument(randomText(&values, &random))
        for _ in 0..<6 {
            var table = PropertyListTable(document)
            change(&table, &values, &random)
            let edited = try #require(JSONEditor.apply(table.writes, to: document, upTo: .max))
            try expectConsistent(edited)
            #expect(
                try JSONDocument(edited.bytes).index.groups[0].isSorted == edited.index.groups[0].isSorted,
                "seed \(seed)"
            )
            #expect(PropertyListTable(edited) == table, "seed \(seed)")
            #expect(
                members(of: edited, where: { table[$0] == document.value(forKey: $0) })
                    == members(of: document, where: { table[$0] == document.value(forKey: $0) }),
                "seed \(seed)"
            )
            #expect(JSONEditor.apply(table.writes, to: document, upTo: edited.bytes.count) != nil)
            #expect(JSONEditor.apply(table.writes, to: document, upTo: edited.bytes.count - 1) == nil)
            let size = edited.bytes.count
            let sizes = [size, size - 1].map { JSONEditor.size(of: document, applying: table.writes, upTo: $0) }
            #expect(sizes == [size, nil], "seed \(seed)")
            document = edited
        }
    }

    /// The texts of some members.
    private func members(of document: JSONDocument, where isWanted: (String) -> Bool) -> [[UInt8]] {
        (0..<document.placeCount).filter { isWanted(document.key(at: $0)) }.map { place in
            Array(document.bytes[document.index.entries[place].start..<document.index.entries[place].end])
        }
    }

    private func change(_ table: inout PropertyListTable, _ values: inout RandomValues, _ random: inout SeededGenerator)
    {
        for _ in 0..<Int.random(in: 0...4, using: &random) {
            let name = Bool.random(using: &random) ? table.sortedKeys.randomElement(using: &random) : nil
            table[name ?? values.string()] = Int.random(in: 0..<3, using: &random) == 0 ? nil : values.value(levels: 2)
        }
        if Int.random(in: 0..<20, using: &random) == 0 { for name in table.sortedKeys { table[name] = nil } }
    }

    /// A text in a layout that no program would choose.
    private func randomText(_ values: inout RandomValues, _ random: inout SeededGenerator) -> [UInt8] {
        let spaces = ["", "", " ", "\n", "\n  ", "\r\n\t", "\n\n    ", "\t"]
        func space(_ random: inout SeededGenerator) -> String { spaces.randomElement(using: &random) ?? "" }
        var text = "\(space(&random)){\(space(&random))"
        let entries = PropertyListTable(values.dictionary(levels: 2))
        for (number, (key, value)) in entries.enumerated() {
            var writer = JSONWriter()
            writer.writeString(key)
            let name = String(decoding: writer.bytes, as: UTF8.self)
            writer = JSONWriter(Bool.random(using: &random) ? .standard : .standard.onOneLine)
            writer.writeValue(value)
            let content =
                Int.random(in: 0..<8, using: &random) == 0 ? "null" : String(decoding: writer.bytes, as: UTF8.self)
            text += number == 0 ? "" : "\(space(&random)),\(space(&random))"
            text += "\(name)\(space(&random)):\(space(&random))\(content)"
        }
        return Array("\(text)\(space(&random))}\(space(&random))".utf8)
    }
}

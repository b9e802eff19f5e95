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

    /// Checks that the index that was made with an edit is the one of the text.
    private func expectConsistent(_ edited: JSONDocument) throws {
        let read = try JSONDocument(edited.bytes)
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

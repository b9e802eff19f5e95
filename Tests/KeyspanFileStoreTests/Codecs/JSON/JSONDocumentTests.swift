@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@_spi(StoreAuthors) @testable import KeyspanFileStore

/// A document and `JSONText.parseTable`, which makes every value at once, accept, refuse and read the same texts; and a value that
/// is written and read again stays the same.
@Suite(.heavy)
struct JSONDocumentTests {
    private static let text: [UInt8] = Array(
        """
        {
          "b": [1, -2.5, "x", true], "a": {"x": 1, "y": "z", "w": false}, "on": true, "off": false,
          "nested": {"list": [[1], {"a": {}}], "n": null}, "\\u0065scaped \\"": "a\\nb", "plain": "é漢",
          "escapes": "\\"\\\\\\u00e9\\ud83d\\ude00 é漢😀", "look-alike": {"$dictionary": {"$real": "nan"}},
          "tag": {"$date": "2026-11-21T10:50:00.25Z"}, "real": {"$real": "inf"}, "none": null, "backup": {"$data": "aGk="},
          "big": 18446744073709551615, "small": -9223372036854775808, "exact": 1.50, "e": 1e3, "": 0
        }

        """.utf8
    )

    /// Describes how the readers differ, or how a value changes when it is written and read again; `nil` if nothing differs.
    private static func problem(with text: [UInt8]) -> String? {
        func note(_ problem: String) -> String {
            "\(problem): \(String(decoding: text, as: UTF8.self).debugDescription)"
        }
        do throws(JSONTextError) {
            let value = try JSONText.parse(text)
            guard (try? JSONText.parse(JSONText.encode(value))) == value else {
                return note("another value is written")
            }
        } catch {
            if error.line < 1 || error.column < 1 { return note("the error has no place") }
        }
        let table = reading { () throws(JSONTextError) in try JSONText.parseTable(text) }
        let document = reading { () throws(JSONTextError) in PropertyListTable(try JSONDocument(text)) }
        guard table.error == document.error else { return note("\(table) is not \(document)") }
        guard let table = table.table, let document = document.table else { return nil }
        let isSame =
            table == document && document == table && document.count == table.count
            && document.sortedKeys == table.sortedKeys && table.allSatisfy { document[$0.key] == $0.value }
            && document.allSatisfy { table[$0.key] == $0.value }
        return isSame ? nil : note("\(table) is not \(document)")
    }

    private static func reading(
        _ read: () throws(JSONTextError) -> PropertyListTable
    ) -> (table: PropertyListTable?, error: JSONTextError?) {
        do throws(JSONTextError) {
            return (try read(), nil)
        } catch {
            return (nil, error)
        }
    }

    @Test func `each kind of value is found by its name`() throws {
        let document = try JSONDocument(Self.text)
        #expect(Self.problem(with: Self.text) == nil)
        #expect(document.count == 17 && document.placeCount == 18 && !document.index.object.isSorted)
        #expect(document.value(forKey: "escaped \"") == "a\nb")
        #expect(document.value(forKey: "none") == nil && !document.hasValue(forKey: "none"))
        #expect(document.value(forKey: "no such name") == nil)
        #expect(document.value(forKey: "plain") == document.value(forKey: "plain"))
    }

    @Test func `a text that is cut off is refused, and one that is damaged is treated alike`() {
        let end = Self.text.lastIndex(of: UInt8(ascii: "}")) ?? 0
        for length in 0...end {
            let cut = Array(Self.text.prefix(length))
            #expect(throws: JSONTextError.self, "\(length) bytes") { try JSONText.parseTable(cut) }
            #expect(Self.problem(with: cut) == nil)
        }
        let problems = Self.text.indices.flatMap { index in
            (Array("\"\\{}[],:0-eun.\n\0".utf8) + [0xFF] + (0..<8).map { Self.text[index] ^ (1 << $0) }).compactMap {
                byte in
                var damaged = Self.text
                damaged[index] = byte
                return Self.problem(with: damaged)
            }
        }
        #expect(problems == [])
    }

    @Test(arguments: [
        #"{"a":1,"a":2}"#, #"{"a":1,"\u0061":2}"#, #"{"\u0061":1,"a":2}"#, #"{"a":null,"a":2}"#, #"{"a":2,"a":null}"#,
        #"{"o":{"a":1,"a":2}}"#, #"{"o":{"a":1,"\u0061":2}}"#, #"{"o":{"a":[],"b":1,"a":2}}"#,
        #"{"o":{"$date":"2026-11-21T10:50:00Z"}}"#, #"{"o":{"a":01}}"#, #"{"o":[1,]}"#, #"{"o":{"a":1,}}"#,
        #"{"o":[1e400]}"#, #"{"o":[12345678901234567890.0]}"#, #"{"o":[99999999999999999999]}"#, #"{"o":[nul]}"#,
        #"{"é":1,"e\#u{301}":2}"#, #"{"é":1,"\u00e9":2}"#, "{}", " { } ", "\u{FEFF}{\"a\":1}", #"{"o":["\ud800"]}"#,
        #"{"a":1}{"#, #"{"a":1}x"#, #"{"a" 1}"#, #"{"a":tru}"#,
    ])
    func `a text at the edge of the grammar is treated alike`(text: String) {
        #expect(Self.problem(with: Array(text.utf8)) == nil)
    }

    @Test func `a name is repeated anywhere among many`() {
        let members = (0..<300).map { "\"key \($0)\": \($0)" }
        let lists = [0, 31, 32, 150, 299].map { members + ["\"key \($0)\": 0"] } + [members]
        #expect(lists.compactMap { Self.problem(with: Array("{\($0.joined(separator: ", "))}".utf8)) } == [])
    }

    @Test(.seeded) func `any text is treated alike`() throws {
        let tokens = [
            "{", "}", "[", "]", ",", ":", "\"a\"", "\"$date\"", "\"$dictionary\"", "1", "-0", "1e5", "null", "true",
            " ",
            "{\"$dictionary\":", "\"", "\\", "[]", "{}",
        ]
        let bytes = Array("\"\\{}[],:0159-+.eEutfn \n$d".utf8)
        for seed in SeededGenerator.seeds(TestLevel.current.pick(20, thorough: 300, exhaustive: 6_000)) {
            var (values, random) = (RandomValues(seed: seed), SeededGenerator(seed: seed))
            var texts = (0..<200).map { _ in
                (0..<Int.random(in: 1...12, using: &random)).flatMap { _ in
                    (tokens.randomElement(using: &random) ?? "").utf8
                }
            }
            let text = JSONText.encode(PropertyListTable(values.dictionary(levels: 3)))
            texts += (0..<20).map { _ in
                var damaged = text
                for _ in 0..<Int.random(in: 1...3, using: &random) {
                    let byte = bytes.randomElement(using: &random) ?? 0
                    let place = Int.random(in: 0..<damaged.count, using: &random)
                    if Bool.random(using: &random) { damaged[place] = byte } else { damaged.insert(byte, at: place) }
                }
                return damaged
            }
            try #require((texts + [text]).compactMap { Self.problem(with: $0) } == [], "seed \(seed)")
        }
    }

    @Test func `threads that read a value for the first time get the same one`() async throws {
        let list = (0..<50).map { "\"name \($0)\": [\($0), \"a text of more than fifteen bytes\"]" }
        let document = try JSONDocument(Array("{\(list.joined(separator: ","))}".utf8))
        await withTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    (0..<50).allSatisfy {
                        document.value(forKey: "name \($0)")
                            == [.integer(PropertyListInteger(Int64($0))), "a text of more than fifteen bytes"]
                    }
                }
            }
            for await isRight in group { #expect(isRight) }
        }
    }
}

/// Tables over a document are equal to tables without one, whatever is written to them.
@Suite
struct DocumentTableTests {
    @Test(.seeded) func `a table over a document behaves like one without`() throws {
        for seed in SeededGenerator.seeds(TestLevel.current.pick(25, thorough: 400, exhaustive: 4_000)) {
            try check(seed)
        }
    }

    private func check(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var values = RandomValues(seed: seed)
        let names = (0..<6).map { "name \($0)" }
        var plain = PropertyListTable()
        for name in names where Bool.random(using: &random) { plain[name] = values.value(levels: 1) }
        var layered = PropertyListTable(try JSONDocument(JSONText.encode(plain)))
        var (earlierPlain, earlierLayered) = (plain, layered)
        for _ in 0..<30 {
            let name = names.randomElement(using: &random) ?? ""
            switch Int.random(in: 0..<8, using: &random) {
            case 0: (plain[name], layered[name]) = (nil, nil)
            case 1: (earlierPlain, earlierLayered) = (plain, layered)
            case 2:
                let text = JSONText.encode(layered)
                layered = layered.moved(to: PropertyListTable(try JSONDocument(text)), from: layered)
            default:
                let value = values.value(levels: 1)
                #expect(plain.updateValue(value, forKey: name) == layered.updateValue(value, forKey: name))
            }
            let delta = TableDelta(from: earlierPlain, to: plain)
            let isSame =
                plain == layered && layered == plain && plain.hashValue == layered.hashValue
                && plain.count == layered.count && plain.isEmpty == layered.isEmpty
                && layered.sortedKeys == plain.sortedKeys && layered.dictionary == plain.dictionary
                && delta == TableDelta(from: earlierLayered, to: layered)
                && delta == TableDelta(from: earlierLayered, to: plain)
                && (earlierPlain == plain) == (earlierLayered == layered)
            try #require(isSame, "seed \(seed): \(plain) and \(layered)")
        }
    }
}

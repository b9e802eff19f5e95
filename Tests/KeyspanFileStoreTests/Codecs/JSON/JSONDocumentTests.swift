@_spi(StoreAuthors) import KeyspanCore
import KeyspanTesting
import Testing

@_spi(StoreAuthors) @testable import KeyspanFileStore

/// A document accepts, refuses and reads the same as `JSONText.parseTable`, which makes every value at once.
@Suite
struct JSONDocumentTests {
    private static let text: [UInt8] = Array(
        """
        {
          "b": [1, -2.5, "x", true], "a": {"x": 1, "y": "z", "w": false},
          "nested": {"list": [[1], {"a": {}}], "n": null}, "\\u0065scaped \\"": "a\\nb", "plain": "é漢",
          "tag": {"$date": "2026-11-21T10:50:00.25Z"}, "real": {"$real": "inf"}, "none": null,
          "big": 18446744073709551615, "small": -9223372036854775808, "exact": 1.50, "e": 1e3, "": 0
        }

        """.utf8
    )

    /// Checks that both readers do the same with a text.
    static func checkAgreement(on text: [UInt8], _ location: SourceLocation = #_sourceLocation) {
        let words = String(decoding: text, as: UTF8.self).debugDescription
        let table = reading { () throws(JSONTextError) in try JSONText.parseTable(text) }
        let document = reading { () throws(JSONTextError) in PropertyListTable(try JSONDocument(text)) }
        #expect(table.error == document.error, "\(words)", sourceLocation: location)
        guard let table = table.table, let document = document.table else { return }
        #expect(table == document && document == table, "\(words)", sourceLocation: location)
        #expect(document.count == table.count && document.sortedKeys == table.sortedKeys, sourceLocation: location)
        for (key, value) in table { #expect(document[key] == value, "\(key) in \(words)", sourceLocation: location) }
        for (key, value) in document { #expect(table[key] == value, "\(key) in \(words)", sourceLocation: location) }
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
        Self.checkAgreement(on: Self.text)
        #expect(document.count == 12 && document.placeCount == 13 && !document.index.groups[0].isSorted)
        #expect(document.value(forKey: "escaped \"") == "a\nb")
        #expect(document.value(forKey: "none") == nil && !document.hasValue(forKey: "none"))
        #expect(document.value(forKey: "no such name") == nil)
        #expect(document.value(forKey: "plain") == document.value(forKey: "plain"))
    }

    @Test func `a text that is cut off or damaged is refused alike`() {
        for length in 0..<Self.text.count { Self.checkAgreement(on: Array(Self.text.prefix(length))) }
        for index in Self.text.indices {
            for byte in Array("\"\\}],:0-.n\n".utf8) + [0xFF, Self.text[index] ^ 1] {
                var damaged = Self.text
                damaged[index] = byte
                Self.checkAgreement(on: damaged)
            }
        }
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
        Self.checkAgreement(on: Array(text.utf8))
    }

    @Test func `a name is repeated anywhere among many`() {
        let members = (0..<300).map { "\"key \($0)\": \($0)" }
        for repeated in [0, 31, 32, 150, 299] {
            let text = "{\((members + ["\"key \(repeated)\": 0"]).joined(separator: ","))}"
            Self.checkAgreement(on: Array(text.utf8))
        }
        Self.checkAgreement(on: Array("{\(members.joined(separator: ", "))}".utf8))
    }

    @Test(arguments: 0..<TestLevel.current.pick(60, thorough: 600, exhaustive: 6_000))
    func `random texts are treated alike`(run: Int) {
        let seed = SeededGenerator.seedOfRun &+ UInt64(run)
        var values = RandomValues(seed: seed)
        var random = SeededGenerator(seed: seed)
        let text = JSONText.encode(PropertyListTable(values.dictionary(levels: 3)))
        Self.checkAgreement(on: text)
        for _ in 0..<20 {
            var damaged = text
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let place = Int.random(in: 0..<damaged.count, using: &random)
                let tokens = Array("\"\\{}[],:0159-+.eEutfn \n$d".utf8)
                if Bool.random(using: &random) {
                    damaged[place] = tokens.randomElement(using: &random) ?? 0
                } else {
                    damaged.insert(tokens.randomElement(using: &random) ?? 0, at: place)
                }
            }
            Self.checkAgreement(on: damaged)
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
    @Test(arguments: 0..<TestLevel.current.pick(40, thorough: 400, exhaustive: 4_000))
    func `a table over a document behaves like one without`(run: Int) throws {
        let seed = SeededGenerator.seedOfRun &+ UInt64(run)
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
            #expect(plain == layered && layered == plain && plain.hashValue == layered.hashValue, "seed \(seed)")
            #expect(plain.count == layered.count && plain.isEmpty == layered.isEmpty)
            #expect(layered.sortedKeys == plain.sortedKeys && layered.dictionary == plain.dictionary)
            let delta = TableDelta(from: earlierPlain, to: plain)
            #expect(delta == TableDelta(from: earlierLayered, to: layered), "seed \(seed)")
            #expect(delta == TableDelta(from: earlierLayered, to: plain), "seed \(seed)")
            #expect((earlierPlain == plain) == (earlierLayered == layered))
        }
    }
}

@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import Testing

/// Texts are equal when their UTF-8 is.
@Suite struct UTF8TextTests {
    /// Texts of which some are equal to `String`, short ones and such as are not stored in the string itself.
    private static let texts: [String] = {
        let short = [
            "", "a", "ab", "K", "\u{212A}", "\u{E9}", "e\u{301}", "\u{C5}", "\u{212B}", "A\u{30A}", "\u{10FFFF}",
        ]
        return short + short.map { "a text of more than fifteen bytes and " + $0 }
    }()

    @Test(arguments: texts)
    func `a text equals those with the same bytes, and is before those with larger ones`(text: String) {
        for other in Self.texts {
            // Made anew, so that nothing is equal because it is the same object.
            let copy = String(decoding: Array(other.utf8), as: UTF8.self)
            let (left, right) = (Array(text.utf8), Array(copy.utf8))
            #expect((UTF8Text(text) == UTF8Text(copy)) == (left == right))
            #expect((UTF8Text(text) < UTF8Text(copy)) == left.lexicographicallyPrecedes(right))
            #expect((PropertyListValue.string(text) == .string(copy)) == (left == right))
            if left == right { #expect(UTF8Text(text).hashValue == UTF8Text(copy).hashValue) }
            #expect(text.hasUTF8Prefix(copy) == left.starts(with: right))
            #expect(text.hasUTF8Suffix(copy) == left.reversed().starts(with: right.reversed()))
        }
    }

    @Test(arguments: 1..<40)
    func `a difference is found at each place`(count: Int) {
        let bytes = [UInt8](repeating: UInt8(ascii: "x"), count: count)
        for index in 0..<count {
            var changed = bytes
            changed[index] = UInt8(ascii: "y")
            let (text, other) = (String(decoding: bytes, as: UTF8.self), String(decoding: changed, as: UTF8.self))
            #expect(!text.hasSameUTF8(as: other))
            #expect(text.utf8Precedes(other) && !other.utf8Precedes(text))
        }
    }

    @Test func `a dictionary of texts keeps all of them`() {
        var dictionary = TextDictionary(Self.texts.map { (key: $0, value: $0) })
        #expect(dictionary.count == Set(Self.texts.map { Array($0.utf8) }).count)
        #expect(dictionary.allSatisfy { $0.key.utf8.elementsEqual($0.value.utf8) })
        #expect(
            dictionary.sortedKeys.map { Array($0.utf8) }
                == Self.texts.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
        )
        dictionary["\u{E9}"] = nil
        #expect(dictionary["\u{E9}"] == nil && dictionary["e\u{301}"] != nil)
        #expect(dictionary.removeValue(forKey: "e\u{301}") == "e\u{301}" && dictionary["e\u{301}"] == nil)
        dictionary["K", default: ""] += "!"
        #expect(dictionary["K"] == "K!" && dictionary["\u{212A}"] == "\u{212A}")
    }

    @Test func `the names of a dictionary contain what it has a value for`() {
        func contains(_ name: String, in names: some Collection<String>) -> Bool { names.contains(name) }
        let dictionary: TextDictionary<Int> = ["e\u{301}": 1, "a": 2]
        #expect(dictionary.keys.contains("e\u{301}") && contains("e\u{301}", in: dictionary.keys))
        #expect(!dictionary.keys.contains("\u{E9}"))
        #expect(!contains("\u{E9}", in: dictionary.keys))
        #expect(dictionary.keys.count == 2 && zip(dictionary.keys, dictionary).allSatisfy { $0 == $1.key })
        #expect(Array(dictionary.keys) == dictionary.keys.indices.map { dictionary.keys[$0] })
    }

    @Test func `literals, tables and values keep both names`() {
        let value: PropertyListValue = ["\u{E9}": 1, "e\u{301}": 2]
        #expect(value["\u{E9}"] == 1 && value["e\u{301}"] == 2)
        let table: PropertyListTable = ["\u{E9}": 1, "e\u{301}": 2]
        #expect(table.count == 2 && table.dictionary.count == 2)
        #expect(value == .dictionary(table.dictionary))
        #expect(value.description == "[\"e\\u{0301}\": 2, \"\u{E9}\": 1]" || value.description.contains("2"))
        var batch = PropertyListBatch()
        batch.set(3, forKey: "e\u{301}")
        var copy = table
        let change = try? copy.apply(batch, store: "test")
        #expect(change?["\u{E9}"] == nil && change?["e\u{301}"]?.new == 3)
        #expect(PropertyListBatch.Operation.remove(key: "\u{E9}") != .remove(key: "e\u{301}"))
        #expect(ValuePath([.name("\u{E9}")]) != ValuePath([.name("e\u{301}")]))
        #expect(Defaults.KeyName("\u{E9}") != Defaults.KeyName("e\u{301}"))
        #expect(Defaults.Key<Int>("\u{E9}", default: 0) != Defaults.Key<Int>("e\u{301}", default: 0))
    }

    @Test func `a key reads the text that was written last`() {
        let defaults = Defaults(InMemoryStore())
        let key = Defaults.Key<String>("text", default: "")
        for text in ["\u{E9}", "e\u{301}", "\u{E9}"] {
            defaults[key] = text
            #expect(defaults[key].utf8.elementsEqual(text.utf8))
        }
    }

    @Test func `an edit and kept values keep keys apart`() throws {
        let store = InMemoryStore(["\u{E9}": "x", "e\u{301}": "y"])
        let defaults = Defaults(store)
        _ = reportedProblems {
            defaults[Defaults.Key<Int>("\u{E9}", default: 0)] = 1
            defaults[Defaults.Key<Int>("e\u{301}", default: 0)] = 2
        }
        #expect(store.value(forKey: "\u{E9}") == 1 && store.value(forKey: "e\u{301}") == 2)
        #expect(defaults.keptValues().compactMap(\.value) == ["y", "x"])
        var edit = PropertyListEdit(store.snapshot())
        edit["\u{E9}"] = 5
        #expect(edit["e\u{301}"] == 2)
    }

    @Test func `layers merge names by their bytes`() {
        let store = LayeredStore(
            [.init("high", InMemoryStore(["d": ["\u{E9}": 1]])), .init("low", InMemoryStore(["d": ["e\u{301}": 2]]))],
            dictionaries: .merged
        )
        #expect(store.value(forKey: "d") == ["\u{E9}": 1, "e\u{301}": 2])
        #expect(store.value(forKey: "d")?.dictionaryValue?.count == 2)
    }

    @Test func `an argument is split at its bytes`() {
        let arguments = LaunchArguments(["--sign=\u{301}x", "-\u{301}y", "1", "--a.\u{301}b=2"])
        #expect(arguments.values["sign"].map { Array(($0.stringValue ?? "").utf8) } == Array("\u{301}x".utf8))
        #expect(arguments.values["\u{301}y"] == "1")
        #expect(arguments.values["a"]?["\u{301}b"] == "2")
        let words = LaunchArguments(["--a-\u{301}b=3"], spelling: .snakeCase)
        #expect(words.values["a_\u{301}b"] == "3")
    }

    /// Scalars that make one `Character` with the one before them.
    private static let joined: [String] = ["\u{301}", "\u{200D}", "\u{FE0F}", "\u{E0100}"]

    @Test(arguments: joined)
    func `space around an argument is removed without what follows it`(mark: String) {
        let arguments = LaunchArguments(["-key", " \(mark)x \(mark) "])
        #expect(arguments.values["key"] == .string("\(mark)x \(mark)"))
    }

    @Test(arguments: joined)
    func `Markdown is escaped before a combining character`(mark: String) throws {
        let key = Defaults.Key<String>("a|\(mark)b", default: "`\(mark)|\(mark)").summary(
            "|\(mark)*\(mark)\r\n<\(mark)"
        )
        let lines = Defaults(InMemoryStore(name: "s")).describe([key]).markdown.split(separator: "\n")
        let row = try #require(lines.last).unicodeScalars
        // A pipe without a backslash before it begins a cell; there are seven, and one pipe behind the last.
        let pipes = zip(row, row.dropFirst()).count { $0 != "\\" && $1 == "|" } + 1
        #expect(pipes == 8, "\(lines)")
        for scalar: Unicode.Scalar in ["*", "<"] {
            #expect(zip(row, row.dropFirst()).contains { $0 == "\\" && $1 == scalar })
        }
        // Those of two names in code, and of two texts with a backtick of their own, which are between two.
        #expect(row.count { $0 == "`" } == 2 * 2 + 2 * 5)
    }

    @Test(arguments: joined)
    func `a text by an integer is stored as JSON whatever it begins with`(mark: String) throws {
        for text in [mark, mark + "\"", "\"" + mark, "\\" + mark] {
            let store = InMemoryStore()
            let key = Defaults.Key<[Int: String]>("texts", default: [:])
            Defaults(store)[key] = [1: text]
            #expect(
                try Defaults(InMemoryStore(store.snapshot())).value(for: key)[1]?.utf8.elementsEqual(text.utf8) == true
            )
        }
    }
}

import KeyspanTestSupport
import KeyspanTesting
import Testing

@_spi(StoreAuthors) @testable import KeyspanCore

/// Errors show characters that people cannot see, or would see in another order.
@Suite struct VisibleTextTests {
    static let texts: [(String, String)] = [
        ("8080\u{A0}", #"8080\u{00A0}"#), ("80\u{200B}80", #"80\u{200B}80"#), ("\u{FEFF}8080", #"\u{FEFF}8080"#),
        ("\u{202E}0808", #"\u{202E}0808"#), ("a\u{2066}b\u{2069}", #"a\u{2066}b\u{2069}"#),
        ("80\u{AD}80", #"80\u{00AD}80"#),
        ("80\u{2028}80", #"80\u{2028}80"#), ("\u{3000}8080", #"\u{3000}8080"#), ("80\u{3164}", #"80\u{3164}"#),
        ("80\u{2800}", #"80\u{2800}"#), ("80\u{9B}1m", #"80\u{009B}1m"#), ("80\u{E0001}", #"80\u{000E0001}"#),
        // A mark on nothing, and those on a letter.
        ("\u{301}x", #"\u{0301}x"#), ("\u{A0}\u{301}", #"\u{00A0}\u{0301}"#), ("e\u{301} ü 日本 🦄", "e\u{301} ü 日本 🦄"),
        ("a\tb\"c\\", #"a\tb\"c\\"#), ("x y", "x y"),
    ]

    @Test(arguments: texts) func `an error shows such a value by numbers`(_ text: String, _ shown: String) throws {
        let error = try #require(throws: Defaults.ReadError.self) {
            try Defaults(InMemoryStore(["port": .string(text)])).value(for: Defaults.Key<Int?>("port"))
        }
        let sentence = Array(error.description.unicodeScalars)
        #expect(sentence.contains(Array("found the string \"\(shown)\"".unicodeScalars)), "\(error)")
        #expect(PropertyListValue.string(text).description.unicodeScalars.elementsEqual("\"\(shown)\"".unicodeScalars))
    }

    @Test(arguments: texts.dropLast(2)) func `an error shows such a name by numbers`(_ text: String, _ shown: String)
        throws
    {
        let store = InMemoryStore([text: ["a": [text: "x"]]])
        let key = Defaults.Key<[String: [String: Int]]>(text, default: [:])
        let error = try #require(throws: Defaults.ReadError.self) { try Defaults(store).value(for: key) }
        let sentence = Array(error.description.unicodeScalars)
        #expect(sentence.contains(Array("key \"\(shown)\".a.\(shown)".unicodeScalars)), "\(error)")
    }

    @Test func `each text about a key shows its name by numbers`() throws {
        let (name, shown) = ("po\u{200B}rt", #"po\u{200B}rt"#)
        let store = ScriptedStore()
        store.failWrites(with: StoreError(.tooLarge, store: "disk", reason: "it is full", remedy: "free some space"))
        // The store does not say which of the two entries is the reason.
        let refused = try #require(throws: Defaults.WriteError.self) {
            try Defaults(store).set(Annotated(main: 1, note: 2), for: Defaults.Key<Annotated?>(name))
        }
        #expect(refused.description.hasPrefix("key \"\(shown)\" of disk"), "\(refused)")
        store.failWrites(with: nil)
        let texts = Recorder<String>()
        let observation = store.observe(.all, initial: false) { texts.record("\($0)") }
        try store.apply(PropertyListBatch(.set("unreadable", key: name)))
        Defaults(store)[Defaults.Key<Int>(name, default: 0)] = 1
        observation.cancel()
        texts.record("\(try #require(Defaults(store).keptValues().first))")
        #expect(
            texts.count == 3 && texts.values.allSatisfy { $0.contains(shown) && !$0.contains(name) },
            "\(texts.values)"
        )
        let json = try #require(CollectionText.flaw(of: "[1\u{200B}, 2]"))
        #expect(json.contains(#"“\u{200B}”"#), "\(json)")
    }
}

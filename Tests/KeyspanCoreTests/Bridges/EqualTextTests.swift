import KeyspanCore
import Testing

/// Dictionaries and sets of Swift hold one of two texts that are equal to `String`: the other one is reported.
@Suite struct EqualTextTests {
    private static let entries: PropertyListValue = ["\u{E9}": 1, "e\u{301}": 2, "z": 3]

    @Test func `a name that is equal to another one is reported with both`() throws {
        let defaults = Defaults(InMemoryStore(["d": Self.entries]))
        let key = Defaults.Key<[String: Int]>("d", default: [:])
        let problems = reportedProblems { #expect(defaults[key] == ["e\u{301}": 2, "z": 3]) }
        #expect(problems.count == 1)
        #expect(problems.first?.contains(#""\u{00E9}""#) == true && problems.first?.contains(#""e\u{0301}""#) == true)
        let error = #expect(throws: Defaults.ReadError.self) { try defaults.value(for: key) }
        #expect(error?.cause.path == ValuePath([.name("\u{E9}")]))
    }

    @Test func `an exact dictionary refuses it`() throws {
        let error = #expect(throws: ValueDecodingError.self) { try [String: Int](propertyListValue: Self.entries) }
        #expect(error?.description.contains(#""e\u{0301}""#) == true)
    }

    @Test func `numbers that are written in two ways are reported too`() throws {
        let defaults = Defaults(InMemoryStore(["d": ["7": 1.5, "07": 2.5]]))
        let key = Defaults.Key<[Int: Double]>("d", default: [:])
        let problems = reportedProblems { #expect(defaults[key] == [7: 2.5]) }
        #expect(problems.count == 1)
    }

    @Test func `a text that is equal to another one of a set is reported with its index`() throws {
        let defaults = Defaults(InMemoryStore(["s": ["\u{E9}", "e\u{301}", "a", "a"]]))
        let key = Defaults.Key<Set<String>>("s", default: [])
        let problems = reportedProblems { #expect(defaults[key] == ["\u{E9}", "a"]) }
        #expect(problems.count == 1)
        #expect(problems.first?.contains("[1]") == true)
        #expect(throws: Defaults.ReadError.self) { try defaults.value(for: key) }
    }

    @Test func `a structured value with such a dictionary is not read`() throws {
        #expect(throws: (any Error).self) {
            try PropertyListValueDecoder().decode([String: Int].self, from: Self.entries)
        }
    }

    @Test func `all of it is there for who reads property-list values`() throws {
        let defaults = Defaults(InMemoryStore(["d": Self.entries]))
        #expect(defaults[Defaults.Key<PropertyListValue>("d", default: [:])] == Self.entries)
    }
}

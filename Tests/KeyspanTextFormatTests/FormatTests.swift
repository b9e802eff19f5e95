@_spi(StoreAuthors) import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanTesting
import Testing

/// A text that a format refuses, the place that the error names, and a part of its sentence.
struct Refusal: CustomTestStringConvertible {
    let text: String
    let line: Int
    let column: Int?
    let clause: String

    init(_ text: String, line: Int, column: Int? = nil, _ clause: String) {
        (self.text, self.line, self.column, self.clause) = (text, line, column, clause)
    }

    var testDescription: String { String(text.prefix(30)) }
}

/// What all formats refuse.
@Suite
struct FormatTests {
    @Test(arguments: LayerFormat.allCases)
    func `a text that has no form as a property list is refused at its place`(_ format: LayerFormat) throws {
        let double = try FollowedFileDouble(format)
        for refusal in format.refusals {
            try double.write(refusal.text)
            let error = try #require(throws: FileStoreError.self, "\(refusal)") { _ = try double.open() }
            #expect(error.position?.line == refusal.line, "\(error)")
            if let column = refusal.column { #expect(error.position?.column == column, "\(error)") }
            #expect(error.description.contains(refusal.clause), "\(error)")
            #expect(error.step == .parse)
        }
    }

    @Test(arguments: LayerFormat.allCases)
    func `bytes that are not UTF-8 are refused`(_ format: LayerFormat) {
        let quoted = Array(format.text(yaml: "a: \"", toml: "a=\"").utf8) + [0xFF, 0x22]
        for bytes in [quoted, [0xFF, 0xFE, 0x61, 0], [0, 0, 0, 0]] as [[UInt8]] {
            #expect(throws: TextFileError.self) { try format.parse(bytes) }
        }
    }

    @Test(arguments: LayerFormat.allCases)
    func `nesting ends at the limit of property lists`(_ format: LayerFormat) throws {
        let limit = PropertyListValue.maximumNesting
        let name = format.text(yaml: "a: ", toml: "a = ")
        func nested(_ levels: Int) -> String {
            String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
        }
        #expect(try format.parse(name + nested(limit)).count == 1)
        let error = try #require(throws: TextFileError.self) { try format.parse(name + nested(limit + 1)) }
        #expect(error.expected == "at most \(limit) nested collections")
        for text in [name + String(repeating: "[", count: 500_000)] + format.deepTexts {
            #expect(throws: TextFileError.self) { try format.parse(text) }
        }
    }

    @Test(arguments: LayerFormat.allCases)
    func `no beginning and no damaged byte of a text crashes the reader`(_ format: LayerFormat) throws {
        let text = Array(
            format.text(
                yaml: "a: &a [1, 2.5, ~x, \"q\\n\", 'r']\nb: {c: *a, ? d : !!str 1}\ne: |\n  text\n  more\n# end\n",
                toml: """
                    a = [1, 2.5, "q\\n"]
                    [t.u]
                    b = {c = '''x''', d.e = 1979-05-27T07:32:00Z}
                    [[v]]
                    e = \"\"\"m
                    \"\"\"

                    """
            ).utf8
        )
        var refused = 0
        for end in text.indices {
            if (try? format.parse(Array(text[..<end]))) == nil { refused += 1 }
            for byte in Array("\0\t\n\"#&'*,-.:=[]{}".utf8) + [0xFF] {
                var damaged = text
                damaged[end] = byte
                if (try? format.parse(damaged)) == nil { refused += 1 }
            }
        }
        #expect(refused > text.count)
    }
}

extension LayerFormat {
    fileprivate var refusals: [Refusal] {
        switch self {
        #if YAML
        case .yaml: YAMLTextTests.refusals
        #endif
        case .toml: TOMLTextTests.refusals
        }
    }

    /// Texts that nest too deeply.
    fileprivate var deepTexts: [String] {
        let limit = PropertyListValue.maximumNesting
        switch self {
        #if YAML
        case .yaml:
            return [
                "a: " + String(repeating: "{a: ", count: 200_000), "a:\n" + String(repeating: "- ", count: 500_000),
                String(repeating: "? ", count: 500_000),
                "a: &a \(String(repeating: "[", count: limit - 1) + String(repeating: "]", count: limit - 1))\nb: [[*a]]",
                (0..<1000).map { String(repeating: " ", count: $0) + "a:\n" }.joined(),
            ]
        #endif
        case .toml:
            let deepKey = Array(repeating: "a", count: 200_000).joined(separator: ".")
            let key = Array(repeating: "a", count: limit).joined(separator: ".")
            return [
                "a = " + String(repeating: "{a=", count: 200_000), "\(deepKey) = 1\n", "[\(deepKey)]\n",
                "[[\(deepKey)]]\n", "a = {\(deepKey) = 1}\n", "[\(key)]\n\(key) = 1\n", "b = @\n\(deepKey) = 1\n",
                "b = \"\n\(deepKey) = 1\n",
            ]
        }
    }
}

import Keyspan
import Testing

@testable import KeyspanTool

@Suite struct WordSearchTests {
    @Test(arguments: [
        ("Window-Size", true), ("nested value", true), ("DEEP", true), ("42", true), ("1.5", true), ("theme", false),
        ("true", false),
    ])
    func `looks at keys and values of every depth, whatever their case`(word: String, isFound: Bool) {
        let value: PropertyListValue = ["Deep": ["a Nested Value", 42, 1.5, true]]
        #expect(WordSearch(word).matches(key: "window-size", value: value) == isFound)
    }
}

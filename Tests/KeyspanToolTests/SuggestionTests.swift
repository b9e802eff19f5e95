import Testing

@testable import KeyspanTool

@Suite struct SuggestionTests {
    private static let commands = ["read", "read-type", "write", "rename", "delete", "watch", "diff", "kept"]

    @Test(arguments: [
        ("raed", "read"), ("Read", "read"), ("wacth", "watch"), ("writ", "write"), ("del", "delete"),
        ("readtype", "read-type"), ("rname", "rename"), ("dif", "diff"),
    ])
    func `finds a near word`(word: String, nearest: String) {
        #expect(Suggestion.nearest(to: word, among: Self.commands) == nearest)
    }

    @Test(arguments: ["", "x", "w", "list", "settings", "com.example.app"])
    func `finds nothing for a word that is not near`(word: String) {
        #expect(Suggestion.nearest(to: word, among: Self.commands) == nil)
    }
}

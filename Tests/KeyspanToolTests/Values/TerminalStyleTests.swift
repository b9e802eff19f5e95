import Keyspan
import Testing

@testable import KeyspanTool

@Suite struct TerminalStyleTests {
    @Test(arguments: [
        ([:], true), (["TERM": "xterm"], true), (["NO_COLOR": ""], true), (["NO_COLOR": "1"], false),
        (["TERM": "dumb"], false), (["NO_COLOR": "0", "TERM": "xterm"], false),
    ])
    func `asks the environment whether colours are wanted`(environment: [String: String], areWanted: Bool) {
        #expect(TerminalStyle.areWanted(in: environment) == areWanted)
    }

    @Test func `colours keys, and nothing when there are no colours`() {
        let writer = OldStyleWriter(style: TerminalStyle(hasColors: true))
        #expect(writer.text(of: ["k": 1]) == "{\n    \u{1B}[36mk\u{1B}[0m = 1;\n}")
        #expect(TerminalStyle.plain.key("k") == "k")
    }
}

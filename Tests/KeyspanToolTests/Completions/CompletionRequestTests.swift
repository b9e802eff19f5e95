import ArgumentParser
import Testing

@testable import KeyspanTool

@Suite struct CompletionRequestTests {
    private func request(
        _ line: [String],
        at index: Int,
        prefix: String = "",
        commands: Int = 1,
        shell: CompletionShell? = .bash,
        isQuoted: Bool = true
    ) -> CompletionRequest {
        CompletionRequest(
            line: line,
            index: index,
            prefix: prefix,
            commands: commands,
            shell: shell,
            isQuoted: isQuoted,
            home: "/home/ada"
        )
    }

    @Test(arguments: [
        (["keyspan", "read", "app", ""], 1, ["app"]),
        (["keyspan", "read", "--format", "json", "app", ""], 1, ["app"]),
        (["keyspan", "watch", "--initial", "app", ""], 1, ["app"]),
        (["keyspan", "read", "--", "app", ""], 1, ["app"]),
        (["keyspan", "kept", "restore", "--number", "2", "'my app'", ""], 2, ["my app"]),
        (["keyspan", "read", "~/app.json", ""], 1, ["/home/ada/app.json"]),
        (["keyspan", "read", ""], 1, []),
    ])
    func `knows what stands before the word`(line: [String], commands: Int, operands: [String]) {
        #expect(request(line, at: line.count - 1, commands: commands).operands == operands)
    }

    @Test func `takes the beginning of the last word as far as the cursor, and another word as a whole`() {
        #expect(request(["keyspan", "read", "app", #"my\ key"#], at: 3, prefix: #"my\ k"#).prefix == "my k")
        #expect(request(["keyspan", "read", "com", "key"], at: 2, prefix: "key").prefix == "com")
        let unquoted = request(["keyspan", "read", "app", #"a\b"#], at: 3, prefix: #"a\b"#, isQuoted: false)
        #expect(unquoted.prefix == #"a\b"#)
    }

    @Test(arguments: [#"a\'b"#, #"'a\'b'"#, #"'a\'b"#, #""a'b""#])
    func `takes a word of fish for what fish takes it for`(word: String) {
        let request = request(["keyspan", "read", word, word], at: 3, prefix: word, shell: .fish)
        #expect(request.operands == ["a'b"])
        #expect(request.prefix == "a'b")
    }
}

import ArgumentParser
import Testing

@testable import KeyspanTool

@Suite struct ShellWordTests {
    @Test(arguments: [
        ("plain", "plain"), ("", ""), (#"my\ key"#, "my key"), (#"'my key'"#, "my key"), (#""my key""#, "my key"),
        (#"'it'\''s'"#, "it's"), (#""a\"b\\c\d$e""#, #"a"b\c\d$e"#), (#"'open"#, "open"), (#""open"#, "open"),
        (#"end\"#, "end"), ("''", ""), ("~/app.json", "/home/ada/app.json"), ("~", "/home/ada"), ("a~/b", "a~/b"),
        ("~other/a", "~other/a"), ("'~/a'", "~/a"), ("日本\\ 語", "日本 語"),
    ])
    func `means what the shell takes it for`(word: String, text: String) {
        #expect(ShellWord.unquoted(word, home: "/home/ada") == text)
    }

    @Test func `with a tilde means itself without a home`() {
        #expect(ShellWord.unquoted("~/a", home: nil) == "~/a")
    }

    @Test(arguments: [
        (CompletionShell.bash, "$(touch x)`y`;&|<>", #"\$\(touch\ x\)\`y\`\;\&\|\<\>"#),
        (.bash, "my key's \"\\", #"my\ key\'s\ \"\\"#), (.bash, "~a*?[b]{c}!#", ##"\~a\*\?\[b\]\{c\}\!\#"##),
        (.bash, "com.example_app-1/é日:=", "com.example_app-1/é日:="),
        (.zsh, #"a:b\c $(d)"#, #"a\:b\\c $(d)"#), (.fish, #"a:b\c $(d)"#, #"a:b\c $(d)"#),
    ])
    func `is offered so that the shell takes it literally`(shell: CompletionShell, text: String, candidate: String) {
        #expect(ShellWord.candidate(text, for: shell) == candidate)
    }

    @Test(arguments: ["a\nb", "a\tb", "\u{1B}[31m", "\u{7F}", "\r\n"], [CompletionShell.bash, .zsh, .fish])
    func `with control characters is not offered`(text: String, shell: CompletionShell) {
        #expect(ShellWord.candidate(text, for: shell) == nil)
    }
}

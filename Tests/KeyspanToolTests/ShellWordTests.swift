import ArgumentParser
import Testing

@testable import KeyspanTool

@Suite struct ShellWordTests {
    @Test(arguments: [
        ("plain", "plain"), ("", ""), (#"my\ key"#, "my key"), (#"'my key'"#, "my key"), (#""my key""#, "my key"),
        (#"'it'\''s'"#, "it's"), (#""a\"b\\c\d$e""#, #"a"b\c\d$e"#), (#"'open"#, "open"), (#""open"#, "open"),
        (#"end\"#, "end"), ("''", ""), ("~/app.json", "/home/ada/app.json"), ("~", "/home/ada"), ("a~/b", "a~/b"),
        ("~other/a", "~other/a"), ("'~/a'", "~/a"), ("日本\\ 語", "日本 語"),
        ("~/\u{301}a", "/home/ada/\u{301}a"), ("'\u{301}a b\u{600}' c", "\u{301}a b\u{600} c"),
        ("\"\u{301}\\\"\u{200D}\"", "\u{301}\"\u{200D}"), ("a\\\u{301} b", "a\u{301} b"),
    ])
    func `means what the shell takes it for`(word: String, text: String) {
        #expect(ShellWord.unquoted(word, for: .zsh, home: "/home/ada") == text)
    }

    @Test(arguments: [
        (#"'a\'b'"#, "a'b", #"a\b"#), (#"'a\\b'"#, #"a\b"#, #"a\\b"#), (#"'a\b\"'"#, #"a\b\""#, #"a\b\""#),
        (#""a\`b\$c\"d\\e""#, #"a\`b$c"d\e"#, #"a`b$c"d\e"#),
    ])
    func `means something else to fish where a backslash stands in quotes`(word: String, fish: String, others: String) {
        #expect(ShellWord.unquoted(word, for: .fish, home: nil) == fish)
        for shell in [CompletionShell.bash, .zsh] {
            #expect(ShellWord.unquoted(word, for: shell, home: nil) == others)
        }
    }

    @Test func `has a quote that fish closes elsewhere`() {
        #expect(ShellWord.openQuote(of: #"'a\'b"#, for: .fish) == "'")
        #expect(ShellWord.openQuote(of: #"'a\'b"#, for: .bash) == nil)
    }

    @Test func `with a tilde means itself without a home`() {
        #expect(ShellWord.unquoted("~/a", for: .bash, home: nil) == "~/a")
    }

    @Test(arguments: [
        (CompletionShell.bash, "$(touch x)`y`;&|<>", "'$(touch x)`y`;&|<>'"),
        (.bash, "my key's \"\\", #"'my key'\''s "\'"#), (.bash, "~a*?[b]{c}!#", "'~a*?[b]{c}!#'"),
        (.bash, "com.example_app-1/é日:=", "com.example_app-1/é日:="),
        (.zsh, #"a:b\c $(d)"#, #"a\:b\\c $(d)"#), (.fish, #"a:b\c $(d)"#, #"a:b\c $(d)"#),
    ])
    func `is offered so that the shell takes it literally`(shell: CompletionShell, text: String, candidate: String) {
        #expect(ShellWord.candidate(text, for: shell, within: "'") == candidate)
    }

    @Test(arguments: [
        (CompletionShell.bash, "`touch x`", Unicode.Scalar?.none, false), (.bash, "a\u{600}`\u{301}", nil, false),
        (.bash, "`touch x`", "\"", true), (.bash, "$(touch x)", nil, false), (.bash, "$(touch x)", "'", true),
        (.bash, "~\u{301}", nil, false), (.bash, "~", "'", true), (.bash, "a~!;", nil, true),
        (.zsh, "`touch x`$~", nil, true), (.zsh, "a!\u{301}", nil, false), (.zsh, "!a", "\"", false),
        (.zsh, "!a", "'", true),
        (.fish, "~`$(touch x)!", nil, true),
    ])
    func `is offered only where the shell inserts it as text`(
        shell: CompletionShell,
        text: String,
        quote: Unicode.Scalar?,
        isOffered: Bool
    ) {
        #expect((ShellWord.candidate(text, for: shell, within: quote) != nil) == isOffered)
    }

    @Test(
        arguments: [
            ("", nil), ("a", nil), ("'a", "'"), ("\"a", "\""), ("'a'", nil), ("'a'b'c", nil), ("a'b", nil),
            (#"\'a"#, nil),
            (#""a\""#, "\""), ("'\u{301}a", "'"), ("'", "'"), ("\"it's", "\""),
        ] as [(String, Unicode.Scalar?)]
    )
    func `has a quote that is open`(word: String, quote: Unicode.Scalar?) {
        #expect(ShellWord.openQuote(of: word, for: .bash) == quote)
    }

    /// Characters that others are parts of, or that are parts of others, in one grapheme; and none.
    private static let joiners = ["\u{301}", "\u{600}", "\u{200B}", "\u{200D}", ""]

    @Test(arguments: joiners)
    func `has no byte that bash would read, and escapes for zsh, whatever it is joined with`(joiner: String) throws {
        for character in (0x20..<0x7F).map({ Character(Unicode.Scalar($0)) }) {
            let both = "\(joiner)\(character)\(joiner)\(character)"
            for text in ["\(joiner)\(character)x", "\(character)\(joiner)x", both] {
                let word = try #require(ShellWord.candidate(text, for: .bash, within: "'"))
                try #require(Self.barePart(of: word).allSatisfy { $0 >= 0x80 || Self.harmless.contains($0) })
                try #require(Array(ShellWord.unquoted(word, for: .bash, home: "/home/ada").utf8) == Array(text.utf8))
            }
            let word = try #require(ShellWord.candidate(both, for: .zsh, within: "'"))
            let scalars = both.unicodeScalars.flatMap { $0 == ":" || $0 == "\\" ? ["\\", $0] : [$0] }
            try #require(Array(word.unicodeScalars) == scalars)
        }
    }

    private static let harmless = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+@%,:=".utf8)

    /// The bytes of a word that are neither within single quotes nor quoted by a backslash, as a shell reads them.
    private static func barePart(of word: String) -> [UInt8] {
        var (bare, isQuoted) = ([UInt8](), false)
        var rest = Array(word.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "'") {
                isQuoted.toggle()
            } else if !isQuoted, byte == UInt8(ascii: "\\") {
                _ = rest.popFirst()
            } else if !isQuoted {
                bare.append(byte)
            }
        }
        return bare
    }

    @Test(
        arguments: ["a\nb", "a\tb", "\u{1B}[31m", "\u{7F}", "\r\n", "a\u{85}b", "\u{9B}31m", "\n\u{301}"],
        [CompletionShell.bash, .zsh, .fish]
    )
    func `with control characters is not offered`(text: String, shell: CompletionShell) {
        #expect(ShellWord.candidate(text, for: shell) == nil)
    }
}

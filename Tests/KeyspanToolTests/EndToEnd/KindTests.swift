import KeyspanTestSupport
import Testing

/// The kinds of values that `write` keeps, and values from standard input, as a user runs it.
@Suite struct KindTests {
    private let sandbox: Sandbox

    init() throws {
        let text = #"{"maxUpload": 5, "ratio": 0.5, "on": true, "name": "Ada", "list": ["a"]}"#
        sandbox = try Sandbox(["app": text])
    }

    @Test(arguments: [
        ("maxUpload 80", "80\n", "an integer"), ("ratio 2", "2.0\n", "a float"), ("on no", "false\n", "a boolean"),
        ("name (a", "\"(a\"\n", "a string"),
    ])
    func `stay what they are, which is reported`(words: String, json: String, kind: String) throws {
        let key = words.prefix { $0 != " " }
        let run = try sandbox.run("write app \(words)")
        #expect(run.status == 0 && run.output.isEmpty)
        #expect(run.error.contains("is stored as \(kind), the kind that the key \"\(key)\" has"))
        try sandbox.expect("get app \(key) --output json", json)
    }

    @Test func `are not mentioned where they make no difference`() throws {
        for words in ["name Grace", "list (b)", "new -string 5", "maxUpload -int 6", "on -string x"] {
            try sandbox.expect("write app \(words)")
        }
        try sandbox.expect("get app new --output json", "\"5\"\n")
    }

    @Test(arguments: [
        ("password -", "(s3cret\n", "(s3cret"), ("password --stdin", "two\nlines\n\n", "two\nlines\n"),
        ("password --stdin -string", "5", "5"), ("maxUpload -", "9\n", "9"), ("password -string -", "unread", "-"),
    ])
    func `come from standard input`(words: String, input: String, value: String) throws {
        for command in ["write", "set"] {
            #expect(try sandbox.run("\(command) app \(words)", input: input).status == 0)
            try sandbox.expect("get app \(words.prefix { $0 != " " })", value + "\n")
        }
    }

    @Test func `do not show a secret in an error`() throws {
        for (words, status) in [("on -", 2), ("new --stdin -int", 64), ("list -", 2)] as [(String, Int32)] {
            try sandbox.refuse("write app \(words)", status: status, input: "s3cret")
            #expect(try !sandbox.run("write app \(words)", input: "s3cret").error.contains("s3cret"))
        }
    }

    @Test func `refuse input that is no text`() throws {
        let run = try sandbox.shell("printf '\\377' | keyspan write app password -")
        #expect(run.status == 2 && run.error.contains("Standard input is not UTF-8"))
    }
}

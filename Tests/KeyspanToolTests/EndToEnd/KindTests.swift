import Foundation
import Testing

/// The kinds of values that `write` keeps, and values from standard input, as a user runs it.
@Suite struct KindTests {
    private let sandbox: Sandbox

    init() throws {
        sandbox = try Sandbox()
        try sandbox.write(#"{"maxUpload": 5, "ratio": 0.5, "on": true, "name": "Ada", "list": ["a"]}"#, toDomain: "app")
    }

    @Test(arguments: [
        ("maxUpload", "80", "80\n", "an integer"), ("ratio", "2", "2.0\n", "a float"),
        ("on", "no", "false\n", "a boolean"),
        ("name", "(a", "\"(a\"\n", "a string"),
    ])
    func `stay what they are, which is reported`(key: String, text: String, json: String, kind: String) throws {
        let result = try sandbox.run("write", "app", key, text)
        #expect(result.status == 0)
        #expect(result.output.isEmpty)
        #expect(result.error.contains("is stored as \(kind), the kind that the key \"\(key)\" has"))
        #expect(try sandbox.run("get", "app", key, "--output", "json").output == json)
    }

    @Test func `are not mentioned where they make no difference`() throws {
        for words in [
            ["name", "Grace"], ["list", "(b)"], ["new", "5"], ["maxUpload", "-int", "6"], ["on", "-string", "x"],
        ] {
            let result = try sandbox.run(["write", "app"] + words)
            #expect(result.status == 0 && result.error.isEmpty, "\(words): \(result.error)")
        }
        #expect(try sandbox.run("get", "app", "new", "--output", "json").output == "\"5\"\n")
    }

    @Test(arguments: [("maxUpload", "1.5"), ("maxUpload", "lots"), ("on", "maybe"), ("ratio", "half"), ("list", "a")])
    func `cannot be changed by accident`(key: String, text: String) throws {
        let before = try sandbox.text(ofDomain: "app")
        let result = try sandbox.run("write", "app", key, text)
        #expect(result.status == 1)
        #expect(result.error.contains("The key \"\(key)\" has") && result.error.contains("-string"))
        #expect(try sandbox.text(ofDomain: "app") == before)
        #expect(try sandbox.run("set", "app", key, "-string", text).status == 0)
        #expect(try sandbox.run("read-type", "app", key).output == "Type is string\n")
    }

    @Test(arguments: [
        (["password", "-"], "(s3cret\n", "(s3cret"), (["password", "--stdin"], "two\nlines\n\n", "two\nlines\n"),
        (["password", "--stdin", "-string"], "5", "5"), (["maxUpload", "-"], "9\n", "9"),
        (["password", "-string", "-"], "unread", "-"),
    ])
    func `come from standard input`(words: [String], input: String, value: String) throws {
        for command in ["write", "set"] {
            #expect(try sandbox.run([command, "app"] + words, input: input).status == 0)
            #expect(try sandbox.run("get", "app", words[0]).output == value + "\n")
        }
    }

    @Test func `do not show a secret in an error`() throws {
        for words in [["on", "-"], ["new", "--stdin", "-int"], ["list", "-"]] {
            let result = try sandbox.run(["write", "app"] + words, input: "s3cret")
            #expect([1, 64].contains(result.status))
            #expect(!result.error.contains("s3cret"))
        }
    }

    @Test func `refuse input that is no text`() throws {
        let result = try sandbox.shell("printf '\\377' | \"$KEYSPAN\" write app password -")
        #expect(result.status == 1)
        #expect(result.error.contains("Standard input is not UTF-8"))
    }

    @Test(arguments: [
        ["set", "app"], ["set", "app", "key"], ["set"], ["set", "app", "{a = 1;}"], ["write", "app", "k", "-", "x"],
    ])
    func `need a key and a value`(arguments: [String]) throws {
        #expect(try sandbox.run(arguments, input: "x").status == 64)
    }
}

import Testing

/// `diff`, as a user runs it.
@Suite struct DiffTests {
    private let sandbox: Sandbox

    init() throws {
        sandbox = try Sandbox()
        try sandbox.write(#"{"same": [1], "old": "two words", "port": 80, "mode": 1, "list": [1]}"#, toDomain: "a")
        try sandbox.write(#"{"same": [1], "new": true, "port": 81, "mode": "1", "list": ["1"]}"#, toDomain: "b")
        try sandbox.folder.write(#"{"list":[1],"mode":1,"old":"two words","port":80,"same":[1]}"#, to: "copy.json")
        try sandbox.write("{", toDomain: "damaged")
    }

    @Test func `prints a line for each key that differs`() throws {
        let result = try sandbox.run("diff", "a", "b")
        #expect(result.status == 1)
        #expect(result.error.isEmpty)
        #expect(
            result.output == """
                ~ list = (1) (values inside)
                ~ mode = 1 (integer -> string)
                + new = 1
                - old = "two words"
                ~ port = 80 -> 81

                """
        )
    }

    @Test func `prints an object for programs`() throws {
        try sandbox.write(#"{"x": 1, "y": 1}"#, toDomain: "c")
        try sandbox.write(#"{"y": 2, "z": 1}"#, toDomain: "d")
        let result = try sandbox.run("diff", "c", "d", "--output", "json")
        #expect(result.status == 1)
        #expect(
            result.output == """
                {
                  "changed": {
                    "y": [
                      1,
                      2
                    ]
                  },
                  "onlyInFirst": {
                    "x": 1
                  },
                  "onlyInSecond": {
                    "z": 1
                  }
                }

                """
        )
    }

    @Test func `prints nothing for equal values, whatever the files look like`() throws {
        let result = try sandbox.shell("\"$KEYSPAN\" diff a copy.json && \"$KEYSPAN\" diff b b")
        #expect(result.status == 0)
        #expect(result.output.isEmpty && result.error.isEmpty)
        let json = try sandbox.run("diff", "a", "a", "--output", "json")
        #expect(json.status == 0)
        #expect(json.output == "{\n  \"changed\": {},\n  \"onlyInFirst\": {},\n  \"onlyInSecond\": {}\n}\n")
    }

    @Test(
        arguments: [
            (["a", "nope"], 2, "nope"), (["nope", "a"], 2, "nope"), (["a", "damaged"], 2, "damaged"),
            (["a"], 64, "second"),
            (["a", "b", "c"], 64, "c"), (["a", "../b"], 64, "../b"), (["a", "b", "--output", "plist"], 64, "plist"),
        ] as [([String], Int32, String)]
    )
    func `does not confuse trouble with a difference`(words: [String], status: Int32, hint: String) throws {
        let result = try sandbox.run(["diff"] + words)
        #expect(result.status == status)
        #expect(result.output.isEmpty)
        #expect(result.error.hasPrefix("keyspan: ") && result.error.contains(hint))
    }

    @Test func `reports output that cannot be written as trouble`() throws {
        let result = try sandbox.shell("test -w /dev/full || exit 9; \"$KEYSPAN\" diff a b >/dev/full")
        // 9: this system has no such device.
        #expect(result.status == 2 || result.status == 9)
    }
}

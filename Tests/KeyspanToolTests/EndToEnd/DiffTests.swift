import KeyspanTestSupport
import Testing

/// `diff`, as a user runs it.
@Suite struct DiffTests {
    private let sandbox: Sandbox

    init() throws {
        sandbox = try Sandbox([
            "a": #"{"same": [1], "old": "two words", "port": 80, "mode": 1, "list": [1]}"#,
            "b": #"{"same": [1], "new": true, "port": 81, "mode": "1", "list": ["1"]}"#,
            "c": #"{"x": 1, "y": 1}"#, "d": #"{"y": 2, "z": 1}"#, "damaged": "{",
        ])
        try sandbox.folder.write(#"{"list":[1],"mode":1,"old":"two words","port":80,"same":[1]}"#, to: "copy.json")
    }

    @Test(arguments: [
        (
            "diff a b",
            """
            ~ list = (1) (values inside)
            ~ mode = 1 (integer -> string)
            + new = 1
            - old = "two words"
            ~ port = 80 -> 81

            """
        ),
        (
            "diff c d --output json",
            """
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
        ),
    ])
    func `prints each key that differs`(line: String, output: String) throws {
        #expect(try sandbox.run(line) == Sandbox.Run(status: 1, output: output, error: ""))
    }

    @Test func `prints nothing for equal values, whatever the files look like`() throws {
        try sandbox.expect("diff a ~/copy.json")
        try sandbox.expect("diff b b")
        let empty = "{\n  \"changed\": {},\n  \"onlyInFirst\": {},\n  \"onlyInSecond\": {}\n}\n"
        try sandbox.expect("diff a a --output json", empty)
    }

    @Test(arguments: [("a nope", "nope", 3), ("nope a", "nope", 3), ("a damaged", "damaged", 2)])
    func `does not confuse trouble with a difference`(words: String, hint: String, status: Int32) throws {
        try sandbox.refuse("diff \(words)", hint, status: status)
    }
}

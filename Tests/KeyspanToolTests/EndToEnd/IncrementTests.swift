import KeyspanTestSupport
import Testing

/// `incr`, as a user runs it.
@Suite struct IncrementTests {
    private let sandbox: Sandbox

    init() throws {
        let text = """
            {
              "count": 3, "least": -9223372036854775808, "most": 18446744073709551615, "name": "3", "on": true,
              "ratio": 0.5, "huge": 1.7e308
            }
            """
        sandbox = try Sandbox(["app": text])
    }

    @Test(arguments: [
        ("count", "4", "4"), ("count 5", "8", "8"), ("count -5", "-2", "-2"), ("count 0", "3", "3"),
        ("most -1", "18446744073709551614", "18446744073709551614"),
        ("least 18446744073709551615", "9223372036854775807", "9223372036854775807"), ("ratio", "1.5", "1.5"),
        ("ratio 0.5", "1", "1.0"), ("ratio -1e1", "-9.5", "-9.5"), ("new", "1", "1"), ("new -7", "-7", "-7"),
        ("new 0.25", "0.25", "0.25"),
    ])
    func `prints the sum and stores it in its kind`(words: String, output: String, json: String) throws {
        try sandbox.expect("incr app \(words)", output + "\n")
        try sandbox.expect("get app \(words.prefix { $0 != " " }) --output json", json + "\n")
    }

    @Test(arguments: [
        ("most", "outside of"), ("least -1", "outside of"), ("count 18446744073709551613", "outside of"),
        ("name", "kind string"), ("on", "kind boolean"), ("count 0.5", "has an integer"),
        ("huge 1.7e308", "not finite"),
    ])
    func `changes nothing without a sum`(words: String, hint: String) throws {
        let before = try sandbox.text(ofDomain: "app")
        try sandbox.refuse("incr app \(words)", hint, String(words.prefix { $0 != " " }))
        #expect(try sandbox.text(ofDomain: "app") == before)
    }
}

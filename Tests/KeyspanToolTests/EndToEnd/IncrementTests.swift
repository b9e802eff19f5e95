import Testing

/// `incr`, as a user runs it.
@Suite struct IncrementTests {
    private let sandbox: Sandbox

    init() throws {
        sandbox = try Sandbox()
        try sandbox.write(
            """
            {
              "count": 3, "least": -9223372036854775808, "most": 18446744073709551615, "name": "3", "on": true,
              "ratio": 0.5, "huge": 1.7e308
            }
            """,
            toDomain: "app"
        )
    }

    @Test(arguments: [
        (["count"], "4", "4"), (["count", "5"], "8", "8"), (["count", "-5"], "-2", "-2"), (["count", "0"], "3", "3"),
        (["most", "-1"], "18446744073709551614", "18446744073709551614"),
        (["least", "18446744073709551615"], "9223372036854775807", "9223372036854775807"),
        (["ratio"], "1.5", "1.5"), (["ratio", "0.5"], "1", "1.0"), (["ratio", "-1e1"], "-9.5", "-9.5"),
        (["new"], "1", "1"), (["new", "-7"], "-7", "-7"), (["new", "0.25"], "0.25", "0.25"),
    ])
    func `prints the sum and stores it in its kind`(words: [String], output: String, json: String) throws {
        let result = try sandbox.run(["incr", "app"] + words)
        #expect(result.status == 0)
        #expect(result.error.isEmpty)
        #expect(result.output == output + "\n")
        #expect(try sandbox.run("get", "app", words[0], "--output", "json").output == json + "\n")
    }

    @Test func `makes a domain`() throws {
        #expect(try sandbox.run("incr", "other", "count").output == "1\n")
        #expect(try sandbox.run("incr", "other", "count").output == "2\n")
    }

    @Test(arguments: [
        (["most"], "outside of"), (["least", "-1"], "outside of"), (["count", "18446744073709551613"], "outside of"),
        (["name"], "kind string"), (["on"], "kind boolean"), (["count", "0.5"], "has an integer"),
        (["huge", "1.7e308"], "not finite"),
    ])
    func `changes nothing without a sum`(words: [String], hint: String) throws {
        let before = try sandbox.text(ofDomain: "app")
        let result = try sandbox.run(["incr", "app"] + words)
        #expect(result.status == 1)
        #expect(result.output.isEmpty)
        #expect(result.error.contains(hint) && result.error.contains(words[0]), "\(result.error)")
        #expect(try sandbox.text(ofDomain: "app") == before)
    }

    @Test(arguments: [
        ["app"], [], ["app", "count", "x"], ["app", "count", "1", "2"], ["app", "count", "inf"],
        ["app", "count", "nan"],
        ["app", "count", "18446744073709551616"], ["app", "count", "--by", "2"], ["app", "count", ""],
    ])
    func `refuses anything but a number`(words: [String]) throws {
        let before = try sandbox.text(ofDomain: "app")
        let result = try sandbox.run(["incr"] + words)
        #expect(result.status == 64)
        #expect(result.output.isEmpty)
        #expect(try sandbox.text(ofDomain: "app") == before)
    }

    @Test func `loses no step of processes that count at once`() throws {
        let counters = try (0..<16).map { _ in
            try ToolProcess(ToolProcess.executable, ["incr", "app", "visits"], environment: sandbox.environment)
        }
        let sums = try counters.map { try $0.finish().output }
        #expect(Set(sums) == Set((1...16).map { "\($0)\n" }))
        #expect(try sandbox.run("get", "app", "visits").output == "16\n")
    }
}

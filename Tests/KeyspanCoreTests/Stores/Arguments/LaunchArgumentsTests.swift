import KeyspanCore
import Testing

@Suite struct LaunchArgumentsTests {
    @Test(
        arguments: [
            ([], [:]),
            (["program"], [:]),
            (["program", "-port", "8080"], ["port": "8080"]),
            (["-port", "8080", "-verbose", "YES"], ["port": "8080", "verbose": "YES"]),
            (["-a", "1", "file", "-b", "2"], ["a": "1", "b": "2"]),
            (["file", "other", "-a"], [:]),
            (["-a", "-b", "1"], ["b": "1"]),
            (["--port", "8080"], ["-port": "8080"]),
            (["-", "x", "-a", "1"], ["a": "1"]),
            (["-a", "1", "-a", "2"], ["a": "2"]),
            (["-offset", "-5", "-ratio", "-1.5e3"], ["offset": "-5", "ratio": "-1.5e3"]),
            (["-a", "  spaced \n"], ["a": "spaced"]),
            (["-a", ""], ["a": ""]),
            (["-a", " "], ["a": ""]),
            (["-size.width", "1"], ["size.width": "1"]),
            (["-a", "ü 🦄"], ["a": "ü 🦄"]),
            (["-list", "(a, b)", "-data", "<00>"], ["list": "(a, b)", "data": "<00>"]),
        ] as [([String], PropertyListTable)]
    )
    func `arguments are read as pairs`(_ arguments: [String], _ values: PropertyListTable) {
        #expect(LaunchArguments(arguments).values == values)
    }

    @Test func `a text that begins like a property list is given to the parser`() {
        let seen = Locked<[String]>([])
        let arguments = LaunchArguments(["-a", "(x)", "-b", "{", "-c", "x", "-d", " <x>", "-e", "\"x\"", "-f", "[x]"]) {
            text in
            seen.withLock { $0.append(text) }
            return text == "(x)" ? ["x"] : nil
        }
        #expect(seen.withLock(\.self) == ["(x)", "{", "<x>", "\"x\"", "[x]"])
        #expect(arguments.values == ["a": ["x"], "b": "{", "c": "x", "d": "<x>", "e": "\"x\"", "f": "[x]"])
    }
}

import KeyspanCore
import Testing

@Suite struct FlagTests {
    @Test(
        arguments: [
            (["--port=8080"], ["port": "8080"]),
            (["--port=8080", "--port=9090"], ["port": "9090"]),
            (["--port="], ["port": ""]),
            (["--query=a=b"], ["query": "a=b"]),
            (["--motto= (a, b) "], ["motto": " (a, b) "]),
            (["--verbose"], ["verbose": true]),
            (["--verbose", "file"], ["verbose": true]),
            (["--port", "8080"], ["port": true]),
            (["--no-color"], ["color": false]),
            (["--no-color", "--color"], ["color": true]),
            (["--no-color=1"], ["noColor": "1"]),
            (["--no-dry-run"], ["dryRun": false]),
            (["--no"], ["no": true]),
            (["--no-"], [:]),
            (["--noColor"], ["noColor": true]),
            (["--launch-count=3"], ["launchCount": "3"]),
            (["--launchCount=3"], ["launchCount": "3"]),
            (["--launch_count=3"], ["launch_count": "3"]),
            (["--maxURLLength=3"], ["maxURLLength": "3"]),
            (["--max-URL-length=3"], ["maxURLLength": "3"]),
            (["--level-2-name=x"], ["level_2Name": "x"]),
            (["--a--b=x", "--c-=y"], ["a--b": "x", "c-": "y"]),
            (["---a"], ["-a": true]),
            (["--=x"], [:]),
            (["--a=1", "--", "--b=2", "-c", "3"], ["a": "1"]),
            (["-a", "--b=2"], ["b": "2"]),
            (["-a", "1", "--b", "-c", "3"], ["a": "1", "b": true, "c": "3"]),
            (["--server.port=1"], ["server.port": "1", "server": ["port": "1"]]),
            (
                ["--server.max-count=1", "--no-server.tls"],
                ["server.maxCount": "1", "server.tls": false, "server": ["maxCount": "1", "tls": false]]
            ),
            (
                ["--a.b.c=1"],
                ["a.b.c": "1", "a.b": ["c": "1"], "a": ["b": ["c": "1"]]]
            ),
            (["--a=1", "--a.b=2"], ["a": "1", "a.b": "2"]),
            (["--a.b=1", "--a.b.c=2"], ["a.b": "1", "a.b.c": "2", "a": ["b": "1"]]),
            (["--a..b=1", "--.c=1"], ["a..b": "1", ".c": "1"]),
        ] as [([String], PropertyListTable)]
    )
    func `arguments with two hyphens are flags and pairs`(_ arguments: [String], _ values: PropertyListTable) {
        #expect(LaunchArguments(arguments).values == values)
    }

    @Test(arguments: [
        (KeySpelling.camelCase, "launchCount"), (.snakeCase, "launch_count"), (.kebabCase, "launch-count"),
    ])
    func `words are joined as the program spells its keys`(_ spelling: KeySpelling, _ key: String) {
        #expect(LaunchArguments(["--launch-count=3"], spelling: spelling).values == [key: "3"])
    }

    @Test func `keys that are given are found whatever their spelling is`() {
        let keys = ["maxURLLength", "launch_count", "noColor", "server.idle_time"].map {
            Defaults.Key<String>($0, default: "")
        }
        let arguments = [
            "--max-url-length=3", "--launch-count=4", "--no-color", "--server.idle-time=5", "--other-key=6",
        ]
        #expect(
            LaunchArguments(arguments, keys: keys).values == [
                "maxURLLength": "3", "launch_count": "4", "noColor": true, "server.idle_time": "5",
                "server": ["idle_time": "5"], "otherKey": "6",
            ]
        )
        let both = ["aB", "a_b"].map { Defaults.Key<String>($0, default: "") }
        #expect(LaunchArguments(["--a-b=1"], keys: both).values == ["aB": "1", "a_b": "1"])
    }

    @Test func `each value knows its argument`() {
        let arguments = LaunchArguments([
            "-port", "1", "--host=a", "--no-color", "--server.a=1", "--server.b=2", "--server.b=3",
        ])
        #expect(
            arguments.names == [
                "port": ["-port"], "host": ["--host"], "color": ["--no-color"], "server.a": ["--server.a"],
                "server.b": ["--server.b"], "server": ["--server.a", "--server.b"],
            ]
        )
    }

    @Test func `a name with more levels than a value can have is a key and no dictionary`() {
        let name = String(repeating: "a.", count: PropertyListValue.maximumNesting) + "a"
        #expect(LaunchArguments(["--\(name)=1"]).values == [name: "1"])
    }
}

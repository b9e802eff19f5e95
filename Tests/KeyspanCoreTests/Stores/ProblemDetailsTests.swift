@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import Testing

/// The severity and the fields of problems, for logs.
@Suite struct ProblemDetailsTests {
    private static let failure = StoreError(
        .notDurable,
        store: "file",
        key: "port",
        reason: "no space",
        remedy: "free some",
        underlying: Detail(severity: .notice, fields: ["step": "write", "code": "hidden"])
    )

    private struct Detail: Error, ProblemDetails, CustomStringConvertible {
        let severity: Defaults.Problem.Severity
        let fields: [String: String]
        var description: String { "a detail" }
    }

    private func problems(
        _ values: PropertyListTable,
        _ operation: (Defaults) throws -> Void
    ) rethrows -> [Defaults.Problem] {
        let problems = Recorder<Defaults.Problem>()
        let store = LayeredStore([
            .init("environment", EnvironmentStore(prefix: "APP_", environment: ["APP_PORT": "many"])),
            .init("memory", InMemoryStore(values, name: "memory store"), isWritable: true),
        ])
        try Defaults.withProblemHandler(problems.record) { try operation(Defaults(store)) }
        return problems.values
    }

    @Test func `an unreadable value is an error with its key and its source, and without the value`() throws {
        let found = problems(["list": [1, "sesame"]]) { defaults in
            _ = defaults[Defaults.Key<Int>("port", default: 80)]
            _ = defaults[Defaults.Key<[Int]>("list", default: [])]
        }
        try #require(found.count == 2)
        #expect(found.map(\.severity) == [.error, .error])
        #expect(
            found[0].fields == [
                "problem": "unreadable", "key": "port", "store": "layered store",
                "source": "environment variable APP_PORT",
            ]
        )
        #expect(found[1].fields["path"] == "[1]")
        for problem in found {
            #expect(!problem.fields.values.contains { $0.contains("many") || $0.contains("sesame") })
        }
    }

    @Test func `no field has the value of a secret that breaks a rule or cannot be read`() throws {
        let secret = Defaults.Key<Int>("token", default: 0).validated(by: .range(1...2)).secret()
        let found = problems(["token": "sesame"]) { defaults in
            _ = defaults[secret]
            defaults[secret] = 4711
        }
        try #require(found.count == 2)
        #expect(
            found[1].fields == ["problem": "writeFailed", "key": "token", "store": "layered store", "code": "invalid"]
        )
        for text in found.flatMap({ $0.fields.values + ["\($0)"] }) {
            #expect(!text.contains("sesame") && !text.contains("4711"))
        }
    }

    @Test func `a failed write names what happened in the store`() throws {
        let found = problems([:]) { $0[Defaults.Key<Int>("a\0", default: 0)] = 1 }
        #expect(found.map(\.severity) == [.error])
        #expect(found.first?.fields["code"] == "invalidKey")
        #expect(found.first?.fields["problem"] == "writeFailed")
    }

    @Test func `each case has its severity and the fields of its cause`() {
        let source = Provenance([.init(store: "/etc/app.env", line: 3)])
        let name = Defaults.UnknownName("APP_PROT", .variable, source: source, suggestion: "APP_PORT")
        let cases: [(Defaults.Problem, Defaults.Problem.Severity, [String: String])] = [
            (
                .changeOverwritten(key: "count", store: "memory"), .warning,
                ["problem": "changeOverwritten", "key": "count", "store": "memory"]
            ),
            (
                .unknownName(name), .warning,
                [
                    "problem": "unknownName", "name": "APP_PROT", "kind": "variable", "source": "/etc/app.env:3",
                    "line": "3",
                ]
            ),
            (
                .storeFailed(Self.failure), .error,
                ["problem": "storeFailed", "store": "file", "key": "port", "code": "notDurable", "step": "write"]
            ),
            (
                .storeUnavailable(name: "layer", cause: Self.failure), .error,
                ["problem": "storeUnavailable", "store": "layer", "key": "port", "code": "notDurable", "step": "write"]
            ),
            (
                .storeNotice(name: "layer", notice: Detail(severity: .warning, fields: ["kind": "rejected"])), .warning,
                ["problem": "storeNotice", "store": "layer", "kind": "rejected"]
            ),
            (.storeNotice(name: "layer", notice: "a text"), .notice, ["problem": "storeNotice", "store": "layer"]),
        ]
        for (problem, severity, fields) in cases {
            #expect(problem.severity == severity, "\(problem)")
            #expect(problem.fields == fields, "\(problem)")
        }
    }

    @Test func `severities are ordered as the levels of a log`() {
        #expect(Defaults.Problem.Severity.allCases.reversed().sorted() == [.notice, .warning, .error])
        #expect(Defaults.Problem.Severity.allCases.sorted() == [.notice, .warning, .error])
    }
}

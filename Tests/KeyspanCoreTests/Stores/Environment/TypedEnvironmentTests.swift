import KeyspanCore
import Testing

@Suite struct TypedEnvironmentTests {
    private let defaults = Defaults(
        LayeredStore([
            .init(
                "environment",
                EnvironmentStore(
                    prefix: "P_",
                    environment: [
                        "P_PORT": "8080", "P_VERBOSE": "yes", "P_BAD": "12abc", "P_TOKEN": "(hidden)",
                        "P_PORTS": "(80, 443)",
                        "P_LIMITS__CPU": "2", "P_LIMITS__MEMORY": "x", "P_TAGS": "{a = 1;}", "P_RANGE": "1000",
                    ]
                )
            ),
            .init("arguments", LaunchArgumentsStore(LaunchArguments(["--debug", "--level", "5", "--count=many"]))),
            .init("memory", InMemoryStore(), isWritable: true),
        ])
    )

    @Test func `ordinary keys read variables and flags as values of their types`() throws {
        #expect(defaults[Defaults.Key<Int>("port", default: 0)] == 8080)
        #expect(defaults[Defaults.Key<Bool>("verbose", default: false)])
        #expect(defaults[Defaults.Key<Bool>("debug", default: false)])
        #expect(try defaults.value(for: Defaults.Key<[Int]>("ports", default: [])) == [80, 443])
        #expect(try defaults.value(for: Defaults.Key<Set<String>>("ports", default: [])) == ["80", "443"])
        #expect(try defaults.value(for: Defaults.Key<[String: Int]>("tags", default: [:])) == ["a": 1])
        #expect(try defaults.value(for: Defaults.Key<Int>("limits.cpu", default: 0)) == 2)
    }

    @Test func `a text that a key of a text reads is never taken for a list`() throws {
        #expect(try defaults.value(for: Defaults.Key<String>("ports", default: "")) == "(80, 443)")
        #expect(try defaults.value(for: Defaults.Key<String?>("token")) == "(hidden)")
    }

    /// The key of a number, and what its error has to name.
    @Test(arguments: [
        ("bad", "environment variable P_BAD"), ("token", "environment variable P_TOKEN"),
        ("limits.memory", "environment variable P_LIMITS__MEMORY"), ("level", "arguments --level"),
        ("count", "arguments --count"),
    ])
    func `an error names the variable or the flag and not the value`(_ name: String, _ place: String) throws {
        let key = Defaults.Key<Int>(name, default: 7).secret()
        let error = #expect(throws: Defaults.ReadError.self) { try defaults.value(for: key) }
        #expect(error?.description.contains("key \"\(name)\" of \(place): ") == true, "\(String(describing: error))")
        for value in ["12abc", "hidden", "many"] {
            #expect(error?.description.contains(value) == false)
        }
        let invalid = #expect(throws: Defaults.ValidationError.self) { try defaults.validate([key]) }
        #expect(invalid?.description.contains(place) == true)
    }

    @Test func `a problem and a broken rule name the variable too`() {
        let problems = Locked<[String]>([])
        Defaults.withProblemHandler { problem in
            problems.withLock { $0.append(problem.description) }
        } operation: {
            _ = defaults[Defaults.Key<Int>("bad", default: 7)]
        }
        #expect(problems.withLock(\.self).map { $0.contains("environment variable P_BAD") } == [true])
        let range = Defaults.Key<Int>("range", default: 1).validated(by: .range(0...10))
        let invalid = #expect(throws: Defaults.ValidationError.self) { try defaults.validate([range]) }
        #expect(invalid?.description.contains("environment variable P_RANGE") == true)
        #expect(invalid?.description.contains("1000") == false)
    }

    @Test func `an element that does not convert is named with the variables of its dictionary`() {
        let limits = Defaults.Key<[String: Int]>("limits", default: [:])
        let error = #expect(throws: Defaults.ReadError.self) { try defaults.value(for: limits) }
        #expect(error?.description.contains("variables P_LIMITS__CPU, P_LIMITS__MEMORY") == true)
        #expect(error?.cause.path.description.contains("memory") == true)
    }
}

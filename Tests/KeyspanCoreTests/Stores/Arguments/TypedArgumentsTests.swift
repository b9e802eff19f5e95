import KeyspanCore
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct TypedArgumentsTests {
    private let memory = InMemoryStore(["level": "2"])
    private let defaults: Defaults

    init() {
        let arguments = LaunchArguments([
            "-port", "8080", "-verbose", "YES", "-ratio", "1.5", "-host", "8080", "-level", "1", "-home", "/a", "-bad",
            "12abc",
            "-ports", "(80, 443)", "-servers", "(a, \"b c\")", "-limits", "{cpu = 2; memory = 16;}",
        ])
        defaults = Defaults(
            LayeredStore([
                .init("arguments", LaunchArgumentsStore(arguments)), .init("memory", memory, isWritable: true),
                .init("registered", RegistrationDomain()),
            ])
        )
    }

    @Test func `ordinary keys read arguments as values of their types`() throws {
        #expect(defaults[Defaults.Key<Int>("port", default: 0)] == 8080)
        #expect(defaults[Defaults.Key<Bool>("verbose", default: false)])
        #expect(defaults[Defaults.Key<Double?>("ratio")] == 1.5)
        #expect(defaults[Defaults.Key<String>("host", default: "")] == "8080")
        #expect(defaults[Defaults.Key<LogLevel>("level", default: .low)] == .high)
        #expect(defaults[Defaults.Key<[Int]>("ports", default: [])] == [80, 443])
        #expect(defaults[Defaults.Key<URL?>("home")] == URL(filePath: "/a", directoryHint: .notDirectory))
        #expect(try defaults.value(for: Defaults.Key<UInt16>("port", default: 0)) == 8080)
    }

    @Test func `lists and dictionaries are read in the types of their elements`() throws {
        try defaults.register(["servers": ["registered"]])
        #expect(try defaults.value(for: Defaults.Key<[String]>("servers", default: [])) == ["a", "b c"])
        #expect(try defaults.value(for: Defaults.Key<[String]>("ports", default: [])) == ["80", "443"])
        #expect(try defaults.value(for: Defaults.Key<[Int]>("ports", default: [])) == [80, 443])
        #expect(try defaults.value(for: Defaults.Key<Set<UInt16>>("ports", default: [])) == [80, 443])
        let limits = Defaults.Key<[String: Int]>("limits", default: [:])
        #expect(try defaults.value(for: limits) == ["cpu": 2, "memory": 16])
        #expect(throws: Defaults.ReadError.self) {
            try defaults.value(for: Defaults.Key<[Int]>("servers", default: []))
        }
    }

    @Test func `an argument that does not convert is a problem with the rule`() {
        let key = Defaults.Key<Int>("bad", default: 7)
        let error = #expect(throws: Defaults.ReadError.self) { try defaults.value(for: key) }
        #expect(error?.cause == .unreadable("12abc", reason: Int.coercionRule))
    }

    @Test func `text of another layer stays text`() {
        #expect(throws: Defaults.ReadError.self) {
            try Defaults(memory).value(for: Defaults.Key<Int>("level", default: 0))
        }
    }

    @Test func `a write below an argument keeps nothing, because the argument stays`() throws {
        try defaults.set(1, for: Defaults.Key<Int>("port", default: 0))
        try defaults.set(2, for: Defaults.Key<Int>("bad", default: 0))
        #expect(memory.snapshot() == ["level": "2", "port": 1, "bad": 2])
    }
}

private enum LogLevel: Int, Defaults.Serializable {
    case low, high
}

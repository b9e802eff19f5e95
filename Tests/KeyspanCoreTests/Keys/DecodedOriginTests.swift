import KeyspanCore
import Testing

/// That a key hands out what it decoded only for a stored value that means the same.
@Suite struct DecodedOriginTests {
    private static let stored: PropertyListValue = ["a": "5"]

    private let limits = Defaults.Key<[String: Int]>("limits", default: ["none": 0])
    private let environment = EnvironmentStore(prefix: "", environment: ["LIMITS__A": "5"])
    private let file = InMemoryStore(name: "file")

    private var layered: Defaults {
        Defaults(LayeredStore([.init("file", file, isWritable: true), .init("environment", environment)]))
    }

    @Test func `a dictionary of text is another one than the same dictionary in a file`() throws {
        let defaults = layered
        #expect(environment.value(forKey: "limits") == Self.stored)
        #expect(defaults[limits] == ["a": 5])
        #expect(try defaults.value(for: limits) == ["a": 5])
        file.set(Self.stored, forKey: "limits")
        _ = reportedProblems { #expect(defaults[limits] == [:]) }
        #expect(throws: Defaults.ReadError.self) { try defaults.value(for: limits) }
        file.removeObject(forKey: "limits")
        #expect(try defaults.value(for: limits) == ["a": 5])
        #expect(defaults[limits] == ["a": 5])
    }

    @Test func `a value that was readable as text elsewhere is kept where it is not`() throws {
        #expect(Defaults(environment)[limits] == ["a": 5])
        file.set(Self.stored, forKey: "limits")
        let defaults = Defaults(file)
        defaults[limits] = ["b": 1]
        #expect(defaults.keptValues(for: limits).map(\.value) == [Self.stored])
    }
}

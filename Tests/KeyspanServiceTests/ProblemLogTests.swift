import KeyspanCore
import KeyspanFileStore
import KeyspanService
import KeyspanTestSupport
import Logging
import Testing

/// Problems as lines of a log.
@Suite struct ProblemLogTests {
    private let log = RecordingLog()

    private func entries(_ values: PropertyListTable, _ operation: (Defaults) throws -> Void) rethrows -> [RecordingLog
        .Entry]
    {
        let logger = log.logger()
        try Defaults.withProblemHandler {
            logger.log($0)
        } operation: {
            try operation(Defaults(InMemoryStore(values, name: "the store")))
        }
        return log.entries
    }

    @Test func `a problem is one line with its sentence, its level, its fields and its source`() throws {
        let entries = entries(["port": "many"]) { defaults in
            for _ in 0..<3 { _ = defaults[Defaults.Key<Int>("port", default: 80)] }
        }
        try #require(entries.count == 1)
        #expect(entries[0].level == .error)
        #expect(
            entries[0].message.hasPrefix("key \"port\" of the store: expected an integer but found the string \"many\"")
        )
        #expect(entries[0]["keyspan.key"] == "port")
        #expect(entries[0]["keyspan.store"] == "the store")
        #expect(entries[0]["keyspan.problem"] == "unreadable")
        #expect(entries[0].event.source == "Keyspan")
    }

    @Test(arguments: [
        (Defaults.Problem.changeOverwritten(key: "a", store: "s"), Logger.Level.warning),
        (.storeNotice(name: "s", notice: "noticed"), .notice),
        (.storeFailed(StoreError(.tooLarge, store: "s", reason: "it is full", remedy: "make room")), .error),
    ])
    func `the level follows the severity`(_ problem: Defaults.Problem, _ level: Logger.Level) {
        log.logger().log(problem)
        #expect(log.entries.map(\.level) == [level])
        var quiet = log.logger()
        quiet.logLevel = .critical
        quiet.log(problem)
        #expect(log.entries.count == 1)
    }

    @Test func `the value of a secret is in no line and in no field`() {
        let token = Defaults.Key<Int>("token", default: 0).validated(by: .range(1...2)).secret()
        let entries = entries(["token": "sesame"]) { defaults in
            _ = defaults[token]
            defaults[token] = 4711
        }
        #expect(entries.count == 2)
        for entry in entries {
            let text = "\(entry.message) \(entry.event.metadata ?? [:])"
            #expect(!text.contains("sesame") && !text.contains("4711"), "\(text)")
        }
    }

    #if os(macOS) || os(Linux) || os(FreeBSD)
    @Test func `a process logs all its problems`() async {
        // In a process of its own: a process has only one handler.
        await #expect(processExitsWith: .success) {
            let log = RecordingLog()
            Defaults.log(problemsTo: log.logger("settings"))
            let defaults = Defaults(InMemoryStore(["port": "many"]))
            #expect(defaults[Defaults.Key<Int>("port", default: 80)] == 80)
            #expect(log.entries.map(\.label) == ["settings"])
        }
    }
    #endif
}

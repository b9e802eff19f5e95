@_spi(StoreAuthors) import KeyspanCore
import KeyspanService
import KeyspanTestSupport
import KeyspanTesting
import Logging
import Testing

private let logLevel = Defaults.Key<Logger.Level>("log.level", default: .info)

extension Defaults.Keys {
    fileprivate static let declaredLevel = Key<Logger.Level>("log.level", default: .notice)
}

/// Levels of a log as values of keys.
@Suite struct LogLevelTests {
    @Test(arguments: Logger.Level.allCases)
    func `a level is stored as its name, and is read in any case`(_ level: Logger.Level) throws {
        let store = InMemoryStore()
        let defaults = Defaults(store)
        defaults[logLevel] = level
        #expect(store.snapshot() == ["log.level": .string(level.rawValue)])
        #expect(defaults[logLevel] == level)
        try store.apply(PropertyListBatch(.set(.string(level.rawValue.uppercased()), key: "log.level")))
        #expect(try defaults.value(for: logLevel) == level)
    }

    @Test func `a level comes from a variable, and an error lists all names`() throws {
        let defaults = Defaults(
            EnvironmentStore(prefix: "APP_", keys: [logLevel], environment: ["APP_LOG__LEVEL": "Debug"])
        )
        #expect(defaults[logLevel] == .debug)
        let wrong = Defaults(InMemoryStore(["log.level": "loud"]))
        let error = #expect(throws: Defaults.ReadError.self) { try wrong.value(for: logLevel) }
        for level in Logger.Level.allCases {
            #expect(error?.description.contains(level.rawValue) == true)
            #expect(defaults.help([logLevel]).contains(level.rawValue))
        }
    }

    @Test func `levels are values in collections and optional`() {
        let store = InMemoryStore(["levels": ["db": "trace"], "level": "error"])
        let defaults = Defaults(store)
        #expect(defaults[Defaults.Key<[String: Logger.Level]>("levels", default: [:])] == ["db": .trace])
        #expect(defaults[Defaults.Key<Logger.Level?>("level")] == .error)
    }
}

/// The handler whose level is the value of a key.
@Suite struct LiveLogHandlerTests {
    private let log = RecordingLog()
    private let store = InMemoryStore()

    private func logger(_ label: String = "test") -> Logger {
        Logger(label: label) { LiveLogHandler(log.handler($0), level: logLevel, in: Defaults(store)) }
    }

    private func set(_ level: PropertyListValue?) throws {
        var batch = PropertyListBatch()
        batch.set(level, forKey: "log.level")
        try store.apply(batch)
    }

    @Test func `a change of the key is in effect for the next message of every logger`() throws {
        let (first, second) = (logger("first"), logger("second"))
        first.debug("1")
        try set("debug")
        first.debug("2")
        second.debug("3")
        first.trace("4")
        try set("error")
        second.warning("5")
        second.error("6")
        try set(nil)
        first.info("7")
        #expect(log.entries.map(\.message) == ["2", "3", "6", "7"])
        #expect(log.entries.map(\.label) == ["first", "second", "second", "first"])
        #expect(first.logLevel == .info)
    }

    @Test func `a message whose level is off is not made`() {
        let logger = logger()
        let made = Locked(0)
        func message() -> Logger.Message {
            made.withLock { $0 += 1 }
            return "made"
        }
        logger.debug(message())
        logger.info(message())
        #expect(made.withLock(\.self) == 1)
    }

    @Test func `levels and metadata are those of a logger and its copies alone`() throws {
        var first = logger()
        first.logLevel = .debug
        first[metadataKey: "only-on"] = "first"
        var second = first
        second.logLevel = .error
        second[metadataKey: "only-on"] = "second"
        #expect(first.logLevel == .debug && second.logLevel == .error)
        #expect(first[metadataKey: "only-on"] == "first" && second[metadataKey: "only-on"] == "second")
        try set("critical")
        let copy = first
        copy.debug("of the copy")
        second.warning("off")
        #expect(log.entries.map(\.message) == ["of the copy"])
        #expect(log.entries.first?["only-on"] == "first")
        #expect(logger().logLevel == .critical)
    }

    @Test func `the wrapped handler provides metadata, and does not filter`() throws {
        var logger = Logger(label: "test") { label in
            var handler = LiveLogHandler(log.handler(label), level: logLevel, in: Defaults(store))
            handler.metadataProvider = Logger.MetadataProvider { ["request": "17"] }
            return handler
        }
        logger[metadataKey: "a"] = "1"
        try set("trace")
        logger.trace("low", metadata: ["b": "2"])
        let entry = try #require(log.entries.first)
        #expect(entry["request"] == "17" && entry["a"] == "1" && entry["b"] == "2")
        #expect(logger.handler.metadata == ["a": "1"])
        #expect(logger.handler.metadataProvider != nil)
    }

    @Test func `a level that cannot be read is reported to the log once, and the default counts`() throws {
        let logger = logger()
        try set("loud")
        Defaults.withProblemHandler {
            logger.log($0)
        } operation: {
            for _ in 0..<3 {
                logger.debug("off")
                logger.info("on")
            }
        }
        #expect(log.entries.map(\.level) == [.error, .info, .info, .info])
    }

    @Test func `loggers on many threads follow the key`() async throws {
        let loggers = (0..<4).map { logger("\($0)") }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for logger in loggers {
                group.addTask {
                    for _ in 0..<200 { logger.debug("message") }
                }
            }
            for number in 0..<100 { try set(number.isMultiple(of: 2) ? "debug" : "info") }
            try await group.waitForAll()
        }
        try set("debug")
        let before = log.entries.count
        for logger in loggers { logger.debug("last") }
        #expect(log.entries.count == before + loggers.count)
    }

    @Test func `the key may be one that is declared on the namespace`() throws {
        let logger = Logger(label: "test") { label in
            LiveLogHandler(log.handler(label), level: .declaredLevel, in: Defaults(store))
        }
        #expect(logger.logLevel == .notice)
        try set("error")
        #expect(logger.logLevel == .error)
    }

    #if os(macOS) || os(Linux) || os(FreeBSD)
    @Test func `the logging system takes the handler for all loggers of a process`() async {
        await #expect(processExitsWith: .success) {
            let log = RecordingLog()
            let store = InMemoryStore()
            LoggingSystem.bootstrap { LiveLogHandler(log.handler($0), level: logLevel, in: Defaults(store)) }
            let logger = Logger(label: "process")
            logger.debug("off")
            Defaults(store)[logLevel] = .debug
            logger.debug("on")
            #expect(log.entries.map(\.message) == ["on"])
        }
    }
    #endif
}

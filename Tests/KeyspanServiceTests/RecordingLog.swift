import KeyspanCore
import KeyspanTestSupport
import Logging

/// The messages of the loggers that a test makes.
final class RecordingLog: Sendable {
    /// A message with all its metadata.
    struct Entry {
        let label: String
        let event: LogEvent

        var level: Logger.Level { event.level }
        var message: String { event.message.description }

        /// A value of the metadata.
        subscript(name: String) -> String? { event.metadata?[name]?.description }
    }

    private let log = Locked<[Entry]>([])

    /// The messages so far.
    var entries: [Entry] { log.withLock(\.self) }

    /// A handler that records; its level is `info` until it is set.
    func handler(_ label: String = "test") -> any LogHandler { Handler(label: label, log: self) }

    /// A logger of all levels.
    func logger(_ label: String = "test") -> Logger {
        var logger = Logger(label: label, factory: handler)
        logger.logLevel = .trace
        return logger
    }

    private struct Handler: LogHandler {
        let label: String
        let log: RecordingLog
        var metadata: Logger.Metadata = [:]
        var metadataProvider: Logger.MetadataProvider?
        var logLevel = Logger.Level.info

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            var event = event
            let provided = metadataProvider?.get() ?? [:]
            event.metadata = metadata.merging(provided) { $1 }.merging(event.metadata ?? [:]) { $1 }
            let entry = Entry(label: label, event: event)
            log.log.withLock { $0.append(entry) }
        }
    }
}

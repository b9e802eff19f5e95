#if Service
public import KeyspanCore
public import Logging

/// A log handler whose level is the value of a key, for all loggers at once and from the moment it changes.
///
/// ```swift
/// // With the trait Service
/// LoggingSystem.bootstrap { label in
///     LiveLogHandler(StreamLogHandler.standardError(label: label), level: logLevel, in: defaults)
/// }
/// ```
///
/// It wraps another handler, which writes the messages. The level is read for each message: a change of the key is in effect for the
/// next message of every logger, without a restart and without an observer.
///
/// **A level that the program sets on a logger** counts for that logger and its copies, whatever the key says, as swift-log promises:
///
/// ```swift
/// // With the trait Service
/// var logger = Logger(label: "import")
/// logger.logLevel = .trace  // no other logger changes
/// ```
///
/// **A level that cannot be read** is reported as a problem once, and the key's default counts.
///
/// A message whose level is off costs a cached read of the key: some nanoseconds, without a lock, an allocation or a copy of the message.
/// The wrapped handler gets the level `trace`, so that it passes on all that this one does; a handler of several handlers loses levels
/// of its own.
///
/// Open the store of the level before the loggers are made. What the store reports while it opens is logged by them only if they are
/// there.
public struct LiveLogHandler: LogHandler {
    private var base: any LogHandler
    private var ownLevel: Logger.Level?
    private let key: Defaults.Key<Logger.Level>
    private let defaults: Defaults

    /// Wraps a handler.
    ///
    /// - Parameters:
    ///   - base: The handler that writes the messages.
    ///   - key: The key of the level.
    ///   - defaults: The values of the key; its suite is ignored.
    public init(_ base: any LogHandler, level key: Defaults.Key<Logger.Level>, in defaults: Defaults) {
        self.base = base
        self.base.logLevel = .trace
        self.key = key
        self.defaults = defaults
    }

    /// The level that was set on this logger, or else the value of the key.
    public var logLevel: Logger.Level {
        get { ownLevel ?? defaults[key] }
        set { ownLevel = newValue }
    }

    /// The metadata of the wrapped handler.
    public var metadata: Logger.Metadata {
        get { base.metadata }
        set { base.metadata = newValue }
    }

    /// The metadata provider of the wrapped handler.
    public var metadataProvider: Logger.MetadataProvider? {
        get { base.metadataProvider }
        set { base.metadataProvider = newValue }
    }

    /// An entry of the metadata of the wrapped handler.
    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { base[metadataKey: key] }
        set { base[metadataKey: key] = newValue }
    }

    /// Passes a message to the wrapped handler.
    public func log(event: LogEvent) {
        base.log(event: event)
    }
}
#endif

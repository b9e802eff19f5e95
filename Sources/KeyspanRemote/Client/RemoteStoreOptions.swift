#if Remote || canImport(CryptoKit)
/// How a ``RemoteStore`` behaves.
public struct RemoteStoreOptions: Sendable {
    /// When fetched values come into force.
    public enum Activation: Sendable, Hashable {
        /// At once, as one change.
        case immediately
        /// When the next store is made with the same cache file; without one, never.
        case onNextLaunch
        /// When the program calls ``RemoteStore/activate()``.
        case manually
    }

    /// When fetched values come into force.
    public var activation = Activation.immediately

    /// The client as the server sees it, by which it chooses values.
    public var client = RemoteClient()

    /// The time between two requests for the document, at least a minute.
    ///
    /// The server can ask for a longer one by `Cache-Control: max-age`, up to a day. A tenth of it is left to chance,
    /// so that clients started together do not ask together.
    public var interval = Duration.seconds(900)

    /// Whether the store begins with an open stream, on which changes arrive within moments; see
    /// ``RemoteStore/isLive``.
    public var isLive = false

    /// Whether the store asks its server by itself.
    ///
    /// Without this it does when ``RemoteStore/fetch()`` is called.
    public var isAutomatic = true

    /// The time within which the server has to begin an answer.
    public var connectTimeout = Duration.seconds(10)

    /// The time after which a response or a stream that sends nothing is given up; longer than the heartbeat of the
    /// server.
    ///
    /// A document has to be complete within five minutes besides.
    public var idleTimeout = Duration.seconds(45)

    /// The most bytes of a message.
    public var maximumSize = 8 << 20

    /// How much later than its end a message is still taken, for clocks that are wrong.
    public var clockTolerance = Duration.seconds(86_400)

    /// Whether a URL may begin with `http:`.
    ///
    /// Without this, only a URL of the machine itself may. Values are protected against change without TLS, but
    /// everyone on the way can read them.
    public var allowsPlaintext = false

    /// Makes the default options.
    public init() {}

    /// The same options within what makes sense.
    var clamped: RemoteStoreOptions {
        var options = self
        options.interval = min(max(interval, .seconds(60)), .seconds(30 * 86_400))
        options.connectTimeout = min(max(connectTimeout, .milliseconds(1)), .seconds(3_600))
        options.idleTimeout = min(max(idleTimeout, .milliseconds(1)), .seconds(3_600))
        options.maximumSize = min(max(maximumSize, 1 << 10), 1 << 30)
        options.clockTolerance = min(max(clockTolerance, .zero), .seconds(3_650 * 86_400))
        return options
    }
}
#endif

#if Remote
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

    /// The group whose values a store takes.
    public enum Group: Sendable {
        /// The group of a name; its document can come from any cache.
        case named(String)
        /// The group to which the server assigns a client with these traits.
        ///
        /// The store asks for it when it begins and with ``RemoteStore/fetch()``, when a stream says that the groups have
        /// changed, and once an hour.
        case assigned(to: ClientTraits)
    }

    /// When a store asks its server by itself.
    public enum Polling: Sendable, Hashable {
        /// At an interval of at least a minute.
        ///
        /// The server can ask for a longer one by `Cache-Control: max-age`, up to an hour. A tenth of it is left to chance,
        /// so that clients started together do not ask together.
        case every(Duration)
        /// Only when ``RemoteStore/fetch()`` is called, and every 15 minutes while ``RemoteStore/isLive`` is set.
        case manually
    }

    /// The group whose values the store takes.
    public var group = Group.named("all")

    /// When the store asks its server by itself.
    public var polling = Polling.every(.seconds(900))

    /// Whether the store begins with an open stream, by which it learns of changes within moments; see
    /// ``RemoteStore/isLive``.
    public var isLive = false

    /// The time within which the server has to answer or to send more; longer than the heartbeat of the server.
    ///
    /// A document has to be complete within five minutes besides.
    public var timeout = Duration.seconds(45)

    /// The most bytes of a document; not less than ``SettingsPublisherOptions/maximumSize`` of the server.
    public var maximumSize = 8 << 20

    /// How long before its beginning and after its end a document is still taken, for clocks that are wrong.
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
        if case .every(let interval) = polling {
            options.polling = .every(min(max(interval, .seconds(60)), .seconds(30 * 86_400)))
        }
        options.timeout = min(max(timeout, .milliseconds(1)), .seconds(3_600))
        options.maximumSize = min(max(maximumSize, 1 << 10), 1 << 30)
        options.clockTolerance = min(max(clockTolerance, .zero), .seconds(3_650 * 86_400))
        return options
    }
}
#endif

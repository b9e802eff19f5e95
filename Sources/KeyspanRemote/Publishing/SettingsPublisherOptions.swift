#if Remote
/// How a ``SettingsPublisher`` behaves.
public struct SettingsPublisherOptions: Sendable {
    /// How the states of a publisher are numbered.
    public enum Revisions: Sendable {
        /// The milliseconds since 1970, and at least one more than the last.
        ///
        /// After the clock was ahead by more than a day, the numbers go back to it, and that is reported.
        case milliseconds
        /// The number that the host has for the present state of the source, from 0 to 2⁵³ - 1; with another one, clients
        /// keep the values before, and that is reported.
        ///
        /// The closure is called before and after the stores are read, and they are read again if the number has changed
        /// meanwhile, on the thread that makes the publisher and on each that changes a store. The publisher never counts
        /// the number up.
        case numbered(@Sendable () -> Int64)
    }

    /// The path of the publisher; the groups and their documents are below it.
    public var path = "/settings"

    /// How long a client may take a document after it was issued.
    ///
    /// A document is signed anew in each quarter of this, so clients receive one that is valid for three quarters at
    /// least. A shorter time limits how long someone who controls the network can keep clients at an old state. Clients
    /// whose clocks are wrong by more than this and their tolerance refuse all documents.
    public var validity = Duration.seconds(7 * 86_400)

    /// How long a cache may answer without asking the server; at most a quarter of ``validity``, so that no client
    /// receives a document that has expired.
    public var maximumAge = Duration.seconds(60)

    /// The pause after which a stream without changes repeats its event, by which both sides notice a lost connection.
    ///
    /// It must be shorter than ``RemoteStoreOptions/timeout`` of the clients and the times for which proxies wait.
    public var heartbeat = Duration.seconds(20)

    /// The most streams at once; the server refuses more, and reports that.
    public var maximumStreams = 20_000

    /// The most streams of one peer, as the host names it to ``SettingsPublisher/respond(to:from:)``.
    ///
    /// Many clients can have one address, for instance behind the network of a company. Behind a proxy of yours, all of
    /// them have the address of the proxy, unless the host passes on the one that the proxy names in a header field.
    public var maximumStreamsPerPeer = 1_000

    /// The most bytes of a document; at least 4,096.
    ///
    /// Values with which it would be larger are not published, and that is reported. Clients keep the values before. If
    /// there are none, because the values were already too large when the server started, it answers with the status 503.
    public var maximumSize = 8 << 20

    /// How the states are numbered.
    ///
    /// Clients refuse a state with a smaller number than they have seen. So the numbers must rise with each change,
    /// through restarts too, and several servers of one source must number its states alike: their clocks do so within
    /// the accuracy of the clocks. A source that numbers its own states, such as a cluster, can be asked.
    ///
    /// A change from one to the other is a change of the key: the numbers of a later key are later than all of an earlier
    /// one. With the old key, clients that have seen milliseconds would refuse the smaller numbers of a cluster.
    public var revisions = Revisions.milliseconds

    /// Makes the default options.
    public init() {}

    /// The same options within what makes sense.
    var clamped: SettingsPublisherOptions {
        var options = self
        options.validity = min(max(validity, .seconds(4)), .seconds(3_650 * 86_400))
        options.maximumAge = min(max(maximumAge, .zero), options.validity / 4)
        options.heartbeat = min(max(heartbeat, .milliseconds(10)), .seconds(3_600))
        options.maximumStreams = max(maximumStreams, 0)
        options.maximumStreamsPerPeer = max(maximumStreamsPerPeer, 0)
        options.maximumSize = min(max(maximumSize, 1 << 12), 1 << 30)
        return options
    }
}
#endif

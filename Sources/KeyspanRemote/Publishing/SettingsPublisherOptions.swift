#if Remote || canImport(CryptoKit)
/// How a ``SettingsPublisher`` behaves.
public struct SettingsPublisherOptions: Sendable {
    /// The path of the document; the path of the stream is `/changes` behind it.
    public var path = "/settings"

    /// How long a client may take a document after it was signed.
    ///
    /// A document is signed anew once half of this has passed. A shorter time limits how long someone who controls the
    /// network can keep clients at an old state; it must be longer than the clocks of clients are wrong.
    public var validity = Duration.seconds(7 * 86_400)

    /// How long a cache may answer without asking the server; at most a quarter of ``validity``, so that no client
    /// receives a document that has expired.
    public var maximumAge = Duration.seconds(60)

    /// The pause after which a stream without changes has a comment, by which both sides notice a lost connection.
    public var heartbeat = Duration.seconds(15)

    /// The most streams at once; the server refuses more.
    public var maximumStreams = 20_000

    /// The most variants that are kept without clients on a stream.
    ///
    /// Variants with clients on a stream do not count, and are always kept. The one that was not used for the longest time
    /// is removed first, and those with values that their stores no longer have, because the present ones are bad, last.
    public var maximumVariants = 64

    /// The most changes of each variant that are kept for clients that come back or read slowly.
    ///
    /// Others receive the whole document.
    public var maximumChanges = 64

    /// The most bytes of a document; at least 4,096.
    ///
    /// Values with which it would be larger are not published, and that is reported. Clients keep the values before. If
    /// there are none, because the values were already too large when the server started, it answers with the status 503.
    public var maximumSize = 8 << 20

    /// The number of the next state; `nil` for the milliseconds since 1970, and at least one more than the last.
    ///
    /// Clients refuse a state with a smaller number than they have seen. So the numbers must rise with each change,
    /// through restarts too, and several servers of one source must number its states alike: their clocks do so within
    /// the accuracy of the clocks. A source that numbers its own states, such as a cluster, can be asked in this
    /// closure. It returns the number of the present state, from 0 to 2⁵³ - 1; others are set to the nearest of these.
    ///
    /// The closure is called before and after stores are read, and they are read again if the number has changed
    /// meanwhile. That happens on the thread that makes the publisher, on each that changes a store, and on each that
    /// answers the first request for a variant. When the number has risen, all variants are read, so that each has values
    /// of that number. The publisher never counts the number up. It should also rise when an
    /// overlay has changed, or the closure of the layers decides differently: with an equal number a client on a stream
    /// fetches the document, and accepts messages of that number in any order.
    public var revision: (@Sendable () -> Int64)?

    /// Makes the default options.
    public init() {}

    /// The same options within what makes sense.
    var clamped: SettingsPublisherOptions {
        var options = self
        options.validity = min(max(validity, .seconds(2)), .seconds(3_650 * 86_400))
        options.maximumAge = min(max(maximumAge, .zero), options.validity / 4)
        options.heartbeat = min(max(heartbeat, .milliseconds(10)), .seconds(3_600))
        options.maximumStreams = max(maximumStreams, 0)
        options.maximumVariants = max(maximumVariants, 1)
        options.maximumChanges = max(maximumChanges, 0)
        options.maximumSize = min(max(maximumSize, 1 << 12), 1 << 30)
        return options
    }
}
#endif

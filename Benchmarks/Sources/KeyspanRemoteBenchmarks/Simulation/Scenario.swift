#if Remote
/// The events of a simulation, and the clients that live through them.
struct Scenario {
    /// An event at the origin.
    enum Event {
        case nothing
        /// The values of all groups change.
        case change
        /// The same, but the servers learn of it one after the other.
        case gradualChange
        /// The document is signed anew with the same values.
        case renewal
        /// The groups of clients may be others: the streams send the tag `*`.
        case refresh
        /// The origin refuses all connections, loses its streams, and has the same values afterwards.
        case outage
        /// The same, with other values afterwards.
        case outageAndChange
        /// All servers lose their streams, and take new ones at once.
        case restart
    }

    /// The way in which the clients find their document.
    enum Group: String, CaseIterable {
        /// All ask for the group `all`.
        case named
        /// All send their traits, and are redirected to one of several groups.
        case traits
    }

    let name: String
    let event: Event
    /// The time of the event, in seconds; the clients have settled down by then.
    let eventTime: Int
    /// The end of an outage, in seconds.
    let outageEnd: Int
    /// The period whose requests are counted, in seconds.
    let counted: Range<Int>
    /// The end of the simulation, in seconds.
    let end: Int

    private init(_ name: String, _ event: Event, lasting length: Int, counting: Int, upTo end: Int? = nil) {
        (self.name, self.event) = (name, event)
        eventTime = 60
        outageEnd = eventTime + length
        counted = eventTime..<eventTime + counting
        self.end = eventTime + (end ?? counting)
    }

    static let all = [
        Scenario("an hour", .nothing, lasting: 0, counting: 3_600),
        Scenario("a change", .change, lasting: 0, counting: 1_200),
        Scenario("a change, servers 2 s apart", .gradualChange, lasting: 0, counting: 1_200),
        Scenario("a renewal", .renewal, lasting: 0, counting: 1_200),
        Scenario("other groups", .refresh, lasting: 0, counting: 1_200),
        Scenario("a restart", .restart, lasting: 0, counting: 600),
        Scenario("an outage", .outage, lasting: 600, counting: 1_200, upTo: 1_800),
        Scenario("an outage, a change", .outageAndChange, lasting: 600, counting: 1_200, upTo: 1_800),
    ]

    /// Whether the event concerns clients of this kind.
    func concerns(isLive: Bool, group: Group) -> Bool {
        switch event {
        case .gradualChange, .restart: isLive && group == .named
        case .renewal: group == .named
        case .refresh: isLive && group == .traits
        default: true
        }
    }
}

/// The clients of a simulation, and the servers in front of them.
struct Population {
    /// The number of clients.
    var count = 1_000_000
    /// Whether the clients have streams.
    var isLive = false
    var group = Scenario.Group.named
    /// The number of groups that clients with traits are redirected to.
    var groups = 4
    /// The number of locations of a shared cache, or zero.
    var cacheLocations = 0
    /// The number of streams of a server.
    var streamsPerServer = 20_000
    /// The time within which all servers learn of a gradual change, in milliseconds.
    var serverDelay = 2_000
    /// The number of requests a second above which the origin refuses some, if any.
    var capacity: Int?

    var servers: Int { max(1, (count + streamsPerServer - 1) / streamsPerServer) }
}

/// The times of the protocol, in milliseconds.
struct ClientRules {
    var interval = 900_000
    /// The first and the longest pause after a failure.
    var (firstRetry, longestRetry) = (5_000, 600_000)
    /// The least pause between two requests of which an event hastens the second.
    var leastPause = 1_000
    /// The number of streams of a server that its events ask to spread over a second.
    var hastenedPerSecond = 5_000
    /// The number of streams of a server that are opened anew in a second, after it lost all of them.
    var openedPerSecond = 1_000
    /// The time after which a stream repeats its event.
    var heartbeat = 20_000
    /// The time after which a client with traits asks for its group again.
    var assignmentInterval = 3_600_000
}
#endif

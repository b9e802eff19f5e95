public import Keyspan

/// The settings of the notes, for the server and its clients.
///
/// Clients elsewhere receive the values of the published keys, and have the defaults of the others.
public struct NotesKeys: KeyGroup {
    public let title = Key<String>("title", default: "Notes")
        .validated(by: .notEmpty)
        .published()
        .summary("The title of the page.")
    public let theme = Key<Theme>("theme", default: .light)
        .published()
        .summary("The colors of the page.")
    public let labels = Key<[String]>("labels", default: ["home", "work"])
        .published()
        .summary("The labels that a note can have.")
    public let colors = Key<[String: String]>("colors", default: [:])
        .published()
        .summary("The color of each label.")
    public let announcement = Key<Announcement?>("announcement")
        .published()
        .summary("A message to everyone, above the notes.")
    public let isReadOnly = Key<Bool>("isReadOnly", default: false)
        .published()
        .summary("Whether no notes are taken.")
    public let refreshInterval = Key<Duration>("refreshInterval", default: .seconds(30))
        .validated(by: .range(Duration.seconds(1)...Duration.seconds(3600)))
        .published()
        .summary("How often the page asks for new notes.")
    public let logged = Key<Defaults.Percentage>("logged", default: 100)
        .validated(by: .range(0...100))
        .summary("The share of requests that are logged.")
    public let limits = Prefixed<LimitKeys>("limits.")
    public let server = Prefixed<ServerKeys>("server.")

    public init() {}
}

/// How much the server takes.
public struct LimitKeys: KeyGroup {
    public let notes = Key<Int>("notes", default: 1000)
        .validated(by: .range(1...1_000_000))
        .summary("How many notes are kept; the oldest one gives way.")
    public let noteSize = Key<Defaults.ByteCount>("noteSize", default: .kibibytes(4))
        .validated(by: .range(Defaults.ByteCount(1)...Defaults.ByteCount.mebibytes(1)))
        .published()
        .summary("How large a note may be.")

    public init() {}
}

/// How the server is reached.
public struct ServerKeys: KeyGroup {
    public let listen = Key<Defaults.HostAndPort>("listen", default: "127.0.0.1:8080")
        .summary("The address and port of the server.")
    public let token = Key<String?>("token")
        .validated(by: .ifPresent(.notEmpty))
        .secret()
        .summary("The bearer token of requests that change settings; without one, none can.")

    public init() {}
}

/// The colors of the page.
public enum Theme: String, CaseIterable, Defaults.Serializable, Sendable {
    case light
    case dark
}

/// A message to everyone.
public struct Announcement: Codable, Hashable, Sendable, Defaults.Serializable {
    public var text: String
    public var isUrgent: Bool

    public init(text: String, isUrgent: Bool = false) {
        self.text = text
        self.isUrgent = isUrgent
    }
}

public import Keyspan

/// How a greeting looks.
public enum Style: String, Defaults.Serializable, Sendable {
    case plain
    case shouted
}

/// A guest, and the number of greetings.
public struct Guest: Codable, Hashable, Sendable, Defaults.Serializable {
    public var name: String
    public var visits: Int

    public init(name: String, visits: Int) {
        self.name = name
        self.visits = visits
    }
}

extension Defaults.Keys {
    public static let launchCount = Key<Int>("launchCount", default: 0)
        .summary("How often the greeter was started.")
    public static let style = Key<Style>("style", default: .plain)
        .summary("How a greeting looks.")
    public static let guests = Key<[Guest]>("guests", default: [])
    public static let motto = Key<String?>("motto")
}

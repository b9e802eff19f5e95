public import Configuration
import Synchronization

/// A library of someone else's, which reads swift-configuration and knows nothing of Keyspan.
public final class Mailer: Sendable {
    private let config: ConfigReader
    private let lastSubject = Mutex("")

    /// Makes a mailer whose settings are those of a reader: `title`, `limits.notes` and `server.token`.
    public init(_ config: ConfigReader) {
        self.config = config
    }

    /// The greatest number of notes in a mail.
    public var notesInMail: Int { config.int(forKey: "limits.notes", default: 10) }

    /// Whether the mailer can authorize itself.
    public var hasToken: Bool { config.string(forKey: "server.token", isSecret: true) != nil }

    /// The subject of the next mail.
    public var subject: String { lastSubject.withLock(\.self) }

    /// Follows the title of the notes until the task is canceled.
    public func run() async throws {
        try await config.watchString(forKey: "title", default: "Notes") { titles in
            for try await title in titles { lastSubject.withLock { $0 = "News of \(title)" } }
        }
    }
}

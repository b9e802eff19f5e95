import Keyspan
import KeyspanRemote
import Logging
import NotesShared
import ServiceLifecycle
import Synchronization

/// The page, which is made anew when settings that it shows have changed.
final class LivePage: Service {
    private let settings: Defaults.Group<NotesKeys>
    private let made: Mutex<String>

    init(_ settings: Defaults.Group<NotesKeys>) {
        self.settings = settings
        made = Mutex(Self.page(of: settings.snapshot()))
    }

    var text: String { made.withLock { $0 } }

    /// Makes the page anew at a change, but not more often than fifty times a second.
    func run() async throws {
        for await _ in settings.updates(initial: true, buffering: .latest).cancelOnGracefulShutdown() {
            let page = Self.page(of: settings.snapshot())
            made.withLock { $0 = page }
            // However many changes come meanwhile, the next element is the newest state.
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    private static func page(of settings: Defaults.Group<NotesKeys>.Snapshot) -> String {
        var lines = ["# \(settings.title) (\(settings.theme))"]
        if let announcement = settings.announcement {
            lines.append((announcement.isUrgent ? "! " : "> ") + announcement.text)
        }
        lines += settings.labels.map { "* \($0)" + (settings.colors[$0].map { " (\($0))" } ?? "") }
        return lines.joined(separator: "\n") + "\n"
    }
}

/// Follows the settings that the server acts on.
struct SettingsFollower: Service {
    let settings: ServerSettings
    let notebook: Notebook
    let publisher: SettingsPublisher?
    let logger: Logger

    func run() async {
        for await change in settings.group.changes().cancelOnGracefulShutdown() {
            logger.notice("settings changed", metadata: ["change": "\(change)"])
            if change.contains(\.notes.limits.notes) {
                await notebook.trim(to: change.new.notes.limits.notes)
            }
            // The publisher follows the keys that it publishes. This one decides which clients are in which group.
            if change.contains(\.darkShare) { publisher?.refreshGroups() }
            if change.contains(\.notes.server.listen) {
                logger.warning("restart the server to listen on \(change.new.notes.server.listen)")
            }
        }
    }
}

import Keyspan
import NotesShared

// Without Foundation, a static program is much smaller.
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Reads, changes and follows the settings of the notes.
///
///     notes settings.json
///     notes settings.json title "Shopping list"
///     notes settings.json watch
@main
struct Notes {
    static let usage = """
        usage: notes <file>                        print all settings
               notes <file> title <text>           change the title
               notes <file> theme light|dark       change the colors
               notes <file> announce <text>        show a message to everyone; an empty one removes it
               notes <file> watch                  print each change until Control-C or SIGTERM
        """

    let settings: Defaults.Group<NotesKeys>

    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard let file = arguments.first else { return fail(usage) }
        do {
            let notes = Notes(
                settings: .init(try JSONFileStore(path: file, keys: NotesKeys.allKeys, unknownNames: .areIgnored))
            )
            guard try await notes.run(Array(arguments.dropFirst())) else { return fail(usage) }
        } catch {
            fail("notes: \(error)")
        }
    }

    /// Runs a command.
    ///
    /// - Returns: Whether there is such a command.
    func run(_ command: [String]) async throws -> Bool {
        switch (command.first, command.dropFirst().first, command.count) {
        case (nil, _, _): print(settings.describe(), terminator: "")
        case ("title", let text?, 2): try await settings.commit { try $0.set(text, for: \.title) }
        case ("theme", let text?, 2):
            guard let theme = Theme(rawValue: text) else { return false }
            try await settings.commit { $0.theme = theme }
        case ("announce", let text?, 2):
            try await settings.commit { $0.announcement = text.isEmpty ? nil : Announcement(text: text) }
        case ("watch", nil, 1): await watch()
        default: return false
        }
        return true
    }

    private func watch() async {
        // Process 1 of a container ignores these signals unless it handles them. Nothing is unsaved here.
        for number in [SIGINT, SIGTERM] { signal(number) { _ in _exit(0) } }
        let changes = settings.changes()
        Self.put("watching \(settings.store.name)", to: STDOUT_FILENO)
        for await change in changes { Self.put("\(change)", to: STDOUT_FILENO) }
    }

    private static func fail(_ text: String) {
        put(text, to: STDERR_FILENO)
        exit(1)
    }

    /// Writes a line at once: `print` keeps lines back if nobody reads them on a terminal.
    private static func put(_ line: String, to file: Int32) {
        let bytes = Array((line + "\n").utf8)
        _ = bytes.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
    }
}

import Foundation
import Keyspan
import NotesShared

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
               notes <file> watch                  print each change until Control-C
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
        let changes = settings.changes()
        Self.write("watching \(settings.store.name)", to: .standardOutput)
        for await change in changes { Self.write("\(change)", to: .standardOutput) }
    }

    private static func fail(_ text: String) {
        write(text, to: .standardError)
        exit(1)
    }

    /// Writes a line at once: `print` keeps lines back if nobody reads them on a terminal.
    private static func write(_ line: String, to file: FileHandle) {
        file.write(Data((line + "\n").utf8))
    }
}

import ArgumentParser
import Keyspan

/// `watch`: prints changes as they happen.
struct WatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Print every change of a domain or key, one on a line, until interrupted.",
        discussion: """
            A line is `key = value` or `key removed`, both as in old-style property lists. The domain need not exist \
            yet. Its file is looked at five times a second; of several changes between two looks the last one is seen. \
            SIGINT and SIGTERM end the command with status 0.
            """
    )

    @Argument(help: "A name, or the path of a .json file.")
    var domain: String

    @Argument(help: "The key; all keys if it is left out.")
    var key: String?

    @Flag(help: "Print the present values first.")
    var initial = false

    func run() throws {
        let signals = TerminationSignals()
        var watcher = try DomainWatcher(try Domain(argument: domain, in: DomainFolder()))
        if initial {
            for key in watcher.table.sortedKeys {
                try show(PropertyListChange.Entry(key: key, old: nil, new: watcher.table[key]))
            }
        }
        while !signals.haveArrived {
            for entry in watcher.changes() {
                try show(entry)
            }
            DomainWatcher.pause()
        }
    }

    private func show(_ entry: PropertyListChange.Entry) throws(ToolError) {
        guard key == nil || key == entry.key else { return }
        let style = StandardStream.output.style
        let writer = OldStyleWriter(style: style)
        let name = writer.keyText(entry.key)
        let line = entry.new.map { "\(name) = \(writer.line(of: $0))" } ?? "\(name) \(style.removal("removed"))"
        try StandardStream.output.writeLine(line)
    }
}

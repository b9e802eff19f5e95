import ArgumentParser
import DequeModule
import Dispatch
import Keyspan
import KeyspanCore

/// `watch`: prints changes as they happen.
struct WatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Print every change of a domain or key, one on a line, until interrupted.",
        discussion: """
            A line is `key = value` or `key removed`, as in old-style property lists. The domain need not exist yet. If \
            its file is removed, the values stay until there is a new file, because an editor may be replacing it. They \
            also stay if the file cannot be read, which is reported. SIGINT and SIGTERM end the command with status 0.
            """
    )

    @Argument(help: "A name, or the path of a .json or .plist file.", completion: .domain)
    var domain: String

    @Argument(help: "The key; all keys if omitted.", completion: .key)
    var key: String?

    @Flag(help: "Print the present values first.")
    var initial = false

    /// An event that the command waits for.
    private enum Event {
        case change(PropertyListChange)
        case termination
    }

    func run() throws {
        let signals = TerminationSignals()
        let store = try Domain(argument: domain, in: DomainFolder()).open(isWatching: true)
        // The store calls on its own threads; this thread prints, in the order of the changes.
        let events = BlockingQueue<Event>()
        signals.onArrival { events.append(.termination) }
        let keys = key.map { ObservedKeys.named([UTF8Text($0)]) } ?? .all
        let observation = store.observe(keys, initial: initial) { events.append(.change($0)) }
        try withExtendedLifetime((store, observation)) {
            while case .change(let change) = events.popFirst() {
                try show(change)
            }
        }
    }

    private func show(_ change: PropertyListChange) throws(ToolError) {
        let style = StandardStream.output.style
        let writer = OldStyleWriter(style: style)
        for entry in change.entries.sorted(by: { $0.key.utf8Precedes($1.key) }) {
            let name = writer.keyText(entry.key)
            if let value = entry.new {
                try StandardStream.output.writeLine("\(name) = \(writer.line(of: value))")
            } else if !change.isInitial {
                try StandardStream.output.writeLine("\(name) \(style.removal("removed"))")
            }
        }
    }
}

/// A queue that passes elements from any thread to one thread that waits for them, in order.
final class BlockingQueue<Element: Sendable>: Sendable {
    private let elements = Locked(Deque<Element>())
    /// Counts the elements, so that the thread can wait for the next one.
    private let count = DispatchSemaphore(value: 0)

    /// Adds an element; never waits.
    func append(_ element: Element) {
        elements.withLock { $0.append(element) }
        count.signal()
    }

    /// Removes the first element; waits while the queue is empty.
    func popFirst() -> Element {
        while true {
            count.wait()
            if let element = elements.withLock({ $0.popFirst() }) { return element }
        }
    }
}

import ArgumentParser
import DequeModule
import Dispatch
import Keyspan
import KeyspanCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `watch`: prints changes as they happen.
struct WatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Print every change of a domain or key, one on a line, until interrupted.",
        discussion: """
            A line is `key = value` or `key removed`, as in old-style property lists. The domain need not exist yet. If \
            its file is removed, the values stay until there is a new file, because an editor may be replacing it. They \
            also stay if the file cannot be read, which is reported. SIGINT and SIGTERM end the command with status 0.

            With --output json each change of a key is a JSON object on a line of its own: its key; its change, which is \
            initial, added, changed or removed; its old and new values, as far as there are any; and its time. A hidden value \
            is left out, and the object has "hidden": true; a dictionary without some of its members lists them in "$hidden".

            The records of Keyspan itself, such as that of kept values, are printed only if the key is named.

            \(NestedName.discussion)

            \(SecretOptions.discussion)
            """
    )

    @Argument(help: .domain, completion: .domain)
    var domain: String

    @Argument(help: "The key; all keys if omitted.", completion: .key)
    var key: String?

    @Flag(help: "Print the present values first.")
    var initial = false

    @Option(name: .format, help: "The format of a line.")
    var output = LineFormat.text

    @OptionGroup var secrets: SecretOptions

    /// An event that the command waits for.
    private enum Event {
        case change(PropertyListChange, Date)
        case termination
    }

    func run() throws {
        let signals = TerminationSignals()
        let place = try Domain(argument: domain, in: DomainFolder())
        let policy = try secrets.policy()
        let store = try place.open(reaching: [key].compactMap(\.self), for: .watching)
        var mask = try FollowedMask(of: place, store.snapshot(), by: policy)
        // The store calls on its own threads; this thread prints, in the order of the changes.
        let events = BlockingQueue<Event>()
        signals.onArrival { events.append(.termination) }
        let keys = key.map { ObservedKeys.named([UTF8Text($0)]) } ?? .all
        let observation = store.observe(keys, initial: initial) { events.append(.change($0, Date())) }
        try withExtendedLifetime((store, observation)) {
            while case .change(let change, let date) = events.popFirst() {
                try show(change, at: date, mask.masks(for: store.snapshot(), at: date))
            }
        }
    }

    private func show(_ change: PropertyListChange, at date: Date, _ masks: [SecretMask]) throws(ToolError) {
        let writer = OldStyleWriter(style: StandardStream.output.style)
        for entry in change.entries.sorted(by: { $0.key.utf8Precedes($1.key) })
        where key != nil || !LibraryEntries.contains(entry.key) {
            func shown(_ value: PropertyListValue?) -> PropertyListValue? {
                value.map { value in
                    masks.reduce(value) { value, mask in
                        key == nil || secrets.schema != nil
                            ? mask.masked(value, ofKey: entry.key) : mask.shown(value, ofNamedKey: entry.key)
                    }
                }
            }
            let entry = WatchedEntry(key: entry.key, old: shown(entry.old), new: shown(entry.new))
            switch output {
            case .text:
                guard let line = entry.line(by: writer, isInitial: change.isInitial) else { continue }
                try StandardStream.output.writeLine(line)
            case .json:
                guard let object = entry.propertyList(at: date, isInitial: change.isInitial) else { continue }
                try JSONLine.write(object)
            }
        }
    }
}

/// The change of a key, as far as it is shown.
private struct WatchedEntry {
    let key: String
    let old: PropertyListValue?
    let new: PropertyListValue?

    /// The line for people; `nil` for a key that is absent at the beginning.
    func line(by writer: OldStyleWriter, isInitial: Bool) -> String? {
        let name = writer.keyText(key)
        if let new { return "\(name) = \(writer.line(of: new))" }
        return isInitial ? nil : "\(name) \(writer.style.removal("removed"))"
    }

    /// The object for programs; `nil` for a key that is absent at the beginning.
    func propertyList(at date: Date, isInitial: Bool) -> PropertyListValue? {
        let change: String
        switch (old, new) {
        case (nil, nil): return nil
        case (nil, _?): change = isInitial ? "initial" : "added"
        case (_?, _?): change = "changed"
        case (_?, nil): change = "removed"
        }
        var object: PropertyListDictionary = [
            "change": .string(change),
            "key": .string(key),
            "time": .string(JSONLine.time(date)),
        ]
        for case (let name, let value?) in [("old", old), ("new", new)] {
            object[name] = value.forPrograms
            if object[name] == nil { object["hidden"] = true }
        }
        return .dictionary(object)
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

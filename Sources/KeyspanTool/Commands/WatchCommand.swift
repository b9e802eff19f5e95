import ArgumentParser
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
            A line is `key = value` or `key removed`, as in old-style property lists. The domain need not exist yet, which is \
            reported. If its file is removed, the values stay until there is a new file, because an editor may be replacing \
            it. They also stay if the file cannot be read, which is reported. While the output has a slow reader, several \
            changes of a key become one. SIGINT and SIGTERM end the command at once, with status 0.

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

    func run() throws {
        TerminationSignals.succeed()
        let place = try Domain(argument: domain, in: DomainFolder())
        let policy = try secrets.policy()
        let store = try place.open(reaching: [key].compactMap(\.self), for: .watching)
        if try place.isAbsent(store.snapshot()) {
            KeyspanCommand.report("The domain \(place.name.quoted) does not exist yet; waiting for it.")
        }
        var mask = FollowedMask(of: place, store.snapshot(), by: policy)
        // The store calls on its own threads; this thread prints.
        let changes = UnprintedChanges()
        let writer = OldStyleWriter(style: StandardStream.output.style)
        let keys = key.map { ObservedKeys.named([UTF8Text($0)]) } ?? .all
        let observation = store.observe(keys, initial: initial) { changes.add($0) }
        try withExtendedLifetime((store, observation)) {
            while true {
                let entries = changes.next()
                let begin = entries.map(\.begin).min() ?? Date()
                let masks = mask.masks(for: store.snapshot(), at: begin)
                for entry in entries where key != nil || !LibraryEntries.contains(entry.key) {
                    try show(entry, masks, by: writer)
                }
            }
        }
    }

    private func show(
        _ change: WatchedEntry,
        _ masks: [SecretMask],
        by writer: OldStyleWriter
    ) throws(ToolError) {
        func shown(_ value: PropertyListValue?) -> PropertyListValue? {
            value.map { value in
                masks.reduce(value) { value, mask in
                    key == nil || secrets.schema != nil
                        ? mask.masked(value, ofKey: change.key) : mask.shown(value, ofNamedKey: change.key)
                }
            }
        }
        var entry = change
        (entry.old, entry.new) = (shown(change.old), shown(change.new))
        switch output {
        case .text:
            guard let line = entry.line(by: writer) else { return }
            try StandardStream.output.writeLine(line)
        case .json:
            guard let object = entry.propertyList else { return }
            try JSONLine.write(object)
        }
    }
}

/// The change of a key, as far as it is shown.
struct WatchedEntry: Sendable {
    @UTF8Text private(set) var key: String
    var old: PropertyListValue?
    var new: PropertyListValue?
    /// Whether the value is that of the beginning.
    let isInitial: Bool
    /// The time of the change that the old value is of, and that of the new one.
    let (begin, date): (Date, Date)

    /// Makes the entry of a change after another one that was not shown.
    init(_ entry: PropertyListChange.Entry, isInitial: Bool, after former: WatchedEntry?, at date: Date) {
        (old, new) = (former == nil ? entry.old : former?.old, entry.new)
        (self.isInitial, begin, self.date) = (former?.isInitial ?? isInitial, former?.begin ?? date, date)
        key = entry.key
    }

    /// The line for people; `nil` for a key that is absent at the beginning.
    func line(by writer: OldStyleWriter) -> String? {
        let name = writer.keyText(key)
        if let new { return "\(name) = \(writer.line(of: new))" }
        return isInitial ? nil : "\(name) \(writer.style.removal("removed"))"
    }

    /// The object for programs; `nil` for a key that is absent at the beginning.
    var propertyList: PropertyListValue? {
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

/// The changes that wait for the reader of the output: at most one for each key, so that a slow reader costs no more memory than the values.
final class UnprintedChanges: Sendable {
    private let entries = Locked<[UTF8Text: WatchedEntry]>([:])
    private let arrival = DispatchSemaphore(value: 0)

    /// Adds the change of a store to those before; never waits.
    func add(_ change: PropertyListChange) {
        let date = Date()
        let isFirst = entries.withLock { entries in
            let wasEmpty = entries.isEmpty
            for entry in change.entries {
                let key = UTF8Text(entry.key)
                let former = entries[key]
                let next = WatchedEntry(entry, isInitial: change.isInitial, after: former, at: date)
                let isUndone = former != nil && !next.isInitial && next.old == next.new
                entries[key] = isUndone ? nil : next
            }
            return wasEmpty && !entries.isEmpty
        }
        if isFirst { arrival.signal() }
    }

    /// Removes the changes, sorted by date, and those of one date by key; waits for one, which may have been undone since.
    func next() -> [WatchedEntry] {
        arrival.wait()
        let taken = entries.withLock { entries in
            defer { entries = [:] }
            return entries
        }
        return taken.values.sorted { $0.date == $1.date ? $0.key.utf8Precedes($1.key) : $0.date < $1.date }
    }
}

#if Console
import DequeModule
@_spi(StoreAuthors) import KeyspanCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The values of a console's keys, the versions in which they changed last, and the last changes.
///
/// It observes the store, so that values and versions always belong together. If writes go to one of several layers, it observes that as well:
/// a value that a layer above hides can be changed, and overwritten, too.
final class SettingsJournal: Sendable {
    /// The state of the keys at one instant.
    struct Snapshot: Sendable {
        let version: SettingsVersion
        /// The entries that readers see.
        let table: PropertyListTable
        /// The entries of the written store.
        let written: PropertyListTable
        /// The last changes, the latest last.
        let history: Deque<HistoryEntry>
        fileprivate let latest: TextDictionary<LatestChange>
    }

    /// The last change of an entry.
    struct LatestChange: Sendable {
        let number: UInt64
        let date: Date
        let author: Author?
    }

    private struct State {
        var table = PropertyListTable()
        var written = PropertyListTable()
        var number: UInt64 = 0
        var latest: TextDictionary<LatestChange> = [:]
        var history: Deque<HistoryEntry> = []
        var submissions = Submissions()
        var rows: TextDictionary<KnownRow> = [:]
        var streams: [UInt64: AsyncStream<StreamSignal>.Continuation] = [:]
        var streamCount: UInt64 = 0
    }

    /// A row as it is described at a version of its key.
    private struct KnownRow {
        let number: UInt64
        let row: Defaults.SettingsDescription.Row
    }

    /// The keys, in the order of the page, each name once.
    let keys: [Defaults.AnyKey]
    /// The store.
    let store: any PropertyListStore
    /// The number of the run.
    let run = UInt64.random(in: .min ... .max)

    private let keysByName: TextDictionary<Defaults.AnyKey>
    private let keysByEntry: TextDictionary<[Defaults.AnyKey]>
    private let maximumHistoryCount: Int
    private let state = Locked(State())
    private let observations = Locked<[StoreObservation]>([])

    /// Begins to observe the entries of keys.
    init(_ keys: [Defaults.AnyKey], in store: any PropertyListStore, maximumHistoryCount: Int) {
        var byName: TextDictionary<Defaults.AnyKey> = [:]
        var byEntry: TextDictionary<[Defaults.AnyKey]> = [:]
        let secrets = SecretEntries(of: keys)
        self.keys = keys.compactMap { key in
            guard byName[key.name] == nil else { return nil }
            let key = secrets.concealed(key)
            byName[key.name] = key
            for entry in key.entryNames { byEntry[entry, default: []].append(key) }
            return key
        }
        (keysByName, keysByEntry) = (byName, byEntry)
        self.store = store
        self.maximumHistoryCount = maximumHistoryCount
        let names = ObservedKeys.named(self.keys.flatMap { $0.entryNames })
        var observations = [store.observe(names, initial: true) { [weak self] in self?.receive($0) }]
        let written = store.writtenStore
        if written !== store {
            observations.append(written.observe(names, initial: true) { [weak self] in self?.receiveWritten($0) })
        }
        self.observations.withLock { [observations] in $0 = observations }
    }

    /// The key of a name.
    func key(named name: String) -> Defaults.AnyKey? { keysByName[name] }

    /// The present state.
    func snapshot() -> Snapshot {
        let isLayered = store.writtenStore !== store
        return state.withLock { state in
            Snapshot(
                version: SettingsVersion(run: run, number: state.number),
                table: state.table,
                written: isLayered ? state.written : state.table,
                history: state.history,
                latest: state.latest
            )
        }
    }
}

// MARK: - Changes

extension SettingsJournal {
    /// Takes a change of the values that readers see.
    private func receive(_ change: PropertyListChange) {
        let lines = change.isInitial ? [] : HistoryEntry.lines(of: change.entries, keys: keysByEntry)
        let waiting = state.withLock { state -> [AsyncStream<StreamSignal>.Continuation] in
            for entry in change.entries { state.table[stored: entry.key] = entry.storedNew }
            if change.isInitial { return [] }
            let authored = state.submissions.takeAuthor(of: change.entries, where: \.read)
            return note(change.entries, lines, by: authored, isHidden: false, in: &state)
        }
        for stream in waiting { stream.yield(.change) }
    }

    /// Takes a change of the written store; ``receive(_:)`` takes those that readers see.
    private func receiveWritten(_ change: PropertyListChange) {
        let hidden = change.entries.filter {
            !change.isInitial && store.hidesWrite(ofKey: $0.key, from: $0.storedOld, to: $0.storedNew)
        }
        // Otherwise a layer below has the same value as the written one.
        let isCovered = hidden.contains { store.coversWrites(ofKey: $0.key) }
        let lines = HistoryEntry.lines(of: hidden, keys: keysByEntry)
        let waiting = state.withLock { state -> [AsyncStream<StreamSignal>.Continuation] in
            for entry in change.entries { state.written[stored: entry.key] = entry.storedNew }
            if hidden.isEmpty { return [] }
            let authored = state.submissions.takeAuthor(of: hidden, where: \.hidden)
            return note(hidden, lines, by: authored, isHidden: isCovered, in: &state)
        }
        for stream in waiting { stream.yield(.change) }
    }

    private func note(
        _ entries: [PropertyListChange.Entry],
        _ lines: [HistoryEntry.Line],
        by authored: Submissions.Authored?,
        isHidden: Bool,
        in state: inout State
    ) -> [AsyncStream<StreamSignal>.Continuation] {
        state.number += 1
        let date = Date()
        for entry in entries {
            let author = authored?.names.contains(UTF8Text(entry.key)) == true ? authored?.author : nil
            state.latest[entry.key] = LatestChange(number: state.number, date: date, author: author)
        }
        // A store may report the change of a person together with those of others.
        let parts = Dictionary(grouping: lines) { line in
            line.key.entryNames.contains { authored?.names.contains(UTF8Text($0)) == true }
        }
        for isAuthored in [false, true] {
            guard let lines = parts[isAuthored] else { continue }
            state.history.append(
                HistoryEntry(
                    number: state.number,
                    date: date,
                    author: isAuthored ? authored?.author : nil,
                    lines: lines,
                    isHidden: isHidden
                )
            )
        }
        while state.history.count > maximumHistoryCount { state.history.removeFirst() }
        return Array(state.streams.values)
    }
}

// MARK: - Authors

extension SettingsJournal {
    /// Notes that a person is about to change entries; ``end(_:)`` follows if nothing came of it.
    func begin(by person: String?) -> Submissions.ID {
        state.withLock { $0.submissions.begin(by: Author(person: person)) }
    }

    /// Notes the entries before and after the change of a submission.
    func expect(_ after: SettingsEdit.Entries, insteadOf before: SettingsEdit.Entries, of submission: Submissions.ID) {
        let names = after.written.map(\.key) + before.written.map(\.key)
        let hidden = names.filter { store.hidesWrite(ofKey: $0, from: before.written[$0], to: after.written[$0]) }
        state.withLock { $0.submissions.expect(after, insteadOf: before, hidden: hidden, of: submission) }
    }

    /// Forgets a submission that failed.
    func end(_ submission: Submissions.ID) {
        state.withLock { $0.submissions.end(submission) }
    }

    /// Whether the journal has the entries that a submission leads to.
    func has(_ entries: SettingsEdit.Entries, of keys: [Defaults.AnyKey]) -> Bool {
        let table = state.withLock(\.table)
        return keys.flatMap(\.entryNames).allSatisfy { table[stored: $0] == entries.read[$0] }
    }
}

// MARK: - Rows

extension SettingsJournal {
    /// The rows of keys in a state.
    ///
    /// - Parameters:
    ///   - keys: The keys.
    ///   - snapshot: The state.
    ///   - isFresh: Whether to find the sources of all values anew, with the lines of files, which change with other keys and are not
    ///     known before a change is saved.
    func rows(
        of keys: [Defaults.AnyKey],
        in snapshot: Snapshot,
        fresh isFresh: Bool
    ) -> [Defaults.SettingsDescription.Row] {
        let known = isFresh ? [:] : state.withLock(\.rows)
        let unknown = keys.filter { known[$0.name]?.number != snapshot.version(of: $0).number }
        let described = Defaults(store).describe(unknown, in: snapshot.table, findingLines: isFresh).rows
        var found = known
        for (key, row) in zip(unknown, described) {
            found[key.name] = KnownRow(number: snapshot.version(of: key).number, row: row)
        }
        if isFresh { return keys.compactMap { found[$0.name]?.row } }
        state.withLock { [found] state in
            for key in unknown { state.rows[key.name] = found[key.name] }
        }
        return keys.compactMap { found[$0.name]?.row }
    }
}

// MARK: - Streams

/// The reason for which a stream wakes.
enum StreamSignal: Sendable {
    case change
    case pulse
}

extension SettingsJournal {
    /// Signals of changes, of which one stands for all that were not taken; it ends when its iteration does.
    func signals() -> (signals: AsyncStream<StreamSignal>, wake: AsyncStream<StreamSignal>.Continuation) {
        let (signals, continuation) = AsyncStream<StreamSignal>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let id = state.withLock { state in
            state.streamCount += 1
            state.streams[state.streamCount] = continuation
            return state.streamCount
        }
        continuation.onTermination = { [weak self] _ in
            let ended = self?.state.withLock { $0.streams.removeValue(forKey: id) }
            // Released here, not under the lock.
            withExtendedLifetime(ended) {}
        }
        return (signals, continuation)
    }
}

extension SettingsJournal.Snapshot {
    /// The last change of a key in this run; `nil` if there was none.
    func latestChange(of key: Defaults.AnyKey) -> SettingsJournal.LatestChange? {
        key.entryNames.compactMap { latest[$0] }.max { $0.number < $1.number }
    }

    /// The version of a key's value: that of its last change.
    func version(of key: Defaults.AnyKey) -> SettingsVersion {
        SettingsVersion(run: version.run, number: latestChange(of: key)?.number ?? 0)
    }

    /// The entries of keys that have a value.
    func entries(of keys: [Defaults.AnyKey]) -> SettingsEdit.Entries {
        var entries = SettingsEdit.Entries()
        for name in keys.flatMap(\.entryNames) {
            entries.read[name] = table[stored: name]
            entries.written[name] = written[stored: name]
        }
        return entries
    }
}
#endif

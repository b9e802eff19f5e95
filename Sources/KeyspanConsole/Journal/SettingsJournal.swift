import DequeModule
@_spi(StoreAuthors) import KeyspanCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The values of a console's keys, the versions in which they changed last, and the last changes.
///
/// It observes the store, so that values and versions always belong together.
final class SettingsJournal: Sendable {
    /// One change of the store that concerns the keys.
    struct Change: Sendable {
        let number: UInt64
        let date: Date
        /// The name of the person who made it on the page.
        let author: Author?
        /// The values of the changed entries.
        let entries: [PropertyListChange.Entry]
    }

    /// The author of a change that was made on a page.
    struct Author: Sendable, Hashable {
        let person: String?
    }

    /// The state of the keys at one instant.
    struct Snapshot: Sendable {
        let version: SettingsVersion
        /// The entries of the keys.
        let table: PropertyListTable
        /// The last changes, the latest last.
        let history: Deque<Change>
        fileprivate let latest: TextDictionary<LatestChange>
    }

    /// The last change of an entry.
    struct LatestChange: Sendable {
        let number: UInt64
        let date: Date
        let author: Author?
    }

    /// A batch that a page has sent, and of which the store has not reported the change yet.
    private struct Submission {
        let id: UInt64
        let author: Author
        let instant: ContinuousClock.Instant
        let names: Set<UTF8Text>
    }

    private struct State {
        var table = PropertyListTable()
        var number: UInt64 = 0
        var latest: TextDictionary<LatestChange> = [:]
        var history: Deque<Change> = []
        var submissions: [Submission] = []
        var submissionCount: UInt64 = 0
        var streams: [UInt64: AsyncStream<Void>.Continuation] = [:]
        var streamCount: UInt64 = 0
    }

    /// The keys, in the order of the page, each name once.
    let keys: [Defaults.AnyKey]
    /// The store.
    let store: any PropertyListStore
    /// The number of the run.
    let run = UInt64.random(in: .min ... .max)

    private let keysByName: TextDictionary<Defaults.AnyKey>
    private let historyCount: Int
    private let state = Locked(State())
    private let observation = Locked<StoreObservation?>(nil)

    /// Begins to observe the entries of keys.
    init(_ keys: [Defaults.AnyKey], in store: any PropertyListStore, historyCount: Int) {
        var byName: TextDictionary<Defaults.AnyKey> = [:]
        self.keys = keys.filter { key in
            guard byName[key.name] == nil else { return false }
            byName[key.name] = key
            return true
        }
        keysByName = byName
        self.store = store
        self.historyCount = historyCount
        let names = self.keys.flatMap { $0.entryNames }
        let observation = store.observe(.named(names), initial: true) { [weak self] in self?.receive($0) }
        self.observation.withLock { $0 = observation }
    }

    /// The key of a name.
    func key(named name: String) -> Defaults.AnyKey? { keysByName[name] }

    /// The present state.
    func snapshot() -> Snapshot {
        state.withLock { state in
            Snapshot(
                version: SettingsVersion(run: run, number: state.number),
                table: state.table,
                history: state.history,
                latest: state.latest
            )
        }
    }

    private func receive(_ change: PropertyListChange) {
        let waiting = state.withLock { state -> [AsyncStream<Void>.Continuation] in
            for entry in change.entries { state.table[stored: entry.key] = entry.storedNew }
            if change.isInitial { return [] }
            state.number += 1
            let author = Self.takeAuthor(of: change, from: &state.submissions)
            let latest = LatestChange(number: state.number, date: Date(), author: author)
            for entry in change.entries { state.latest[entry.key] = latest }
            state.history.append(
                Change(number: state.number, date: latest.date, author: author, entries: change.entries)
            )
            while state.history.count > historyCount { state.history.removeFirst() }
            return Array(state.streams.values)
        }
        for stream in waiting { stream.yield() }
    }
}

// MARK: - Authors

extension SettingsJournal {
    /// The time in which the change of a submission has to arrive.
    private static let patience = Duration.seconds(60)

    /// Notes that a person is about to change entries; ``end(_:)`` follows if nothing came of it.
    ///
    /// - Returns: The number of the submission.
    func begin(_ names: [String], by person: String?) -> UInt64 {
        let instant = ContinuousClock.now
        return state.withLock { state in
            state.submissions.removeAll { instant - $0.instant > Self.patience }
            state.submissionCount += 1
            state.submissions.append(
                Submission(
                    id: state.submissionCount,
                    author: Author(person: person),
                    instant: instant,
                    names: Set(names.map { UTF8Text($0) })
                )
            )
            return state.submissionCount
        }
    }

    /// Forgets a submission that failed.
    func end(_ submission: UInt64) {
        state.withLock { state in state.submissions.removeAll { $0.id == submission } }
    }

    private static func takeAuthor(of change: PropertyListChange, from submissions: inout [Submission]) -> Author? {
        let names = Set(change.entries.map { UTF8Text($0.key) })
        guard let index = submissions.firstIndex(where: { names.isSubset(of: $0.names) }) else { return nil }
        return submissions.remove(at: index).author
    }
}

// MARK: - Streams

extension SettingsJournal {
    /// Signals of changes, of which one stands for all that were not taken; it ends when its iteration does.
    func signals() -> (signals: AsyncStream<Void>, wake: AsyncStream<Void>.Continuation) {
        let (signals, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
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
}

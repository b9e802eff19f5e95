import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import Testing

@testable import KeyspanEtcd

/// Whether a mirror recognizes the history that it is of, by changes that a watch delivers once more.
@Suite struct HistoryProofTests {
    /// A history with an entry that changed long ago, and a mirror of it.
    private var history = SimulatedHistory()

    init() throws {
        try history.put("1", "app/old")
        for number in 0..<3 { try history.put("\(number)", "app/k") }
    }

    private func mirror() throws -> Mirror { try Mirror(listing: history) }

    /// Delivers what a history has from the start of a proof on.
    private func isProven(_ mirror: Mirror, by other: SimulatedHistory) throws -> Bool {
        var proof = try #require(HistoryProof(of: mirror))
        do throws(HistoryProof.Refutation) {
            for revision in other.revisions where revision.number >= proof.start {
                if revision.number > mirror.revision {
                    try proof.conclude(over: mirror, isRequired: true)
                } else {
                    try proof.take(.init(number: revision.number, events: revision.events))
                }
            }
            try proof.conclude(over: mirror, isRequired: false)
        } catch {
            return false
        }
        return proof.isComplete
    }

    @Test func `the same history is proven, whatever it has beyond the mirror`() throws {
        let mirror = try mirror()
        #expect(try isProven(mirror, by: history))
        var later = history
        try later.put("9", "app/k")
        #expect(try isProven(mirror, by: later))
        #expect(mirror.isContinued(by: try Mirror(listing: later)))
    }

    @Test func `a mirror that has followed changes proves them like one that has listed them`() throws {
        var followed = Mirror(of: KeySpace(prefix: "app/"), cluster: 1, revision: 1)
        for revision in history.revisions { _ = try followed.apply(revision.events, of: revision.number) }
        #expect(try isProven(followed, by: history))
        var later = history
        try later.remove("app/k")
        _ = try followed.apply(later.revisions.last?.events ?? [], of: later.revision)
        #expect(try isProven(followed, by: later))
    }

    /// Histories that part at revision 4, where the mirror has the third put of `k`.
    @Test(arguments: OtherHistory.allCases)
    private func `another history is refuted`(_ other: OtherHistory) throws {
        var (lost, new) = (history, history)
        new.restore(to: history.revision - 1, cluster: 1)
        try other.write(to: &lost, &new)
        let mirror = try Mirror(listing: lost)
        #expect(try !isProven(mirror, by: new))
        var followed = Mirror(of: KeySpace(prefix: "app/"), cluster: 1, revision: 1)
        for revision in lost.revisions {
            let events = revision.events.filter { $0.kv.key.starts(with: Data("app/".utf8)) }
            if !events.isEmpty { _ = try followed.apply(events, of: revision.number) }
        }
        #expect(try !isProven(followed, by: new))
    }

    /// The changes of the lost history, and of the one that took its place, from the restore on.
    private enum OtherHistory: CaseIterable {
        case sameKey, otherKey, reviewed, elsewhere, removed, madeAnew, largerBatch, sameCounts

        func write(to lost: inout SimulatedHistory, _ new: inout SimulatedHistory) throws {
            switch self {
            case .sameKey: try new.put("other", "app/k")
            case .otherKey:
                try new.put("99", "app/old")
                for number in 0..<4 { try new.put("\(number)", "app/third") }
            case .reviewed:
                try new.put("99", "app/old")
                for _ in 0..<2 { try lost.put("9", "app/third"); try new.put("9", "app/third") }
            case .elsewhere: for _ in 0..<9 { try new.put("1", "elsewhere") }
            case .removed: try new.remove("app/k")
            case .madeAnew:
                try new.remove("app/k")
                for _ in 0..<3 { try new.put("2", "app/k") }
            case .largerBatch: try new.put("2", "app/k", "app/old")
            case .sameCounts:
                try new.put("2", "elsewhere")
                try lost.put("3", "elsewhere")
                try new.put("2", "app/k")
            }
        }
    }

    @Test func `a listing tells an older history by what it has at revisions of the mirror`() throws {
        let mirror = try mirror()
        var other = history
        other.restore(to: history.revision - 1, cluster: 1)
        try other.put("other", "app/k")
        for _ in 0..<5 { try other.put("1", "elsewhere") }
        #expect(!mirror.isContinued(by: try Mirror(listing: other)))
        // Changed once more, only its age tells.
        try other.remove("app/old")
        try other.put("1", "app/old")
        #expect(!mirror.isContinued(by: try Mirror(listing: other)))
    }

    @Test func `recent changes are the last ones, in any order, and not too large`() {
        var changes = RecentChanges()
        for revision in (1...40).map({ $0 * 17 % 41 }) {
            changes.note(Data("\(revision)".utf8), size: 1, at: Int64(revision))
        }
        #expect(changes.changes.map(\.revision) == Array(25...40))
        changes.note(Data("x".utf8), size: RecentChanges.largestSize, at: 41)
        #expect(changes.changes.map(\.revision) == [41])
        changes.note(Data("y".utf8), size: 1, at: 41)
        #expect(changes.changes.map(\.keys.count) == [2])
    }

    @Test func `the keys that changed last are compared up to a size, and a large one hides none before it`() {
        var changes = RecentChanges()
        changes.note(Data("a".utf8), size: 1, at: 1)
        changes.note(Data("large".utf8), size: RecentChanges.largestSize + 1, at: 2)
        changes.note(Data("b".utf8), size: 1, at: 3)
        #expect(changes.lastKeys(upTo: 16) == [Data("b".utf8), Data("a".utf8)])
        changes.note(Data("c".utf8), size: RecentChanges.largestSize, at: 4)
        #expect(changes.lastKeys(upTo: 16) == [Data("c".utf8)])
    }
}

extension SimulatedHistory {
    fileprivate mutating func put(_ text: String, _ keys: String...) throws {
        var request = Etcdserverpb_TxnRequest()
        request.success = keys.map { .put(Data(text.utf8), forKey: Data($0.utf8), lease: 0) }
        _ = try commit(request)
    }

    fileprivate mutating func remove(_ key: String) throws {
        var request = Etcdserverpb_TxnRequest()
        request.success = [.deletion(from: Data(key.utf8), to: Data())]
        _ = try commit(request)
    }
}

extension Mirror {
    fileprivate init(listing history: SimulatedHistory) throws {
        let space = KeySpace(prefix: "app/")
        var request = Etcdserverpb_RangeRequest()
        (request.key, request.rangeEnd) = (space.start, space.end)
        let response = try history.range(request)
        self.init(of: space, cluster: response.header.clusterID, revision: response.header.revision)
        var effect = Effect()
        for entry in response.kvs { list(entry, into: &effect) }
    }
}

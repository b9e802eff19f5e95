import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import Testing

@testable import KeyspanEtcd

/// An event of a watch.
func event(
    _ key: String,
    _ text: String? = nil,
    revision: Int64,
    version: Int64 = 1
) -> Etcdserverpb_Event {
    var event = Etcdserverpb_Event()
    event.type = text == nil ? .delete : .put
    (event.kv.key, event.kv.modRevision) = (Data(key.utf8), revision)
    if let text { (event.kv.value, event.kv.version) = (Data(text.utf8), version) }
    return event
}

@Suite struct MirrorTests {
    private var mirror = Mirror(of: KeySpace(prefix: "app/"), cluster: 1, revision: 10)

    @Test mutating func `a mirror takes over puts and removals`() throws {
        var effect = try mirror.apply([event("app/a", "1", revision: 11), event("app/b", "2", revision: 11)], of: 11)
        #expect(mirror.table["a"] == 1)
        #expect(mirror.revision == 11)
        #expect(mirror.revision(of: "a") == 11)
        #expect(mirror.revision(of: "c") == 0)
        #expect(mirror.entryCount == 2)
        #expect(effect.delta.writes.count == 2)
        effect = try mirror.apply(
            [event("app/a", revision: 12), event("app/b", "3", revision: 12, version: 2)],
            of: 12
        )
        #expect(mirror.table["a"] == nil)
        #expect(mirror.table["b"] == 3)
        #expect(mirror.revision(of: "a") == 0)
        #expect(mirror.entryCount == 1)
        #expect(effect.delta.writes("a"))
        mirror.advance(to: 20)
        mirror.advance(to: 15)
        #expect(mirror.revision == 20)
    }

    @Test(arguments: [(2, true), (1, false), (3, true)] as [(Int64, Bool)])
    func `a counter that is not the next one shows a gap`(version: Int64, isGap: Bool) throws {
        var mirror = mirror
        let events = [event("app/a", "1", revision: 11, version: version)]
        if isGap {
            #expect(throws: Mirror.Gap.self) { try mirror.apply(events, of: 11) }
        } else {
            _ = try mirror.apply(events, of: 11)
        }
    }

    @Test mutating func `a removal and a new entry that were not seen show a gap`() throws {
        _ = try mirror.apply([event("app/a", "1", revision: 11)], of: 11)
        _ = try mirror.apply([event("app/a", "2", revision: 12, version: 2)], of: 12)
        var mirror = mirror
        #expect(throws: Mirror.Gap.self) { try mirror.apply([event("app/a", "1", revision: 20, version: 1)], of: 20) }
        #expect(throws: Mirror.Gap.self) { try mirror.apply([event("app/a", "1", revision: 20, version: 2)], of: 20) }
    }

    @Test mutating func `a mirror with a gap is as it was before`() throws {
        _ = try mirror.apply([event("app/a", "1", revision: 11)], of: 11)
        var mirror = mirror
        #expect(throws: Mirror.Gap.self) {
            try mirror.apply(
                [event("app/a", "2", revision: 12, version: 2), event("app/b", "2", revision: 12, version: 5)],
                of: 12
            )
        }
        #expect(mirror.table["a"] == 1)
    }

    @Test mutating func `an entry that is no value has none, and counts`() throws {
        var effect = try mirror.apply([event("app/a", "1", revision: 11)], of: 11)
        effect = try mirror.apply([event("app/a", "{", revision: 12, version: 2)], of: 12)
        #expect(effect.unreadable.map(\.name) == ["a"])
        #expect(effect.delta.writes("a"))
        #expect(mirror.table["a"] == nil)
        #expect(mirror.isUnreadable("a"))
        #expect(mirror.entryCount == 1)
        effect = try mirror.apply([event("app/a", "3", revision: 13, version: 3)], of: 13)
        #expect(!mirror.isUnreadable("a"))
        #expect(mirror.table["a"] == 3)
        #expect(mirror.entryCount == 1)
        effect = try mirror.apply([event("app/b", "", revision: 14)], of: 14)
        effect = try mirror.apply([event("app/b", revision: 15)], of: 15)
        #expect(!mirror.isUnreadable("b"))
        #expect(mirror.entryCount == 1)
    }

    @Test mutating func `foreign names and markers count, and have no value`() throws {
        var effect = try mirror.apply(
            [
                event("app/", "1", revision: 11), event("app/x\u{0}", "1", revision: 11),
                event("app/.keyspan/writers/1", "4", revision: 11),
            ],
            of: 11
        )
        #expect(mirror.table.isEmpty)
        #expect(mirror.entryCount == 3)
        #expect(effect.unreadable.count == 2)
        #expect(effect.unreadable.allSatisfy { $0.name == nil })
        #expect(effect.markers.count == 1)
        #expect(effect.markers[Data("app/.keyspan/writers/1".utf8)]?.text == Data("4".utf8))
        #expect(effect.delta.isEmpty)
        effect = try mirror.apply([event("app/", "2", revision: 12, version: 2)], of: 12)
        #expect(effect.unreadable.isEmpty)
        _ = try mirror.apply(
            [
                event("app/", revision: 13), event("app/x\u{0}", revision: 13),
                event("app/.keyspan/writers/1", revision: 13),
            ],
            of: 13
        )
        #expect(mirror.entryCount == 0)
    }
}

@Suite struct RevisionAssemblyTests {
    private func response(_ events: [Etcdserverpb_Event], isFragment: Bool = false) -> Etcdserverpb_WatchResponse {
        var response = Etcdserverpb_WatchResponse()
        (response.events, response.fragment) = (events, isFragment)
        return response
    }

    private func shape(_ revisions: [RevisionAssembly.Revision]) -> [[String]] {
        revisions.map { revision in
            ["\(revision.number)"] + revision.events.map { String(decoding: $0.kv.key, as: UTF8.self) }
        }
    }

    @Test func `a response is taken apart into its revisions`() {
        var assembly = RevisionAssembly()
        let events = [
            event("a", "1", revision: 2), event("b", "1", revision: 2), event("a", revision: 3),
            event("c", "1", revision: 7),
        ]
        #expect(shape(assembly.take(response(events))) == [["2", "a", "b"], ["3", "a"], ["7", "c"]])
        #expect(assembly.take(response([])).isEmpty)
    }

    @Test func `fragments are put together`() {
        var assembly = RevisionAssembly()
        #expect(assembly.take(response([event("a", "1", revision: 2)], isFragment: true)).isEmpty)
        #expect(assembly.take(response([event("b", "1", revision: 2)], isFragment: true)).isEmpty)
        let whole = assembly.take(response([event("c", "1", revision: 2), event("c", "1", revision: 3)]))
        #expect(shape(whole) == [["2", "a", "b", "c"], ["3", "c"]])
        #expect(shape(assembly.take(response([event("d", "1", revision: 4)]))) == [["4", "d"]])
    }
}

/// Keys that are alike for longer than the part of a `Data` that Foundation hashes.
@Suite(.heavy) struct LongKeyTests {
    private static func keys(_ count: Int) -> [Data] {
        let beginning = "app/" + String(repeating: "x", count: 190)
        return (0..<count).map { Data("\(beginning)\($0)".utf8) }
    }

    @Test func `keys that differ at their end cost no more than others`() {
        let (few, many) = (Self.keys(1_000), Self.keys(10_000))
        func fill(_ keys: [Data]) {
            var entries = ClusterKeys<Int>()
            for key in keys { entries[key] = 1 }
            #expect(entries.count == keys.count)
        }
        let ratio = Growth.ratio(enough: 20) {
            fill(few)
        } large: {
            fill(many)
        }
        #expect(ratio <= 30, "ten times as many keys cost \(ratio) times as much")
    }
}

import Foundation
import KeyspanTestSupport
import KeyspanTesting
import Testing

@_spi(StoreAuthors) @testable import KeyspanCore

/// Entries that are the same in a local and a remote store.
@Suite final class StoreSynchronizerTests {
    private static func date(_ seconds: Double) -> Date { Date(timeIntervalSinceReferenceDate: seconds) }

    private static func stamp(_ seconds: Double) -> PropertyListValue { .date(date(seconds)) }

    /// The date of a value that has none.
    private static let unknown = Date(timeIntervalSince1970: 0).timeIntervalSinceReferenceDate

    private static let stampOfA = "a__DEFAULTS__synchronizeTimestamp"

    private var synchronizers: [StoreSynchronizer] = []

    /// Makes a synchronizer of the entry `a` whose clock stands at 100 seconds, which lives as long as the test.
    @discardableResult
    private func synchronizer(_ local: any PropertyListStore, _ remote: any PropertyListStore) -> StoreSynchronizer {
        let synchronizer = StoreSynchronizer(local, with: remote) { Self.date(100) }
        synchronizer.add("a")
        synchronizers.append(synchronizer)
        return synchronizer
    }

    /// A side that meets another one: its value, and the seconds of the date of that.
    typealias Side = (value: PropertyListValue?, seconds: Double?)

    /// Both sides before and afterwards.
    private static let meetings: [(local: Side, remote: Side, localAfter: Side, remoteAfter: Side)] = [
        ((nil, nil), (nil, nil), (nil, nil), (nil, nil)),
        // Only one side has something.
        ((1, nil), (nil, nil), (1, unknown), (1, unknown)),
        ((1, 5), (nil, nil), (1, 5), (1, 5)),
        ((nil, nil), (2, 5), (2, 5), (2, 5)),
        // Of a local value nobody knows when it was written.
        ((1, nil), (2, 5), (2, 5), (2, 5)),
        // The later one counts.
        ((1, 5), (2, 7), (2, 7), (2, 7)),
        ((1, 7), (2, 5), (1, 7), (1, 7)),
        // A removal is a write.
        ((1, 5), (nil, 7), (nil, 7), (nil, 7)),
        ((nil, 7), (2, 5), (nil, 7), (nil, 7)),
        // Of two values with one date the greater content counts, on whichever side it is, and any value before none.
        ((1, 5), (2, 5), (2, 5), (2, 5)),
        ((2, 200), (1, 200), (2, 200), (2, 200)),
        (("", 5), (nil, 5), ("", 5), ("", 5)),
        ((nil, 5), (false, 5), (false, 5), (false, 5)),
        // The same value with a date that a store has rounded.
        ((1, 5), (1, 5.7), (1, 5), (1, 5.7)),
    ]

    @Test func `an entry of the library is not synchronized`() {
        let (local, remote) = (InMemoryStore(["keyspan.kept": ["a": 1]]), InMemoryStore())
        let problems = reportedProblems { synchronizer(local, remote).add("keyspan.kept", "b") }
        #expect(problems.count == 1 && problems[0].contains("the library itself uses the entry \"keyspan.kept\""))
        #expect(remote.value(forKey: "keyspan.kept") == nil && synchronizers.last?.names == ["a", "b"])
    }

    @Test(arguments: meetings.indices) func `two sides that meet become the same`(_ index: Int) {
        func localTable(_ side: Side) -> PropertyListTable {
            var table: PropertyListTable = [:]
            table["a"] = side.value
            table[Self.stampOfA] = side.seconds.map(Self.stamp)
            return table
        }
        func remoteTable(_ side: Side) -> PropertyListTable {
            side.seconds.map { ["a": .array([Self.stamp($0)] + (side.value.map { [$0] } ?? []))] } ?? [:]
        }
        let meeting = Self.meetings[index]
        let local = InMemoryStore(localTable(meeting.local))
        let remote = InMemoryStore(remoteTable(meeting.remote))
        let synchronizer = self.synchronizer(local, remote)
        #expect(local.snapshot() == localTable(meeting.localAfter))
        #expect(remote.snapshot() == remoteTable(meeting.remoteAfter))
        #expect(synchronizer.names == ["a"])
    }

    @Test func `a change on either side arrives on the other, with its date`() {
        let (local, remote) = (InMemoryStore(), InMemoryStore())
        synchronizer(local, remote)
        local.set("x", forKey: "a")
        local.set("x", forKey: "not a")
        #expect(remote.snapshot() == ["a": [Self.stamp(100), "x"]])
        remote.set([Self.stamp(300), "y"], forKey: "a")
        #expect(local.snapshot() == ["a": "y", "not a": "x", Self.stampOfA: Self.stamp(300)])
        // The clock stands at 100, and still this is later than the replaced value.
        local.set("z", forKey: "a")
        #expect(remote.snapshot() == ["a": [Self.stamp(300 + 0.000001), "z"]])
        local.removeAll()
        #expect(remote.snapshot() == ["a": [Self.stamp(300 + 0.000001 + 0.000001)]])
        #expect(local.snapshot() == [Self.stampOfA: Self.stamp(300 + 0.000001 + 0.000001)])
    }

    @Test func `one write is one write on the other side, and no echo`() throws {
        let (local, remote) = (InMemoryStore(), InMemoryStore())
        let synchronizer = self.synchronizer(local, remote)
        let ofRemote = recordedChanges(of: remote) { local.set(1, forKey: "a") }
        #expect(ofRemote == [["a"]])
        let ofLocal = recordedChanges(of: local) { remote.set([Self.stamp(500), 2], forKey: "a") }
        #expect(ofLocal == [["a", Self.stampOfA]])
        let ofNothing = recordedChanges(of: remote) { synchronizer.add("a") }
        #expect(ofNothing.isEmpty)
    }

    @Test func `an older upload that arrives late is answered with the newer value`() {
        let (local, remote) = (InMemoryStore(), InMemoryStore())
        synchronizer(local, remote)
        local.set("new", forKey: "a")
        remote.set([Self.stamp(50), "old"], forKey: "a")
        #expect(local.string(forKey: "a") == "new")
        #expect(remote.object(forKey: "a") == [Self.stamp(100), "new"])
    }

    @Test func `a remote entry that is gone without a date stays gone, and the local value stays`() {
        let (local, remote) = (InMemoryStore(), InMemoryStore())
        synchronizer(local, remote)
        local.set(1, forKey: "a")
        remote.removeAll()
        #expect(remote.snapshot().isEmpty && local.integer(forKey: "a") == 1)
        local.set(2, forKey: "a")
        #expect(remote.object(forKey: "a") == [Self.stamp(100 + 0.000001), 2])
    }

    @Test func `what one side refuses is reported once, stays on the other, and is tried again`() throws {
        let local = InMemoryStore()
        let remote = ScriptedStore(name: "cloud")
        let synchronizer = self.synchronizer(local, remote)
        let full = StoreError(.tooLarge, store: "cloud", key: "a", reason: "it is full", remedy: "remove something")
        remote.failWrites(with: full)
        let problems = try reportedProblems {
            local.set("large", forKey: "a")
            try synchronizer.synchronize()
            try synchronizer.synchronize()
        }
        #expect(problems == [full.description])
        #expect(local.string(forKey: "a") == "large" && remote.snapshot().isEmpty)
        remote.failWrites(with: nil)
        try synchronizer.synchronize()
        #expect(remote.object(forKey: "a") == [Self.stamp(100), "large"])
        #expect(remote.count(of: .synchronize) == 3)
    }

    @Test func `a conflict that nothing brings about is reported once, and the value waits`() {
        let (local, conflicts) = (InMemoryStore(), Recorder<Bool>())
        let remote = contestedStore(conflicts: conflicts)
        synchronizer(local, remote)
        let problems = reportedProblems { local.set("x", forKey: "a") }
        #expect(problems.count == 1)
        #expect(conflicts.count < 1_000)
        #expect(local.string(forKey: "a") == "x" && remote.snapshot().isEmpty)
    }

    @Test func `a failing local store is reported, and the value waits in the remote one`() throws {
        let local = ScriptedStore(name: "device")
        let remote = InMemoryStore()
        let synchronizer = self.synchronizer(local, remote)
        let full = StoreError(.tooLarge, store: "device", key: "a", reason: "it is full", remedy: "remove something")
        local.failWrites(with: full)
        let problems = reportedProblems { remote.set([Self.stamp(1), "x"], forKey: "a") }
        #expect(problems == [full.description])
        local.failWrites(with: nil)
        try synchronizer.synchronize()
        #expect(local.string(forKey: "a") == "x")
    }

    private static let foreignEntries: [PropertyListValue] = [
        1, "text", [], [1, 2], [stamp(.nan), 1], [stamp(.greatestFiniteMagnitude), 1], [stamp(-1e300), 1],
        [stamp(1e15), 1],
    ]

    @Test(arguments: foreignEntries)
    func `a remote entry of another form is reported once and left alone`(_ foreign: PropertyListValue) {
        let local = InMemoryStore(["a": 1])
        let remote = InMemoryStore(["a": foreign], name: "cloud")
        let problems = reportedProblems {
            synchronizer(local, remote)
            local.set(2, forKey: "a")
            local.set(3, forKey: "a")
        }
        #expect(problems.count == 1 && problems.first?.hasPrefix(#"key "a" of cloud: "#) == true, "\(problems)")
        #expect(remote.snapshot() == ["a": foreign] && local.integer(forKey: "a") == 3)
    }

    @Test func `a write after the last possible date of a remote entry is sent, and the entry is reported`() {
        let local = InMemoryStore()
        let last = 1e15.nextDown
        let remote = InMemoryStore(["a": [Self.stamp(last), 1]], name: "cloud")
        synchronizer(local, remote)
        #expect(local.integer(forKey: "a") == 1)
        let problems = reportedProblems {
            local.set(2, forKey: "a")
            local.set(3, forKey: "a")
        }
        #expect(remote.object(forKey: "a") == [Self.stamp(last.nextUp), 2])
        #expect(problems.count == 1 && problems.first?.hasPrefix(#"key "a" of cloud: "#) == true, "\(problems)")
    }

    @Test func `the entry of a date cannot be synchronized itself, which is reported`() {
        let local = InMemoryStore([Self.stampOfA: 1], name: "device")
        let remote = InMemoryStore()
        let synchronizer = StoreSynchronizer(local, with: remote)
        let problems = reportedProblems { synchronizer.add("b", Self.stampOfA) }
        #expect(problems.count == 1 && problems.first?.hasPrefix("key \"\(Self.stampOfA)\" of device: ") == true)
        #expect(synchronizer.names == ["b"] && remote.snapshot().isEmpty)
    }

    @Test func `a removed name is synchronized no longer`() {
        let local = InMemoryStore(["a": 1])
        let remote = InMemoryStore()
        let synchronizer = self.synchronizer(local, remote)
        synchronizer.remove(["a"])
        local.set(2, forKey: "a")
        #expect(remote.object(forKey: "a") == [Self.stamp(Self.unknown), 1])
        synchronizer.add("a")
        #expect(remote.object(forKey: "a") == [Self.stamp(Self.unknown), 2])
    }

    @Test func `a tie gives no value a new date, so the newest write of a third device wins`() {
        let clock = TestClock(Self.date(5))
        let (first, firstCopy) = (InMemoryStore(), InMemoryStore())
        let (second, secondCopy) = (InMemoryStore(), InMemoryStore())
        let synchronizers = [(first, firstCopy), (second, secondCopy)].map { local, copy in
            let synchronizer = StoreSynchronizer(local, with: copy) { clock.now }
            synchronizer.add("a")
            return synchronizer
        }
        // Both write at one time, before either receives what the other one wrote.
        first.set("x", forKey: "a")
        second.set("y", forKey: "a")
        clock.advance(by: 95)
        firstCopy.set([Self.stamp(5), "y"], forKey: "a")
        secondCopy.set([Self.stamp(5), "x"], forKey: "a")
        for copy in [firstCopy, secondCopy] {
            #expect(copy.object(forKey: "a") == [Self.stamp(5), "y"])
            // The value that a third device wrote later, before the other two met.
            copy.set([Self.stamp(50), "newest"], forKey: "a")
        }
        #expect([first, second].map { $0.string(forKey: "a") } == ["newest", "newest"])
        withExtendedLifetime(synchronizers) {}
    }

    /// Values of which each is greater than the ones before.
    static let ascending: [PropertyListValue?] = [
        nil, false, true, .integer(.init(Int64.min)), -1, 0, 1, .integer(.init(UInt64.max)), .real(-.infinity), -1.0,
        -0.0, 0.0, 1.0, .real(.infinity), .real(.nan), "", "a", "e\u{301}", "\u{e9}", "\u{ffff}", "\u{10000}",
        .date(date(-1)), .date(date(-0.0)), .date(date(0)), .date(date(1)), .data(Data()), .data(Data([0])),
        .data(Data([0, 1])), .data(Data([1])), [], [0], [0, 0], [1], [[]], [[], 1], [[:]], [:], ["": 1], ["": 2],
        ["": 2, "a": 0], ["a": 0], ["a": [1]], ["e\u{301}": 0], ["\u{e9}": 0],
    ]

    @Test func `of any two values with one date the greater wins, on whichever side it is`() throws {
        for (index, lesser) in Self.ascending.enumerated() {
            for greater in Self.ascending[(index + 1)...] {
                for (own, other) in [(lesser, greater), (greater, lesser)] {
                    var table: PropertyListTable = [Self.stampOfA: Self.stamp(5)]
                    table["a"] = own
                    let local = InMemoryStore(table)
                    let remote = InMemoryStore(["a": .array([Self.stamp(5)] + (other.map { [$0] } ?? []))])
                    synchronizer(local, remote)
                    let after = [local.value(forKey: "a"), remote.value(forKey: "a")?[1]]
                    try #require(after == [greater, greater])
                }
            }
        }
    }

    @Test(arguments: [0, 2])
    func `an entry that is removed and added while it is worked on is a new one`(_ value: Int) {
        let (local, remote) = (InMemoryStore(["a": 1]), ScriptedStore())
        let synchronizer = StoreSynchronizer(local, with: remote) { Self.date(100) }
        remote.beforeNext(.write) {
            synchronizer.remove(["a"])
            // Nobody notes when this is written.
            local.set(value, forKey: "a")
            synchronizer.add("a")
        }
        synchronizer.add("a")
        // The one with the greater content, as if the entry had been removed before or after.
        let expected = PropertyListValue(max(1, value))
        #expect(local.snapshot() == ["a": expected, Self.stampOfA: Self.stamp(Self.unknown)])
        #expect(remote.object(forKey: "a") == [Self.stamp(Self.unknown), expected])
    }

    @Test func `an entry that is removed while it waits is left alone, and while it is worked on, from then on`() {
        let (local, remote) = (InMemoryStore(["a": 1, "b": 2]), ScriptedStore())
        let synchronizer = StoreSynchronizer(local, with: remote) { Self.date(100) }
        remote.beforeNext(.write) {
            synchronizer.remove(["a", "b"])
            local.set(3, forKey: "a")
        }
        synchronizer.add("a", "b")
        // Which of the two is the first does not matter.
        let sent = remote.snapshot()
        let date = Self.stamp(Self.unknown)
        #expect(sent == ["a": [date, 1]] || sent == ["b": [date, 2]], "\(sent)")
    }

    @Test func `of a layered store the written layer is synchronized`() throws {
        let local = LayeredStore(registeringBelow: InMemoryStore())
        let remote = InMemoryStore()
        local.register(defaults: ["a": "registered"])
        synchronizer(local, remote)
        #expect(remote.snapshot().isEmpty)
        local.set("written", forKey: "a")
        #expect(remote.object(forKey: "a") == [Self.stamp(100), "written"])
    }

    @Test func `a store that keeps whole seconds of dates is synchronized all the same`() {
        let local = AlteringStore.rounding(to: 1)
        let remote = InMemoryStore()
        let synchronizer = StoreSynchronizer(local, with: remote) { Self.date(100.5) }
        synchronizer.add("a")
        for number in [0, 1, 2, 1, 0] {
            local.set(number, forKey: "a")
            #expect(remote.object(forKey: "a")?[1] == .init(number))
        }
        remote.set([Self.stamp(200.75), "x"], forKey: "a")
        #expect(local.snapshot() == ["a": "x", Self.stampOfA: Self.stamp(200)])
        #expect(remote.object(forKey: "a") == [Self.stamp(200.75), "x"])
        local.set("newer", forKey: "a")
        #expect(remote.object(forKey: "a") == [Self.stamp(200.75 + 0.000001), "newer"])
        // After a restart the stored date counts, which is not before that of the value that was replaced.
        #expect(local.object(forKey: Self.stampOfA) == Self.stamp(201))
        withExtendedLifetime(synchronizer) {}
    }

    /// The seconds by which the shared entry is dated after a clock.
    private static func lead(of remote: some PropertyListStore, over clock: TestClock) throws -> Double {
        let date = try #require(remote.object(forKey: "a")?[0]?.dateValue)
        return date.timeIntervalSince(clock.now)
    }

    /// In a store that keeps microseconds of dates, and in one that keeps whole seconds.
    @Test(arguments: [0x1p-20, 1] as [Double])
    func `a later value of another device wins after a burst of writes`(_ unit: Double) throws {
        let clock = TestClock(Self.date(1_000_000_000.4))
        let local = AlteringStore.rounding(to: unit)
        let remote = InMemoryStore()
        let synchronizer = StoreSynchronizer(local, with: remote) { clock.now }
        synchronizer.add("a")
        for number in 0..<10_000 { local.set(number, forKey: "a") }
        #expect(remote.object(forKey: "a")?[1] == 9999)
        let lead = try Self.lead(of: remote, over: clock)
        #expect(lead < 0.02)
        // Written on another device that has not received the burst.
        clock.advance(by: 0.05)
        remote.set([.date(clock.now), "newest"], forKey: "a")
        #expect(local.string(forKey: "a") == "newest")
        withExtendedLifetime(synchronizer) {}
    }

    @Test func `both stores are made durable, whichever of them fails`() {
        let (local, remote) = (ScriptedStore(name: "device"), ScriptedStore(name: "cloud"))
        let synchronizer = self.synchronizer(local, remote)
        let failures = [local, remote].map {
            StoreError(.notDurable, store: $0.name, reason: "the disk is full", remedy: "free some space")
        }
        let calls = Recorder<String>()
        for store in [local, remote] { store.before(.synchronize) { [name = store.name] in calls.record(name) } }
        local.failSynchronize(with: failures[0])
        remote.failSynchronize(with: failures[1])
        let error = #expect(throws: StoreError.self) { try synchronizer.synchronize() }
        #expect(error?.store == "device" && calls.values == ["device", "cloud"])
        local.failSynchronize(with: nil)
        let other = #expect(throws: StoreError.self) { try synchronizer.synchronize() }
        #expect(other?.store == "cloud" && calls.count == 4)
    }

    @Test func `a value that nobody dated never replaces one that the shared store gets late`() {
        // The program has a value from before it was synchronized, and the first download comes late.
        let (local, remote) = (InMemoryStore(["a": "default"]), InMemoryStore())
        synchronizer(local, remote)
        #expect(remote.object(forKey: "a")?[1] == "default")
        remote.set([Self.stamp(5), "chosen"], forKey: "a")
        #expect(local.string(forKey: "a") == "chosen" && remote.object(forKey: "a") == [Self.stamp(5), "chosen"])
        local.set("newer", forKey: "a")
        #expect(remote.object(forKey: "a") == [Self.stamp(100), "newer"])
    }

    @Test func `a store that does not keep what it accepts is not written to without end`() {
        let local = AlteringStore { _ in PropertyListBatch() }
        let remote = InMemoryStore(["a": [Self.stamp(1), 1]])
        synchronizer(local, remote)
        #expect(local.snapshot().isEmpty && remote.object(forKey: "a") == [Self.stamp(1), 1])
    }

    @Test func `a transfer is reported`() {
        let transfers = Recorder<StoreSynchronizer.Transfer>()
        let local = InMemoryStore()
        let synchronizer = StoreSynchronizer(local, with: InMemoryStore()) { transfers.record($0) }
        synchronizer.add("a")
        local.set(1, forKey: "a")
        local.removeObject(forKey: "a")
        let told = transfers.values
        #expect(told.map(\.name) == ["a", "a"] && told.map(\.isRemoval) == [false, true])
        #expect(told.map(\.isToRemote) == [true, true])
    }

    @Test func `writers on many threads end with the same on both sides`() async throws {
        let (local, remote) = (InMemoryStore(), InMemoryStore())
        let synchronizer = StoreSynchronizer(local, with: remote)
        synchronizer.add("a", "b")
        await withTaskGroup(of: Void.self) { group in
            for writer in 0..<8 {
                group.addTask {
                    for number in 0..<200 {
                        local.set(writer * 1000 + number, forKey: number.isMultiple(of: 2) ? "a" : "b")
                    }
                }
            }
        }
        await synchronizer.waitForCompletion()
        for name in ["a", "b"] {
            #expect(remote.object(forKey: name)?[1] == local.object(forKey: name))
            let stamp = local.object(forKey: name + "__DEFAULTS__synchronizeTimestamp")
            #expect(stamp != nil && remote.object(forKey: name)?[0] == stamp)
        }
    }

    @Test func `synchronizing ends when what another thread transfers has been transferred`() {
        let (local, cloud) = (InMemoryStore(["a": 1]), ScriptedStore(name: "cloud"))
        let synchronizer = StoreSynchronizer(local, with: cloud)
        let found = Recorder<PropertyListValue?>()
        let threads = Recorder<TestThread>()
        cloud.beforeNext(.write) {
            let thread = TestThread {
                #expect(throws: Never.self) { try synchronizer.synchronize() }
                found.record(cloud.value(forKey: "a")?[1])
            }
            threads.record(thread)
            // Goes on when the other thread waits, or does not.
            eventually("the other thread waits or returns") { synchronizer.isAwaited || found.count == 1 }
        }
        synchronizer.add("a")
        for thread in threads.values { thread.join() }
        #expect(found.values == [1])
    }

    @Test func `a thread takes over a bounded number of the transfers of others`() throws {
        let (local, cloud) = (InMemoryStore(["own": 1]), ScriptedStore(name: "cloud"))
        let (own, count) = (ThreadIdentity.current, 50)
        let transfers = Locked<(own: Int, others: Int)>((0, 0))
        let synchronizer = StoreSynchronizer(local, with: cloud) { _ in
            transfers.withLock { transfers in
                if ThreadIdentity.current == own { transfers.own += 1 } else { transfers.others += 1 }
            }
        }
        let names = (0..<count).map { "other \($0)" }
        synchronizer.add(Set(names.map { UTF8Text($0) }))
        cloud.beforeNext(.write) {
            // Returns at once, because the first thread is transferring.
            TestThread {
                for name in names { local.set(1, forKey: name) }
            }.join()
        }
        synchronizer.add("own")
        #expect(transfers.withLock(\.own) <= 1 + 8)
        try synchronizer.synchronize()
        #expect(transfers.withLock { $0.own + $0.others } == count + 1)
        #expect(cloud.snapshot().count == count + 1)
    }

    @Test func `writes of other devices are delivered, also if a quiet closure fetches them`() {
        let cloud = InMemoryStore()
        let (phone, desk) = (InMemoryStore(["a": 1]), InMemoryStore())
        let sender = StoreSynchronizer(phone, with: cloud)
        sender.add("a")
        let heard = Recorder<Int?>()
        let observation = Defaults(desk).observe(Defaults.Key<Int?>("a"), options: []) { heard.record($0.newValue) }
        let receiver = StoreSynchronizer(desk, with: cloud)
        Defaults.withoutPropagation { receiver.add("a") }
        #expect(heard.values == [1])
        observation.invalidate()
    }
}

/// A store that applies other batches than those that it accepts.
private final class AlteringStore: ForwardingStore {
    let base = InMemoryStore()
    private let alter: @Sendable (PropertyListBatch) -> PropertyListBatch

    init(_ alter: @escaping @Sendable (PropertyListBatch) -> PropertyListBatch) {
        self.alter = alter
    }

    func apply(_ batch: PropertyListBatch) throws(StoreError) { try base.apply(alter(batch)) }

    /// A store that keeps dates as multiples of a number of seconds, rounded down.
    static func rounding(to unit: Double) -> AlteringStore {
        AlteringStore { batch in
            var rounded = PropertyListBatch()
            for expectation in batch.expectations { rounded.expect(expectation.value, forKey: expectation.key) }
            for operation in batch.operations {
                switch operation {
                case .set(.date(let date), let key):
                    let seconds = (date.timeIntervalSinceReferenceDate / unit).rounded(.down) * unit
                    rounded.set(.date(Date(timeIntervalSinceReferenceDate: seconds)), forKey: key)
                case .set(let value, let key): rounded.set(value, forKey: key)
                case .remove(let key): rounded.remove(key)
                case .removeAll: rounded.removeAll()
                }
            }
            return rounded
        }
    }
}

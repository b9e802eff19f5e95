import Foundation
@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanUserDefaults

@Suite
struct MirroredTableTests {
    private let source = ScriptedSource()

    private func makeMirror() -> MirroredTable {
        let mirror = MirroredTable(of: source)
        mirror.refresh(.all)
        return mirror
    }

    @Test func `a mirrored table has what the source has, and writes it through`() throws {
        source.setByOthers("old", forKey: "a")
        let mirror = makeMirror()
        #expect(mirror.contents.snapshot() == ["a": "old"])
        try mirror.apply(PropertyListBatch(.set("new", key: "b")), store: "test")
        #expect(source.table() == ["a": "old", "b": "new"])
    }

    @Test(arguments: [ObservedKeys.all, .named(["a"])])
    func `a mirrored table takes over what others wrote and removed`(keys: ObservedKeys) {
        let mirror = makeMirror()
        source.setByOthers(1, forKey: "a")
        mirror.refresh(keys)
        #expect(mirror.contents.value(forKey: "a") == 1)
        source.setByOthers(nil, forKey: "a")
        mirror.refresh(keys)
        #expect(mirror.contents.value(forKey: "a") == nil)
    }

    @Test func `a mirrored table keeps what it knows of a key that is hidden`() throws {
        source.setByOthers(1, forKey: "a")
        let mirror = makeMirror()
        source.hide("a")
        source.setByOthers(nil, forKey: "a")
        mirror.refresh(.all)
        mirror.refresh(.named(["a"]))
        #expect(mirror.contents.value(forKey: "a") == 1)
    }

    @Test func `a mirrored table does not take what was read before a write that came meanwhile`() throws {
        source.setByOthers("old", forKey: "a")
        let mirror = makeMirror()
        source.whenRead {
            do {
                try mirror.apply(PropertyListBatch(.set("new", key: "a")), store: "test")
            } catch {
                Issue.record(error)
            }
        }
        mirror.refresh(.named(["a"]))
        #expect(mirror.contents.value(forKey: "a") == "new")
        #expect(source.table()["a"] == "new")
    }

    @Test func `a mirrored table shows what lies below a key that was removed`() throws {
        let mirror = makeMirror()
        try mirror.apply(PropertyListBatch(.set("own", key: "a")), store: "test")
        source.whenWritten { [source] in source.setByOthers("below", forKey: "a") }
        try mirror.apply(PropertyListBatch(.remove(key: "a")), store: "test")
        #expect(mirror.contents.value(forKey: "a") == "below")
    }

    @Test func `an observer that writes while the source is written does not wait for itself`() throws {
        let mirror = makeMirror()
        let isDone = Locked(false)
        source.whenWritten {
            guard
                isDone.withLock({ isDone in
                    defer { isDone = true }; return !isDone
                })
            else { return }
            do {
                try mirror.apply(PropertyListBatch(.set(2, key: "b")), store: "test")
            } catch {
                Issue.record(error)
            }
            mirror.notice(.all)
            mirror.settle()
        }
        try mirror.apply(PropertyListBatch(.set(1, key: "a")), store: "test")
        mirror.settle()
        #expect(source.table() == ["a": 1, "b": 2])
        #expect(mirror.contents.snapshot() == ["a": 1, "b": 2])
    }

    @Test func `an observer of what others wrote is called when the source is free for other threads`() throws {
        let mirror = makeMirror()
        let hasSettled = Recorder<Bool>()
        let observation = mirror.contents.observe(.all, initial: false) { _ in
            let settled = Gate()
            _ = TestThread {
                mirror.settle()
                settled.open()
            }
            hasSettled(settled.pass())
        }
        source.setByOthers(1, forKey: "a")
        mirror.refresh(.all)
        #expect(hasSettled.values == [true])
        observation.cancel()
    }

    @Test(.seeded, arguments: SeededGenerator.seeds(TestLevel.current.pick(5, thorough: 20)))
    func `a mirrored table is what the source is when all is quiet`(seed: UInt64) async throws {
        let mirror = makeMirror()
        await withTaskGroup(of: Void.self) { group in
            for writer in 0..<4 {
                group.addTask { [source] in
                    var generator = SeededGenerator(seed: seed &* 4 &+ UInt64(writer))
                    for step in 0..<200 {
                        let key = ["a", "b", "c"].randomElement(using: &generator) ?? "a"
                        let value = PropertyListValue.integer(PropertyListInteger(writer * 1000 + step))
                        if writer == 0 {
                            source.setByOthers(step.isMultiple(of: 5) ? nil : value, forKey: key)
                            mirror.notice(.named([UTF8Text(key)]))
                        } else {
                            let batch = PropertyListBatch(
                                step.isMultiple(of: 7) ? .remove(key: key) : .set(value, key: key)
                            )
                            do {
                                try mirror.apply(batch, store: "test")
                            } catch {
                                Issue.record(error)
                            }
                        }
                    }
                }
            }
        }
        mirror.settle()
        #expect(mirror.contents.snapshot() == source.table(), "seed \(seed)")
    }

    enum Busyness: CaseIterable {
        case reading, writing
    }

    /// Another thread is at the source, and has looked at it before the change.
    @Test(arguments: Busyness.allCases)
    func `a refresh has looked at the source after it was called when it returns`(_ busyness: Busyness) throws {
        let mirror = makeMirror()
        let (entered, mayLeave) = (Gate(), Gate())
        let stop: @Sendable () -> Void = {
            entered.open()
            mayLeave.pass()
        }
        let other =
            switch busyness {
            case .reading:
                TestThread { [source] in
                    source.whenRead(stop)
                    mirror.refresh(.named(["a"]))
                }
            case .writing:
                TestThread { [source] in
                    source.whenWritten(stop)
                    Self.recording { try mirror.apply(PropertyListBatch(.set(1, key: "b")), store: "test") }
                }
            }
        entered.pass()
        source.setByOthers("new", forKey: "a")
        let seen = Recorder<PropertyListValue?>()
        let thread = TestThread {
            mirror.refresh(.named(["a"]))
            seen(mirror.contents.value(forKey: "a"))
        }
        eventually("the refresh has ended or waits for the other thread") { seen.count + mirror.waiterCount > 0 }
        mayLeave.open()
        thread.join()
        other.join()
        #expect(seen.values == ["new"])
    }

    @Test(arguments: [true, false])
    func `endless writers do not hold up other threads`(_ isRefreshing: Bool) throws {
        let mirror = makeMirror()
        let limit = 100_000
        let written = Locked(0)
        let isOver = Locked(false)
        let begun = Gate()
        source.whenWritten {
            let count = written.withLock { written in
                written += 1
                return written
            }
            if count == 1 { begun.open() }
            if count == limit || isOver.withLock(\.self) { return }
            // By the observer of the source, so that there is always one more.
            let value = PropertyListValue.integer(PropertyListInteger(count))
            Self.recording { try mirror.apply(PropertyListBatch(.set(value, key: "b")), store: "test") }
        }
        let writer = TestThread {
            Self.recording { try mirror.apply(PropertyListBatch(.set(0, key: "b")), store: "test") }
        }
        begun.pass()
        if isRefreshing {
            source.setByOthers(1, forKey: "a")
            mirror.refresh(.named(["a"]))
        } else {
            try mirror.apply(PropertyListBatch(.set(1, key: "a")), store: "test")
            mirror.settle()
        }
        let count = written.withLock(\.self)
        isOver.withLock { $0 = true }
        #expect(mirror.contents.value(forKey: "a") == 1)
        #expect(source.table()["a"] == 1)
        #expect(count < limit)
        writer.join()
    }

    @Test func `what another thread wrote brings its observers no scope and no silence of the thread that writes it`()
        throws
    {
        let mirror = makeMirror()
        let (entered, mayLeave) = (Gate(), Gate())
        let (problems, quiet) = (Recorder<String>(), Recorder<Bool>())
        let calls = Locked(0)
        let observed = InMemoryStore()
        let observation = observed.observe(.all, initial: false) { quiet($0.isQuiet) }
        source.whenWritten {
            let call = calls.withLock { calls in
                calls += 1
                return calls
            }
            Defaults.Problem.storeNotice(name: "\(call)", notice: "written").report()
            observed.set(call, forKey: "call")
            if call > 1 { return }
            entered.open()
            mayLeave.pass()
        }
        @Sendable func write(_ name: String) {
            Defaults.withProblemHandler { problem in
                guard case .storeNotice(let call, _) = problem else { return }
                problems("\(name) \(call)")
            } operation: {
                Self.recording { try mirror.apply(PropertyListBatch(.set(1, key: name)), store: "test") }
            }
        }
        let thread = TestThread { Defaults.withoutPropagation { write("a") } }
        entered.pass()
        write("b")
        mayLeave.open()
        thread.join()
        #expect(problems.values == ["a 1", "b 2"])
        #expect(quiet.values == [false, false])
        observation.cancel()
    }

    @Test func `a thread takes over a bounded number of the writes of others`() throws {
        let mirror = makeMirror()
        let (own, count) = (ThreadIdentity.current, 50)
        let performed = Locked<(own: Int, others: Int)>((0, 0))
        source.whenWritten {
            let isFirst = performed.withLock { performed in
                if ThreadIdentity.current == own { performed.own += 1 } else { performed.others += 1 }
                return performed.own + performed.others == 1
            }
            guard isFirst else { return }
            // Returns at once, because the other thread uses the source.
            TestThread {
                for number in 0..<count {
                    Self.recording { try mirror.apply(PropertyListBatch(.set(true, key: "\(number)")), store: "test") }
                }
            }.join()
        }
        try mirror.apply(PropertyListBatch(.set(1, key: "own")), store: "test")
        #expect(performed.withLock(\.own) <= 1 + MirrorWork.foreignLimit)
        mirror.settle()
        #expect(source.table().count == count + 1)
        #expect(performed.withLock { $0.own + $0.others } == count + 1)
    }

    private static func recording(_ body: () throws -> Void) {
        do {
            try body()
        } catch {
            Issue.record(error)
        }
    }

    @Test func `a mirrored table reports what others wrote, conflicts and saves`() throws {
        let mirror = makeMirror()
        let names = Recorder<String>()
        let observation = mirror.activity.observe { activity in
            names(Mirror(reflecting: activity).children.first?.label ?? "\(activity)")
        }
        defer { observation.cancel() }
        mirror.refresh(.all)
        #expect(names.values == [])
        let first = try #require(mirror.activity.status.lastGood)
        source.setByOthers(1, forKey: "a")
        mirror.refresh(.all)
        #expect(try #require(mirror.activity.status.lastGood) > first && mirror.activity.status.staleSince == nil)
        var batch = PropertyListBatch(.set(3, key: "a"))
        batch.expect(2, forKey: "a")
        #expect(throws: StoreError.self) { try mirror.apply(batch, store: "test") }
        #expect(mirror.synchronize(by: { true }))
        #expect(!mirror.synchronize(by: { false }))
        #expect(names.values == ["reloaded", "conflict", "flushed", "saveFailed"])
    }

    @Test func `a mirrored table names the keys that the source lacks`() throws {
        let mirror = makeMirror()
        try mirror.commit(PropertyListBatch(.set(1, key: "a")), store: "test")
        #expect(mirror.unsavedKeys == ["a"])
        mirror.carryOut()
        #expect(mirror.unsavedKeys.isEmpty)
    }
}

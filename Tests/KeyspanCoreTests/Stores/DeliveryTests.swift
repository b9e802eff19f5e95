import Dispatch
import KeyspanTestSupport
import KeyspanTesting
import Testing

@_spi(StoreAuthors) @testable import KeyspanCore

/// The threads that call observers; the conformance suite checks the rules of every store.
@Suite struct DeliveryTests {
    /// The values of "a" that an observer received, and the calling threads.
    private final class Calls: Sendable {
        private let calls = Recorder<(value: PropertyListValue?, thread: ThreadIdentity)>()

        var values: [PropertyListValue?] { calls.values.map(\.value) }
        var threads: [ThreadIdentity] { calls.values.map(\.thread) }

        func receive(_ change: PropertyListChange) { calls.record((change["a"]?.new, .current)) }
    }

    /// A table whose steps a test takes one by one.
    private final class TableStore: Sendable {
        let table = CommittedTable([:])
    }

    @Test func `a thread delivers nothing that another one has committed`() async throws {
        try await TestThread.run {
            let (store, calls) = (TableStore(), Calls())
            let observation = store.table.observe(.all, initial: false, calls.receive)
            try store.table.commit(PropertyListBatch(.set(1, key: "a")), store: "table")
            // As a refresh does that has found nothing new.
            TestThread { store.table.deliver() }.join()
            #expect(calls.values.isEmpty)
            store.table.deliver()
            #expect(calls.values == [1])
            #expect(calls.threads == [.current])
            observation.cancel()
        }
    }

    @Test func `the present value is the registering thread's, whoever writes before it is delivered`() async throws {
        try await TestThread.run {
            let (broadcaster, calls) = (ChangeBroadcaster(), Calls())
            let observation = broadcaster.register(.all, initial: ["a": 0], calls.receive)
            TestThread {
                broadcaster.enqueue(PropertyListChange(.init(key: "a", old: 0, new: 1), isQuiet: false))
                broadcaster.deliver()
            }.join()
            #expect(calls.values.isEmpty)
            broadcaster.deliver()
            #expect(calls.values == [0, 1])
            #expect(calls.threads == [.current, .current])
            observation.cancel()
        }
    }

    @Test func `a thread takes over a few changes of others, and a background thread the rest`() async throws {
        let (store, calls) = (InMemoryStore(), Calls())
        let (entered, mayLeave) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let observation = store.observe(.all, initial: false) { change in
            calls.receive(change)
            guard change["a"]?.new == 0 else { return }
            entered.signal()
            mayLeave.expectSignal()
        }
        let taken = try await TestThread.run {
            let taken = Locked(0)
            let writer = TestThread {
                #expect(throws: Never.self) { try store.apply(PropertyListBatch(.set(0, key: "a"))) }
                let own = calls.threads.count { $0 == .current }
                taken.withLock { $0 = own }
            }
            entered.expectSignal()
            for number in 1...100 {
                try store.apply(PropertyListBatch(.set(.init(number), key: "a")))
            }
            mayLeave.signal()
            writer.join()
            return taken.withLock(\.self)
        }
        #expect(taken == 9)
        try await eventually("all changes arrive", calls.values.count, is: 101)
        #expect(calls.values == (0...100).map { .init($0) })
        observation.cancel()
    }

    @Test func `a thread delivers its own change, however many of others wait before it`() async throws {
        let calls = Recorder<(number: Int, thread: ThreadIdentity)>()
        let queue = DeliveryQueue<Int> { calls.record(($0, .current)) }
        try await TestThread.run {
            // Nine writers that have changed something, and have not come to deliver it.
            let others = (1...9).map { number in
                TestThread { _ = queue.append(number, by: .current) }
            }
            for other in others { other.join() }
            let thread = ThreadIdentity.current
            // A thread that is its own, whichever the nine ran on.
            queue.deliver(through: queue.append(10, by: thread), on: thread)
            let heard = calls.values
            #expect(heard.map(\.number).sorted() == Array(1...10))
            #expect(heard.last?.number == 10)
            #expect(heard.allSatisfy { $0.thread == thread })
        }
    }

    @Test func `changes that were found are delivered in the background, each observer's by itself`() async throws {
        let table = CommittedTable([:])
        let calls = Calls()
        let heard = DispatchSemaphore(value: 0)
        let waiting = table.observe(.named(["a"]), initial: false) { change in
            heard.expectSignal()
            calls.receive(change)
        }
        let awaited = table.observe(.named(["b"]), initial: false) { _ in heard.signal() }
        table.merge(deliveringInBackground: true) { table in
            (table["a"], table["b"]) = (1, 1)
            return ["a", "b"].map { .init(key: $0, old: nil, new: 1) }
        }
        table.deliver()
        try await eventually("the change that was found arrives", calls.values, is: [1])
        waiting.cancel()
        awaited.cancel()
    }

    @Test func `an observer that waits for one of another key and store lets both be called`() async throws {
        let stores = [InMemoryStore(), InMemoryStore()]
        let layered = LayeredStore([.init("upper", stores[0], isWritable: true), .init("lower", stores[1])])
        let calls = Calls()
        let (entered, heard) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let waiting = layered.observe(.named(["a"]), initial: false) { change in
            entered.signal()
            heard.expectSignal()
            calls.receive(change)
        }
        let awaited = layered.observe(.named(["b"]), initial: false) { _ in heard.signal() }
        try await TestThread.run {
            let writer = TestThread {
                #expect(throws: Never.self) { try stores[0].apply(PropertyListBatch(.set(1, key: "a"))) }
            }
            entered.expectSignal()
            try stores[1].apply(PropertyListBatch(.set(1, key: "b")))
            writer.join()
        }
        #expect(calls.values == [1])
        waiting.cancel()
        awaited.cancel()
    }

    @Test func `what an observer changes when it receives constant values is not quiet`() {
        let (store, calls) = (InMemoryStore(), Calls())
        let observation = store.observe(.all, initial: false) { change in
            #expect(!change.isQuiet)
            calls.receive(change)
        }
        let constant = EnvironmentStore(prefix: "", environment: ["a": "1"])
        Defaults.withoutPropagation {
            constant.observe(.named(["a"]), initial: true) { _ in
                #expect(throws: Never.self) { try store.apply(PropertyListBatch(.set(1, key: "a"))) }
            }.cancel()
        }
        #expect(calls.values == [1])
        observation.cancel()
    }

    /// One thread calls the handler for the changes of two operations, and a background thread for the rest.
    @Test(arguments: [1, 100])
    func `a handler runs in the operation that made the change, whichever thread calls it`(_ changes: Int) async throws
    {
        let store = InMemoryStore()
        let (entered, mayLeave) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let problems = Recorder<String>()
        let observation = store.observe(.all, initial: false) { change in
            Defaults.Problem.storeNotice(name: change.entries[0].key, notice: "changed").report()
            guard change.entries[0].key == "first" else { return }
            entered.signal()
            mayLeave.expectSignal()
        }
        @Sendable func write(_ key: String, _ value: Int, as operation: String) {
            Defaults.withProblemHandler { problem in
                guard case .storeNotice(let key, _) = problem else { return }
                problems.record("\(key) in \(operation)")
            } operation: {
                store.set(value, forKey: key)
            }
        }
        let thread = TestThread { write("first", 1, as: "one") }
        entered.expectSignal()
        for number in 1...changes { write("second", number, as: "two") }
        mayLeave.signal()
        thread.join()
        try await eventually("each change has reported a problem", problems.count, is: changes + 1)
        #expect(problems.values == ["first in one"] + Array(repeating: "second in two", count: changes))
        observation.cancel()
    }
}

extension DispatchSemaphore {
    fileprivate func expectSignal(sourceLocation: SourceLocation = #_sourceLocation) {
        let isSignaled = wait(within: .seconds(60))
        #expect(isSignaled, "no signal came", sourceLocation: sourceLocation)
    }
}

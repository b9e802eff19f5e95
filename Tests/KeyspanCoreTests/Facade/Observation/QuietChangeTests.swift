import Foundation
import KeyspanTestSupport
import KeyspanTesting
import Testing

@_spi(StoreAuthors) @testable import KeyspanCore

@Suite(.bounded) struct QuietChangeTests {
    private let store = InMemoryStore()
    private let count = Defaults.Key<Int>("count", default: 0)
    private let name = Defaults.Key<String>("name", default: "")

    private var defaults: Defaults { Defaults(store) }

    @Test func `changes of the closure are not delivered, those before and after it are`() {
        var heard: [Int] = []
        let observation = defaults.observe(count, options: []) { heard.append($0.newValue) }
        defaults[count] = 1
        Defaults.withoutPropagation {
            defaults[count] = 2
            defaults.reset(count)
            defaults.update { $0[count] = 3 }
        }
        defaults[count] = 4
        #expect(heard == [1, 4])
        observation.invalidate()
    }

    @Test func `a handler changes its own key without being called again`() {
        var calls = 0
        let observation = defaults.observe(keys: count, options: []) {
            calls += 1
            Defaults.withoutPropagation { defaults[count] += 100 }
        }
        defaults[count] = 1
        #expect(calls == 1)
        #expect(defaults[count] == 101)
        observation.invalidate()
    }

    @Test func `streams and observers of the store receive all changes, which say that they are quiet`() async {
        let updates = defaults.updates(count, initial: false)
        let quiet = Recorder<Bool>()
        let observation = store.observe(.named(["count"]), initial: false) { quiet.record($0.isQuiet) }
        Defaults.withoutPropagation { defaults[count] = 1 }
        defaults[count] = 2
        #expect(await updates.prefix(2).reduce(into: []) { $0.append($1) } == [1, 2])
        #expect(quiet.values == [true, false])
        observation.cancel()
    }

    @Test func `an observer's change is delivered although a quiet write has called the observer`() {
        var heard: [String] = []
        let writing = store.observe(.named(["count"]), initial: false) { _ in
            Defaults(store)[name] = "from the observer"
        }
        let observation = defaults.observe(name, options: []) { heard.append($0.newValue) }
        Defaults.withoutPropagation { defaults[count] = 1 }
        #expect(heard == ["from the observer"])
        writing.cancel()
        observation.invalidate()
    }

    @Test func `a task that the closure starts is not the closure`() async {
        let heard = Recorder<Int>()
        let observation = defaults.observe(count, options: []) { heard.record($0.newValue) }
        var task: Task<Void, Never>?
        Defaults.withoutPropagation { task = Task { Defaults(store)[count] = 1 } }
        await task?.value
        #expect(heard.values == [1])
        observation.invalidate()
    }

    @Test func `an error ends the scope`() {
        struct Failure: Error {}
        #expect(throws: Failure.self) { try Defaults.withoutPropagation { throw Failure() } }
        var calls = 0
        let observation = defaults.observe(count, options: []) { _ in calls += 1 }
        defaults[count] = 1
        #expect(calls == 1)
        observation.invalidate()
    }

    /// The thread that delivers is not the one that wrote: the mark has to come with the change.
    @Test func `a quiet change stays quiet, and a loud one loud, whichever thread delivers it`() {
        let (heard, isReleased) = (Recorder<Int>(), Recorder<Bool>())
        let gate = store.observe(.named(["gate"]), initial: false) { [store] _ in
            Defaults(store)[Defaults.Key<Int>("count", default: 0)] = 7
        }
        // Held by its first call, so that the thread of that one delivers everything after it.
        let observation = defaults.observe(count, options: []) { change in
            heard.record(change.newValue)
            guard change.newValue == 7 else { return }
            eventually("the test releases the handler") { isReleased.count == 1 }
        }
        let thread = TestThread { [store] in
            // The delivering thread is in a scope of its own, which must not make the changes of others quiet.
            Defaults.withoutPropagation { Defaults(store)[Defaults.Key<Bool>("gate", default: false)] = true }
        }
        eventually("the handler is called") { heard.count == 1 }
        defaults[count] = 1
        Defaults.withoutPropagation { defaults[count] = 2 }
        defaults[count] = 3
        #expect(heard.values == [7])
        isReleased(true)
        thread.join()
        #expect(heard.values == [7, 1, 3])
        gate.cancel()
        observation.invalidate()
    }

    @Test func `quiet and loud writers at the same time are distinguished`() async throws {
        let heard = Recorder<Int>()
        let observation = defaults.observe(count, options: []) { heard.record($0.newValue) }
        await withTaskGroup { group in
            group.addTask {
                for number in 1...500 { Defaults(store)[count] = number }
            }
            group.addTask {
                for number in 1...500 { Defaults.withoutPropagation { Defaults(store)[count] = -number } }
            }
        }
        // Every loud write differs from the value before it, so each of them is delivered, in order; the last ones may come
        // from a background thread.
        try await eventually("every loud change is delivered", heard.count) { $0 >= 500 }
        #expect(heard.values == Array(1...500))
        observation.invalidate()
    }

    enum Registration: CaseIterable {
        case key, keys, keysInTwoStores, layeredKeys
    }

    /// The closure may make the first call of the handler, and deliver what other threads change during that.
    @Test(arguments: Registration.allCases)
    func `an observer that a quiet closure registers receives changes of other threads`(_ registration: Registration) {
        let (calls, isReleased, heard) = (Recorder<Bool>(), Recorder<Bool>(), Recorder<String>())
        let observer = defaults.observe(name, options: []) { heard.record($0.newValue) }
        let other = InMemoryStore()
        let layered = LayeredStore([.init("layer", store, isWritable: true)])
        let registered = Recorder<any Defaults.Observation>()
        let handler: @Sendable () -> Void = { [store] in
            calls(true)
            let call = calls.count
            if call == 1 { eventually("the test releases the handler") { isReleased.count == 1 } }
            Defaults(store)[Defaults.Key<String>("name", default: "")] = "call \(call)"
        }
        let thread = TestThread { [store] in
            let count = Defaults.Key<Int>("count", default: 0)
            Defaults.withoutPropagation {
                let both: [(any PropertyListStore, [Defaults.AnyKey])] = [(store, [count]), (other, [count])]
                switch registration {
                case .key: registered(Defaults(store).observe(count) { _ in handler() })
                case .keys: registered(Defaults(store).observe(keys: count, handler: handler))
                case .keysInTwoStores: registered(Defaults.observe(in: both, options: [.initial], handler: handler))
                case .layeredKeys: registered(Defaults(layered).observe(keys: count, handler: handler))
                }
            }
        }
        eventually("the handler is called") { calls.count == 1 }
        // Another thread's change, while the closure is in the first call of the handler.
        TestThread { [store] in Defaults(store)[Defaults.Key<Int>("count", default: 0)] = 1 }.join()
        isReleased(true)
        thread.join()
        #expect(calls.count == 2)
        #expect(heard.values == ["call 1", "call 2"])
        defaults[count] = 2
        #expect(heard.values == ["call 1", "call 2", "call 3"])
        for observation in registered.values { observation.invalidate() }
        observer.invalidate()
    }
}

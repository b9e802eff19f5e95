import Keyspan
import KeyspanTestSupport
import Synchronization
import Testing

@testable import KeyspanUI

@Suite struct DemandedObservationTests {
    private let defaults = Defaults(InMemoryStore())
    private let count = Defaults.Key<Int>("count", default: 0)

    typealias Received = Recorder<Int>

    /// An observation of the key whose receiver asks for nothing by itself.
    private func observation(
        of received: Received,
        options: Defaults.ObservationOptions = []
    ) -> DemandedObservation<Defaults.KeyChange<Int>> {
        let observation = DemandedObservation<Defaults.KeyChange<Int>> {
            received.record($0.newValue)
            return .none
        }
        begin(observation, options: options)
        return observation
    }

    private func begin(
        _ observation: DemandedObservation<Defaults.KeyChange<Int>>,
        options: Defaults.ObservationOptions = []
    ) {
        observation.begin { [defaults, count] in defaults.observe(count, options: options, handler: $0) }
    }

    @Test func `changes wait until they are asked for, and none is lost`() {
        let received = Received()
        let observation = observation(of: received, options: [.initial])
        for value in 1...100 { defaults[count] = value }
        #expect(received.values.isEmpty)
        observation.request(.max(3))
        #expect(received.values == [0, 1, 2])
        observation.request(.unlimited)
        #expect(received.values == Array(0...100))
        defaults[count] = 101
        #expect(received.values.last == 101)
    }

    @Test func `a receiver asks for more with its answer, and while it gets an element`() {
        let received = Received()
        let itself = Mutex<DemandedObservation<Defaults.KeyChange<Int>>?>(nil)
        let observation = DemandedObservation<Defaults.KeyChange<Int>> { change in
            received.record(change.newValue)
            guard change.newValue < 10 else { return .none }
            guard change.newValue.isMultiple(of: 2) else { return .max(1) }
            itself.withLock { $0 }?.request(.max(1))
            return .none
        }
        itself.withLock { $0 = observation }
        begin(observation)
        for value in 1...20 { defaults[count] = value }
        observation.request(.max(1))
        #expect(received.values == Array(1...10))
        itself.withLock { $0 = nil }
        observation.end()
    }

    @Test func `a receiver may write to the store`() {
        let received = Received()
        let observation = DemandedObservation<Defaults.KeyChange<Int>> { [defaults, count] change in
            received.record(change.newValue)
            if change.newValue < 5 { defaults[count] += 1 }
            return .none
        }
        begin(observation)
        observation.request(.unlimited)
        defaults[count] = 1
        #expect(received.values == [1, 2, 3, 4, 5])
        observation.end()
    }

    @Test func `nothing comes after the end`() {
        let received = Received()
        let observation = observation(of: received)
        observation.request(.max(1))
        for value in 1...3 { defaults[count] = value }
        observation.end()
        observation.request(.unlimited)
        defaults[count] = 4
        #expect(received.values == [1])
    }

    @Test func `a receiver ends the observation while it gets an element`() {
        let received = Received()
        let itself = Mutex<DemandedObservation<Defaults.KeyChange<Int>>?>(nil)
        let observation = DemandedObservation<Defaults.KeyChange<Int>> { change in
            received.record(change.newValue)
            itself.withLock { $0 }?.end()
            return .unlimited
        }
        itself.withLock { $0 = observation }
        observation.request(.unlimited)
        // The first element comes while the observation begins, so that there is nothing yet that could be invalidated.
        begin(observation, options: [.initial])
        defaults[count] = 1
        #expect(received.values == [0])
        itself.withLock { $0 = nil }
    }

    @Test func `what was ended before it began never begins`() {
        let observation = DemandedObservation<Defaults.KeyChange<Int>> { _ in .unlimited }
        observation.end()
        observation.begin { [defaults, count] handler in
            Issue.record("it should not observe")
            return defaults.observe(count, handler: handler)
        }
    }

    @Test func `the end lets go of the receiver and of what waits`() {
        weak var receiver: Received?
        let observation: DemandedObservation<Defaults.KeyChange<Int>>
        do {
            let received = Received()
            receiver = received
            observation = self.observation(of: received, options: [.initial])
        }
        #expect(receiver != nil)
        observation.end()
        #expect(receiver == nil)
    }

    @Test func `quiet changes are not delivered`() {
        let received = Received()
        let observation = observation(of: received)
        observation.request(.unlimited)
        Defaults.withoutPropagation { defaults[count] = 1 }
        defaults[count] = 2
        #expect(received.values == [2])
        observation.end()
    }

    @Test func `changes of many threads arrive in order and one at a time, whoever asks for them`() async {
        let writers = 4
        let writes = 500
        let received = Received()
        let isReceiving = Atomic(false)
        let observation = DemandedObservation<Defaults.KeyChange<Int>> { change in
            let overlaps = isReceiving.exchange(true, ordering: .acquiringAndReleasing)
            #expect(!overlaps)
            received.record(change.newValue)
            isReceiving.store(false, ordering: .releasing)
            return .none
        }
        begin(observation)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<writers {
                group.addTask { [defaults, count] in
                    for _ in 0..<writes {
                        defaults.update { $0[count] += 1 }
                    }
                }
                group.addTask {
                    for _ in 0..<writes { observation.request(.max(1)) }
                }
            }
        }
        #expect(received.values == Array(1...(writers * writes)))
        observation.end()
    }

    @Test func `a throwing key delivers its value or the error`() {
        let limit = Defaults.Key<Int>("limit", default: 10).throwing()
        var heard: [Int?] = []
        let observation = DemandedObservation<Result<Int, Defaults.ReadError>> {
            heard.append(try? $0.get())
            return .unlimited
        }
        observation.request(.max(1))
        observation.begin { [defaults] in defaults.observe(limit, initial: true, handler: $0) }
        defaults.store.set(3, forKey: "limit")
        defaults.store.set("three", forKey: "limit")
        Defaults.withoutPropagation { defaults.store.set(4, forKey: "limit") }
        defaults.store.removeObject(forKey: "limit")
        #expect(heard == [10, 3, nil, 10])
        observation.end()
    }
}

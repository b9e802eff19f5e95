import KeyspanTestSupport
import Testing

@testable import KeyspanCore

@Suite struct ObserveTests {
    private let store = InMemoryStore()
    private let count = Defaults.Key<Int>("count", default: 0)
    private let name = Defaults.Key<String?>("name")

    private var defaults: Defaults { Defaults(store) }

    @Test func `a handler receives the present value, then each change with the values before and after`() {
        defaults[count] = 1
        var heard: [Defaults.KeyChange<Int>] = []
        let observation = defaults.observe(count) { heard.append($0) }
        defaults[count] = 2
        defaults[count] = 2
        defaults[name] = "not observed"
        defaults.reset(count)
        #expect(
            heard == [
                .init(oldValue: 0, newValue: 1), .init(oldValue: 1, newValue: 2), .init(oldValue: 2, newValue: 0),
            ]
        )
        #expect(heard.allSatisfy { $0.kind == .setting })
        observation.invalidate()
    }

    @Test func `with prior each change comes twice, first without the new value`() {
        defaults[count] = 1
        var heard: [Defaults.KeyChange<Int>] = []
        let observation = defaults.observe(count, options: [.initial, .prior]) { heard.append($0) }
        defaults[count] = 2
        #expect(
            heard == [
                .init(oldValue: 0, newValue: 1), .init(isPrior: true, oldValue: 1, newValue: 0),
                .init(oldValue: 1, newValue: 2),
            ]
        )
        observation.invalidate()
    }

    @Test(arguments: [true, false])
    func `a handler of several keys is called once for each batch`(hasInitial: Bool) {
        var calls = 0
        let observation = defaults.observe(keys: count, name, options: hasInitial ? [.initial] : []) { calls += 1 }
        defaults.update {
            $0[count] = 1
            $0[name] = "Ann"
        }
        defaults[count] = 2
        #expect(calls == (hasInitial ? 3 : 2))
        observation.invalidate()
        defaults[count] = 3
        #expect(calls == (hasInitial ? 3 : 2))
    }

    @Test func `keys of several stores have one handler, whose calls do not overlap`() async throws {
        let stores = [InMemoryStore(), InMemoryStore()]
        var unprotected = 0
        let calls = Recorder<Int>()
        let observation = Defaults.observe(in: stores.map { ($0, [count]) }, options: []) {
            unprotected += 1
            calls.record(unprotected)
        }
        await withTaskGroup { group in
            for store in stores {
                group.addTask {
                    for number in 1...500 {
                        Defaults(store)[Defaults.Key<Int>("count", default: 0)] = number
                    }
                }
            }
        }
        // What one writer left to the other may have gone on to a background thread.
        try await eventually("the handler is called for each change", calls.last, is: 1000)
        observation.invalidate()
    }

    @Test func `a value that cannot be read arrives as the default`() throws {
        var heard: [Int] = []
        let observation = defaults.observe(count, options: []) { heard.append($0.newValue) }
        _ = try reportedProblems { try store.apply(PropertyListBatch(.set("text", key: "count"))) }
        #expect(heard == [0])
        observation.invalidate()
    }

    @Test func `a registration ends when it is released`() {
        var calls = 0
        do {
            let observation = defaults.observe(count, options: []) { _ in calls += 1 }
            defaults[count] = 1
            withExtendedLifetime(observation) {}
        }
        defaults[count] = 2
        #expect(calls == 1)
    }

    @Test func `a handler may end its own registration`() {
        let made = Recorder<any Defaults.Observation>()
        var calls = 0
        let observation = defaults.observe(count, options: []) { _ in
            calls += 1
            made.last?.invalidate()
        }
        made(observation)
        defaults[count] = 1
        defaults[count] = 2
        #expect(calls == 1)
    }
}

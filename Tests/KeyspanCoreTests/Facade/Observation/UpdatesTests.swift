@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import Testing

@Suite(.bounded) struct UpdatesTests {
    private let store = InMemoryStore()
    private let count = Defaults.Key<Int>("count", default: 0)
    private let name = Defaults.Key<String>("name", default: "none")

    @Test func `the present value comes first, then every change in order, and the default after a reset`() async {
        let defaults = Defaults(store)
        let updates = defaults.updates(count)
        for number in 1...3 {
            defaults[count] = number
        }
        defaults[name] = "not observed"
        defaults.reset(count)
        #expect(await updates.prefix(5).reduce(into: []) { $0.append($1) } == [0, 1, 2, 3, 0])
    }

    @Test func `several keys come together, once for each batch`() async throws {
        let defaults = Defaults(store)
        var updates = defaults.updates(count, name).makeAsyncIterator()
        var batch = PropertyListBatch()
        batch.set(1, forKey: "count")
        batch.set("one", forKey: "name")
        try store.apply(batch)
        defaults[name] = "two"
        // The first tuple may be from before or after the batch, but is never a part of it.
        var tuples: [String] = []
        while tuples.last != "1 two", let (count, name) = await updates.next() {
            tuples.append("\(count) \(name)")
        }
        #expect(Set(tuples).isSubset(of: ["0 none", "1 one", "1 two"]))
    }

    @Test func `a tuple that is delivered late has the values as of its change`() async {
        let defaults = Defaults(store)
        let window = Defaults.Key<Window?>("window")
        // Comes before the stream, which so receives each change after the store has the next ones.
        let observation = defaults.observe(count, options: []) { [count, name] change in
            guard change.newValue == 1 else { return }
            defaults[window] = Window(width: 1, height: 1)
            defaults[count] = 2
            defaults[name] = "late"
            defaults[window]?.height = 2
        }
        let updates = defaults.updates(count, name, window)
        defaults[count] = 1
        var tuples: [String] = []
        for await (count, name, window) in updates.prefix(6) {
            tuples.append("\(count) \(name) \(window.map { "\($0.width)x\($0.height)" } ?? "none")")
        }
        #expect(
            tuples == [
                "0 none none", "1 none none", "1 none 1.0x1.0", "2 none 1.0x1.0", "2 late 1.0x1.0", "2 late 1.0x2.0",
            ]
        )
        observation.invalidate()
    }

    @Test func `a slow reader of the latest values gets the newest one`() async throws {
        let defaults = Defaults(store)
        let limit = count.throwing()
        let values = defaults.updates(count, buffering: .latest)
        let results = defaults.updates(limit, buffering: .latest)
        let pairs = defaults.updates(count, name, buffering: .latest)
        let signals = defaults.updates([count, name], buffering: .latest)
        for number in 1...1000 { defaults[count] = number }
        defaults[name] = "last"
        var (value, result) = (values.makeAsyncIterator(), results.makeAsyncIterator())
        var (pair, signal) = (pairs.makeAsyncIterator(), signals.makeAsyncIterator())
        #expect(await value.next() == 1000)
        #expect(try await result.next()?.get() == 1000)
        #expect(await pair.next().map { "\($0) \($1)" } == "1000 last")
        #expect(await signal.next() != nil)
        // Nothing older waits behind them.
        defaults[count] = 1001
        #expect(await value.next() == 1001)
        #expect(try await result.next()?.get() == 1001)
        #expect(await pair.next().map { "\($0) \($1)" } == "1001 last")
    }

    @Test func `an unreadable change gives the default`() async throws {
        let updates = Defaults(store).updates(count, initial: false)
        _ = try reportedProblems { try store.apply(PropertyListBatch(.set("text", key: "count"))) }
        #expect(await updates.first { _ in true } == 0)
    }

    @Test func `a stream ends with the task that reads it, and its observer with the stream`() async {
        weak var observed: InMemoryStore?
        do {
            let store = InMemoryStore()
            observed = store
            let updates = Defaults(store).updates(count)
            let task = Task {
                await updates.reduce(0) { sum, _ in sum + 1 }
            }
            Defaults(store)[count] = 1
            task.cancel()
            #expect(await task.value <= 2)
        }
        #expect(observed == nil)
    }
}

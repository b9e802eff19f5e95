@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

@testable import KeyspanEtcd

@Suite(.seeded) struct WriteQueueTests {
    private var queue = WriteQueue()

    private static func writes(_ values: KeyValuePairs<String, PropertyListValue?>, removesAll: Bool = false)
        -> ClusterWrites
    {
        var batch = PropertyListBatch()
        if removesAll { batch.removeAll() }
        for (key, value) in values { batch.set(value, forKey: key) }
        return ClusterWrites(batch, in: KeySpace(prefix: "app/"))
    }

    private mutating func takeHead() throws -> WriteQueue.Entry {
        let head = queue.takeHead()
        return try #require(head)
    }

    private mutating func divide(_ entry: WriteQueue.Entry) -> Bool { queue.divide(entry.id) }

    private static func commit() -> ClusterCommit { ClusterCommit(expecting: [], isQuiet: false) }

    private mutating func append(
        _ values: KeyValuePairs<String, PropertyListValue?>,
        removesAll: Bool = false,
        operations: Int = 127,
        bytes: Int = 10_000
    ) {
        queue.append(Self.writes(values, removesAll: removesAll), operations: operations, bytes: bytes)
    }

    @Test mutating func `writes share an entry until it is taken`() {
        append(["a": 1])
        append(["b": 1])
        #expect(queue.entries.count == 1)
        let head = queue.takeHead()
        #expect(head?.writes.count == 2)
        append(["a": 2])
        append(["c": 2])
        #expect(queue.entries.map(\.writes.count) == [2, 2])
        #expect(queue.finished == 0)
        queue.remove(1)
        #expect(queue.finished == 1)
        // The entry that has become the first one is not taken yet.
        append(["d": 3])
        #expect(queue.entries.map(\.writes.count) == [3])
        queue.remove(2)
        #expect(queue.finished == 2)
        #expect(queue.pendingKeys == 0)
    }

    @Test mutating func `an entry takes no more than a transaction`() {
        append(["a": 1, "b": 1], operations: 2)
        append(["a": 2], operations: 2)
        #expect(queue.entries.count == 1)
        append(["c": 1], operations: 2)
        #expect(queue.entries.count == 2)
        append(["d": .string(String(repeating: "x", count: 100))], bytes: 150)
        #expect(queue.entries.count == 3)
    }

    @Test mutating func `an entry is divided between batches, the earlier ones first`() throws {
        append(["a": 1])
        append(["b": 1, "c": 1])
        append(["d": 1])
        append(["a": 2])
        append(["c": 2, "e": 2])
        append(["f": nil])
        let whole = try takeHead()
        #expect(whole.writes.count == 6)
        append(["a": 3])
        let last = queue.last
        var parts: [[String]] = []
        while queue.entries.count > 1 {
            let head = try takeHead()
            #expect(head.number == 1)
            #expect(queue.finished == 0)
            let isDivided = divide(head)
            #expect(isDivided == head.writes.isDivisible)
            if isDivided { continue }
            parts.append(head.writes.names.sorted())
            let count = queue.entries.count
            // The watch and the answer of the member both remove it.
            for _ in 0..<2 { queue.remove(head.id) }
            queue.acknowledge(head.id, at: 1)
            #expect(queue.entries.count == count - 1)
        }
        #expect(parts == [["d"], ["a"], ["b", "c", "e"], ["f"]])
        #expect(queue.finished == 1)
        let later = try takeHead()
        #expect(later.number == last)
        let isDivided = (divide(later), divide(whole))
        #expect(isDivided == (false, false))
        #expect(queue.acknowledged.isEmpty)
    }

    @Test mutating func `the parts of an entry have its effect`() throws {
        let names = (0..<40).map { "key\($0)" }
        var random = SeededGenerator(seed: SeededGenerator.seedOfRun)
        var divided = 0
        for round in 0..<200 {
            queue = WriteQueue()
            for _ in 0..<Int.random(in: 2...60, using: &random) {
                var batch = PropertyListBatch()
                for name in names.shuffled(using: &random).prefix([1, 1, 1, 2, 5].randomElement(using: &random) ?? 1) {
                    batch.set(Bool.random(using: &random) ? .integer(PropertyListInteger(round)) : nil, forKey: name)
                }
                let writes = ClusterWrites(batch, in: KeySpace(prefix: "app/"))
                queue.append(writes, operations: 127, bytes: 100_000)
            }
            let table: PropertyListTable = ["key1": 0, "key2": 0]
            let whole = queue
            let head = try takeHead()
            let size = head.writes.size
            guard divide(head) else { continue }
            divided += 1
            #expect(queue.visible(over: table) == whole.visible(over: table))
            #expect(queue.pendingKeys == whole.pendingKeys)
            #expect(Set(queue.pendingNames) == Set(whole.pendingNames))
            #expect(queue.entries.reduce(0) { $0 + $1.writes.size } == size)
            let space = KeySpace(prefix: "app/")
            let plans = queue.entries.map { $0.writes.plan(in: space, over: nil).operations.count }
            #expect(plans.reduce(0, +) == whole.pendingKeys)
        }
        #expect(divided > 50)
    }

    @Test mutating func `an entry that removes all keys is not divided`() throws {
        append(["a": 1, "b": 1], removesAll: true)
        append(["c": 1])
        #expect(queue.entries.count == 2)
        let head = try takeHead()
        let isDivided = divide(head)
        #expect(!isDivided)
    }

    @Test mutating func `writes do not pass a waiting writer`() {
        append(["a": 1])
        let number = queue.append(Self.writes(["a": 2]), for: Self.commit())
        append(["a": 3])
        #expect(queue.entries.map(\.number) == [1, 2, 3])
        #expect(number == 2)
        #expect(queue.pendingKeys == 2)
        #expect(queue.isPending("a"))
        #expect(queue.visible(over: ["a": 0])["a"] == 3)
    }

    @Test mutating func `readers see acknowledged and pending writes, and not those that wait`() {
        _ = queue.append(Self.writes(["a": 1, "b": 1]), for: Self.commit())
        #expect(!queue.decides("a"))
        #expect(queue.visible(over: ["a": 0])["a"] == 0)
        queue.acknowledge(1, at: 7)
        #expect(queue.decides("a"))
        #expect(!queue.isPending("a"))
        append(["b": nil])
        append(["c": 5])
        #expect(queue.visible(over: ["a": 0, "b": 0, "d": 0]) == ["a": 1, "c": 5, "d": 0])
        queue.forgetAcknowledged(upTo: 6)
        #expect(queue.decides("a"))
        queue.forgetAcknowledged(upTo: 7)
        #expect(!queue.decides("a"))
        #expect(queue.visible(over: ["a": 0, "b": 0, "d": 0]) == ["a": 0, "c": 5, "d": 0])
    }

    @Test mutating func `the removal of all keys replaces what waits before it in its entry`() {
        append(["a": 1, "b": 1])
        append(["c": 2], removesAll: true)
        #expect(queue.entries.count == 1)
        #expect(queue.decides("anything"))
        #expect(queue.visible(over: ["a": 0, "z": 0]) == ["c": 2])
        #expect(queue.pendingKeys == 1)
    }

    @Test(arguments: [false, true])
    func `an entry has no more operations than a transaction takes, whatever it removes`(removesAll: Bool) {
        var queue = queue
        if removesAll { queue.append(Self.writes([:], removesAll: true), operations: 127, bytes: 10_000) }
        for number in 0..<127 { queue.append(Self.writes(["key\(number)": 1]), operations: 127, bytes: 10_000) }
        let space = KeySpace(prefix: "app/")
        #expect(queue.entries.allSatisfy { $0.writes.plan(in: space, over: nil).operations.count <= 127 })
    }
}

@Suite struct SharedStateTests {
    @Test func `a waiting task is resumed once the condition holds`() async {
        let (state, executor) = (SharedState(), CallExecutor.next())
        async let isReady = state.wait(upTo: .seconds(60), on: executor) { $0.isClosed }
        state.change { $0.isClosed = true }
        #expect(await isReady)
        #expect(await state.wait(on: executor) { $0.isClosed })
        #expect(await !state.wait(upTo: .milliseconds(5), on: executor) { !$0.isClosed })
    }

    @Test func `a canceled task waits no longer`() async {
        let (state, executor) = (SharedState(), CallExecutor.next())
        for round in 0..<200 {
            let task = Task { await state.wait(on: executor) { $0.isClosed } }
            if round % 2 == 0 { await Task.yield() }
            task.cancel()
            #expect(await !task.value)
        }
    }

    @Test func `a thread waits no longer than it wants`() {
        let state = SharedState()
        #expect(!state.block(upTo: .milliseconds(5)) { $0.isClosed })
        let waiting = BackgroundCall { state.block(upTo: .seconds(60)) { $0.isClosed } }
        state.change { $0.isClosed = true }
        #expect((try? waiting.result()) == true)
    }
}

import KeyspanCore
import KeyspanTestSupport
import Testing

/// Checks that observers of values in several entries receive each value that was, in order, while several threads write.
@Suite(.bounded) struct SuccessionTests {
    private static let count = Defaults.Key<Int>("count", default: 0)
    private static let window = Defaults.Key<Window>("window", default: Window(width: 0, height: 0))
    private static let writers = 4
    private static let rounds = 200

    /// A store without layers and one with.
    static let stores: [@Sendable () -> any PropertyListStore] = [
        { InMemoryStore() }, { LayeredStore(registeringBelow: InMemoryStore()) },
    ]

    /// Counts on several threads, each time in one batch: the width of the window is the count, and the height is now and then.
    private func write(_ store: any PropertyListStore) async {
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<Self.writers {
                group.addTask {
                    for _ in 0..<Self.rounds {
                        Defaults(store).update { batch in
                            let next = batch[Self.count] + 1
                            batch[Self.count] = next
                            batch[Self.window].width = Double(next)
                            if next.isMultiple(of: 3) { batch[Self.window].height = Double(next) }
                        }
                    }
                }
            }
        }
    }

    private static func window(of count: Int) -> Window {
        Window(width: Double(count), height: Double(count / 3 * 3))
    }

    @Test(arguments: stores.indices)
    func `every change of a key arrives with the values before and after it`(_ index: Int) async {
        let store = Self.stores[index]()
        let heard = Recorder<[Window]>()
        let observation = Defaults(store).observe(Self.window, options: []) {
            heard.record([$0.oldValue, $0.newValue])
        }
        await write(store)
        observation.invalidate()
        let last = Self.writers * Self.rounds
        // Changes that wait when the registration ends are not delivered; background threads may have the last ones.
        #expect(
            heard.values
                == (1...last).prefix(heard.values.count).map { [Self.window(of: $0 - 1), Self.window(of: $0)] }
        )
        #expect(heard.values.count > last / 2)
    }

    @Test(arguments: stores.indices)
    func `every change of several keys is a tuple of its own`(_ index: Int) async {
        let store = Self.stores[index]()
        let updates = Defaults(store).updates(Self.count, Self.window)
        await write(store)
        let last = Self.writers * Self.rounds
        var (counts, windows): ([Int], [Window]) = ([], [])
        for await (count, window) in updates {
            counts.append(count)
            windows.append(window)
            if count == last { break }
        }
        #expect(counts == Array(0...last))
        #expect(windows == (0...last).map(Self.window(of:)))
    }

    @Test(arguments: [false, true])
    func `of several stores each change is a tuple, and the last one is what they have`(initial: Bool) async {
        let stores = Self.stores.map { $0() }
        let updates = Defaults.updates(
            of: KeyInStore(Self.count, in: stores[0]),
            KeyInStore(Self.window, in: stores[0]),
            KeyInStore(Self.count, in: stores[1]),
            KeyInStore(Self.window, in: stores[1]),
            initial: initial,
            buffering: .every
        )
        async let first: Void = write(stores[0])
        async let second: Void = write(stores[1])
        _ = await (first, second)
        let last = Self.writers * Self.rounds
        var counts: [[Int]] = []
        for await (one, oneWindow, other, otherWindow) in updates {
            #expect([oneWindow, otherWindow] == [one, other].map(Self.window(of:)))
            counts.append([one, other])
            if one == last, other == last { break }
        }
        #expect(counts.count == 2 * last + (initial ? 1 : 0))
        #expect(!initial || counts.first == [0, 0])
        for (before, after) in zip(counts, counts.dropFirst()) {
            #expect(after[0] - before[0] + after[1] - before[1] == 1, "\(before) \(after)")
        }
    }
}

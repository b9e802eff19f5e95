@_spi(StoreAuthors) import KeyspanCore
import KeyspanTesting
import Testing

/// Checks that a value which its key cannot read is kept, also if another writer put it there a moment ago.
@Suite struct KeptBesideWritersTests {
    private static let unreadable: PropertyListValue = ["of", "another", "kind"]

    private let store = InterruptingStore(["n": 1, "list": [1]]) { base in
        base.set(unreadable, forKey: "n")
        base.set(.string("no list"), forKey: "list")
    }
    private let number = Defaults.Key<Int>("n", default: 0)
    private let list = Defaults.Key<[Int]>("list", default: [])

    /// The ways in which a value can be written.
    struct Write: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let write: @Sendable (Defaults, Defaults.Key<Int>, Defaults.Key<[Int]>) throws -> Void
    }

    static let writes = [
        Write(testDescription: "subscript") { defaults, number, list in
            defaults[number] = 5
            defaults[list] = [5]
        },
        Write(testDescription: "in place") { defaults, number, list in
            defaults[number] += 4
            defaults[list].append(5)
        },
        Write(testDescription: "modify") { defaults, number, list in
            defaults.modify(number) { $0 = 5 }
            defaults.modify(list) { $0 = [5] }
        },
        Write(testDescription: "strict write") { defaults, number, list in
            try defaults.set(5, for: number)
            try defaults.set([5], for: list)
        },
        Write(testDescription: "batch") { defaults, number, list in
            defaults.update {
                $0[number] = 5
                $0[list] = [5]
            }
        },
        Write(testDescription: "reset") { defaults, number, list in defaults.reset(number, list) },
    ]

    @Test(arguments: writes, [false, true])
    func `what came after the look is looked at too`(_ write: Write, isLayered: Bool) throws {
        let defaults =
            isLayered
            ? Defaults(LayeredStore([.init("top", InMemoryStore()), .init("written", store, isWritable: true)]))
            : Defaults(store)
        store.interruptNextCall()
        _ = try reportedProblems { try write.write(defaults, number, list) }
        #expect(store.base.value(forKey: "n") != Self.unreadable)
        #expect(defaults.keptValues(for: number).map(\.value) == [Self.unreadable])
        #expect(defaults.keptValues(for: list).map(\.value) == ["no list"])
    }

    @Test func `a write that changes nothing notes no state that another writer led to`() {
        let defaults = Defaults(store)
        defaults[number] = 5
        store.interruptNextCall()
        // The other write comes between this one and whatever looks at the state after it.
        defaults[number] = 5
        #expect(store.base.value(forKey: "n") == Self.unreadable)
        defaults[number] = 6
        #expect(defaults.keptValues(for: number).map(\.value) == [Self.unreadable])
    }

    /// A store that counts the batches, and that says nothing of layers which another store below it has.
    private final class CountingStore: PropertyListStore {
        let base: any PropertyListStore
        let count = Locked(0)
        private let beforeApply: @Sendable () -> Void

        init(_ base: any PropertyListStore, beforeFirstApply: @escaping @Sendable () -> Void = {}) {
            self.base = base
            beforeApply = beforeFirstApply
        }

        var name: String { base.name }
        func revision(of stripe: KeyStripe) -> StoreRevision? { base.revision(of: stripe) }
        func storedValue(forKey key: String) -> StoredValue? { base.storedValue(forKey: key) }
        func snapshot() -> PropertyListTable { base.snapshot() }
        func synchronize() throws(StoreError) { try base.synchronize() }

        func apply(_ batch: PropertyListBatch) throws(StoreError) {
            let count = count.withLock { count in
                count += 1
                return count
            }
            if count == 1 { beforeApply() }
            try base.apply(batch)
        }

        func observe(
            _ keys: ObservedKeys,
            initial: Bool,
            _ receive: @escaping @Sendable (PropertyListChange) -> Void
        ) -> StoreObservation {
            base.observe(keys, initial: initial, receive)
        }
    }

    @Test func `a write that another one of the same key interrupts is made at the second attempt`() {
        let base = InMemoryStore(["n": 1])
        let store = CountingStore(base) { [number] in Defaults(base)[number] = 7 }
        Defaults(store)[number] = 5
        #expect(base.value(forKey: "n") == 5)
        #expect(store.count.withLock { $0 } == 2)
    }

    @Test func `a write to a store without layers is made at once`() {
        let registered = RegistrationDomain()
        let layered = LayeredStore([
            .init("values", InMemoryStore(), isWritable: true), .init("registered", registered),
        ])
        let store = CountingStore(layered)
        #expect(throws: Never.self) { try registered.register(["n": 3]) }
        Defaults(store)[number] = 5
        #expect(Defaults(store)[number] == 5)
        #expect(store.count.withLock { $0 } == 1)
    }

    @Test func `each value that a writer beside it puts there is kept, or replaced by that writer`() async {
        let store = InMemoryStore()
        let defaults = Defaults(store)
        let rounds = 2_000
        // The value that the other writer replaced itself, which loses nothing that a key could keep.
        async let replacedByItself: Set<Int> = Task.detached {
            var replaced: Set<Int> = []
            for round in 0..<rounds {
                var isDone = false
                while !isDone {
                    var batch = PropertyListBatch()
                    let present = store.value(forKey: "n")
                    batch.expect(present, forKey: "n")
                    batch.set(.string("value \(round)"), forKey: "n")
                    do {
                        try store.apply(batch)
                        if case .string(let text)? = present, let number = Int(text.dropFirst(6)) {
                            replaced.insert(number)
                        }
                        isDone = true
                    } catch {}
                }
            }
            return replaced
        }.value
        let kept = Locked<Set<String>>([])
        let observation = store.observe(.named([KeptEntry.name]), initial: false) { change in
            guard let entries = change[KeptEntry.name]?.new else { return }
            kept.withLock { $0.formUnion(KeptEntry.texts(in: entries)) }
        }
        var count = 0
        while !isOver(store, rounds), count < 100_000 {
            defaults[number] = count
            count += 1
            // The other writer may have no thread.
            if count.isMultiple(of: 10) { await Task.yield() }
        }
        let replaced = await replacedByItself
        defaults[number] = -1
        observation.cancel()
        let lost = (0..<rounds).filter { round in
            !replaced.contains(round) && !kept.withLock { $0.contains("value \(round)") }
        }
        #expect(lost.isEmpty, "\(lost.count) of \(rounds) vanished")
    }

    /// Whether the other writer has written its last value.
    private func isOver(_ store: InMemoryStore, _ rounds: Int) -> Bool {
        KeptEntry.texts(in: store.value(forKey: KeptEntry.name) ?? [:]).contains("value \(rounds - 1)")
    }
}

/// The entry in which a store keeps values.
private enum KeptEntry {
    static let name = "keyspan.kept"

    /// All texts that are somewhere in it.
    static func texts(in value: PropertyListValue) -> Set<String> {
        switch value {
        case .string(let text): [text]
        case .array(let elements): elements.reduce(into: []) { $0.formUnion(texts(in: $1)) }
        case .dictionary(let members): members.reduce(into: []) { $0.formUnion(texts(in: $1.value)) }
        default: []
        }
    }
}

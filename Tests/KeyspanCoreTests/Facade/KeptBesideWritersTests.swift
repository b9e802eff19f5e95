@_spi(StoreAuthors) import KeyspanCore
import KeyspanTestSupport
import KeyspanTesting
import Testing

/// Checks that a value which its key cannot read is kept, also if another writer put it there a moment ago.
@Suite struct KeptBesideWritersTests {
    private static let unreadable: PropertyListValue = ["of", "another", "kind"]

    private let store = ScriptedStore(["n": 1, "list": [1]])
    private let number = Defaults.Key<Int>("n", default: 0)
    private let list = Defaults.Key<[Int]>("list", default: [])

    /// Lets another writer write after the next read or write, or before the next registration.
    private func interruptNextCall() {
        let isDue = Locked(true)
        let interrupt: @Sendable () -> Void = { [base = store.base] in
            let isFirst = isDue.withLock { isDue in
                defer { isDue = false }
                return isDue
            }
            guard isFirst else { return }
            base.set(Self.unreadable, forKey: "n")
            base.set("no list", forKey: "list")
        }
        for call in [ScriptedStore.Call.read, .snapshot, .write] { store.after(call, interrupt) }
        store.before(.observe, interrupt)
    }

    enum Write: CaseIterable {
        case subscripts, inPlace, modify, strict, batch, reset
    }

    private func write(_ write: Write, to defaults: Defaults) throws {
        switch write {
        case .subscripts:
            defaults[number] = 5
            defaults[list] = [5]
        case .inPlace:
            defaults[number] += 4
            defaults[list].append(5)
        case .modify:
            defaults.modify(number) { $0 = 5 }
            defaults.modify(list) { $0 = [5] }
        case .strict:
            try defaults.set(5, for: number)
            try defaults.set([5], for: list)
        case .batch:
            defaults.update {
                $0[number] = 5
                $0[list] = [5]
            }
        case .reset: defaults.reset(number, list)
        }
    }

    @Test(arguments: Write.allCases, [false, true])
    func `what came after the look is looked at too`(_ write: Write, isLayered: Bool) throws {
        let defaults =
            isLayered
            ? Defaults(LayeredStore([.init("top", InMemoryStore()), .init("written", store, isWritable: true)]))
            : Defaults(store)
        interruptNextCall()
        _ = try reportedProblems { try self.write(write, to: defaults) }
        #expect(store.base.value(forKey: "n") != Self.unreadable)
        #expect(defaults.keptValues(for: number).map(\.value) == [Self.unreadable])
        #expect(defaults.keptValues(for: list).map(\.value) == ["no list"])
    }

    @Test func `a write that changes nothing notes no state that another writer led to`() {
        let defaults = Defaults(store)
        defaults[number] = 5
        interruptNextCall()
        // The other write comes between this one and whatever looks at the state after it.
        defaults[number] = 5
        #expect(store.base.value(forKey: "n") == Self.unreadable)
        defaults[number] = 6
        #expect(defaults.keptValues(for: number).map(\.value) == [Self.unreadable])
    }

    @Test func `a write that another one of the same key interrupts is made at the second attempt`() {
        let (batches, base) = (Recorder<PropertyListBatch>(), store.base)
        store.beforeNext(.write) { [number] in Defaults(base)[number] = 7 }
        store.onBatch { batches.record($0) }
        Defaults(store)[number] = 5
        #expect(store.value(forKey: "n") == 5)
        #expect(batches.count == 2)
    }

    /// A store over another one, of whose layers it says nothing.
    private final class OpaqueStore: PropertyListStore {
        private let base: any PropertyListStore

        init(_ base: any PropertyListStore) {
            self.base = base
        }

        var name: String { base.name }
        func revision(of stripe: KeyStripe) -> StoreRevision? { base.revision(of: stripe) }
        func storedValue(forKey key: String) -> StoredValue? { base.storedValue(forKey: key) }
        func snapshot() -> PropertyListTable { base.snapshot() }
        func apply(_ batch: PropertyListBatch) throws(StoreError) { try base.apply(batch) }
        func synchronize() throws(StoreError) { try base.synchronize() }
        func observe(
            _ keys: ObservedKeys,
            initial: Bool,
            _ receive: @escaping @Sendable (PropertyListChange) -> Void
        ) -> StoreObservation { base.observe(keys, initial: initial, receive) }
    }

    @Test func `a write to a store without layers is made at once`() throws {
        let layered = LayeredStore(registeringBelow: InMemoryStore())
        let (store, batches) = (ScriptedStore(over: OpaqueStore(layered)), Recorder<PropertyListBatch>())
        store.onBatch { batches.record($0) }
        try layered.register(["n": 3])
        Defaults(store)[number] = 5
        #expect(Defaults(store)[number] == 5)
        #expect(batches.count == 1)
    }

    @Test func `each value that a writer beside it puts there is kept, or replaced by that writer`() async {
        let store = InMemoryStore()
        let defaults = Defaults(store)
        let rounds = 2_000
        // The value that the other writer replaced itself, which loses nothing that a key could keep.
        async let replacedByItself: Set<Int> = Task.detached {
            var replaced: Set<Int> = []
            for round in 0..<rounds {
                var present: PropertyListValue?
                repeat {
                    present = store.value(forKey: "n")
                } while !store.replace(present, with: .string("value \(round)"), forKey: "n")
                if let number = present?.stringValue.flatMap({ Int($0.dropFirst(6)) }) { replaced.insert(number) }
            }
            return replaced
        }.value
        let entries = Recorder<PropertyListValue>()
        let observation = store.observe(.named([KeptEntry.name]), initial: false) { change in
            if let entry = change[KeptEntry.name]?.new { entries.record(entry) }
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
        let kept = entries.values.reduce(into: Set()) { $0.formUnion(KeptEntry.texts(in: $1)) }
        let lost = (0..<rounds).filter { !replaced.contains($0) && !kept.contains("value \($0)") }
        #expect(lost.isEmpty, "\(lost.count) of \(rounds) vanished")
    }

    /// Whether the other writer has written its last value.
    private func isOver(_ store: InMemoryStore, _ rounds: Int) -> Bool {
        KeptEntry.texts(in: store.value(forKey: KeptEntry.name) ?? [:]).contains("value \(rounds - 1)")
    }
}

extension InMemoryStore {
    /// Writes a value unless another one has taken the place of the expected one.
    fileprivate func replace(_ expected: PropertyListValue?, with value: PropertyListValue, forKey key: String) -> Bool
    {
        var batch = PropertyListBatch(.set(value, key: key))
        batch.expect(expected, forKey: key)
        do {
            try apply(batch)
            return true
        } catch {
            return false
        }
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

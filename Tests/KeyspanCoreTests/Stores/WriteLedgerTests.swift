@_spi(StoreAuthors) import KeyspanCore
import Testing

@Suite
struct WriteLedgerTests {
    private var ledger = WriteLedger()
    private let batch = PropertyListBatch(.set("dark", key: "theme"))

    @Test mutating func `a write ledger asks for a save at the first write after the others were taken`() {
        let beforeTaking = (1...3).map { _ in ledger.record(batch, in: [:], isPlain: true) }
        _ = ledger.takeOutgoing()
        let afterTaking = (1...3).map { _ in ledger.record(batch, in: [:], isPlain: true) }
        #expect(beforeTaking == [true, false, false])
        #expect(afterTaking == [true, false, false])
    }

    @Test mutating func `a write ledger asks for no second save while writes wait that could not be saved`() {
        let first = ledger.record(batch, in: [:], isPlain: true)
        let writes = ledger.takeOutgoing()
        ledger.putBack(writes, in: [:])
        let second = ledger.record(batch, in: [:], isPlain: true)
        #expect(first)
        #expect(!second)
    }

    @Test mutating func `a write ledger lets batches wait until memory has all that are decided together`() {
        let others = ["theme", "size"].map { PropertyListBatch(.set("new", key: $0)) }
        for other in others { _ = ledger.takeOutgoing(before: other) }
        var dependent = PropertyListBatch(.set(1, key: "count"))
        dependent.expect("old", forKey: "size")
        ledger.noteSaved(PendingWrites(), [others[0]], in: ["theme": "new"])
        let mustWait = ledger.mustWait(dependent)
        ledger.endDecision()
        let mustWaitLater = ledger.mustWait(dependent)
        #expect(mustWait && !mustWaitLater)
    }

    @Test(arguments: [
        PropertyListBatch.Operation.set("light", key: "theme"), .remove(key: "theme"), .removeAll,
    ])
    mutating func `a write ledger asks for a save whatever the write is`(_ operation: PropertyListBatch.Operation) {
        let isFirst = ledger.record(PropertyListBatch(operation), in: [:], isPlain: true)
        #expect(isFirst)
    }

    /// A batch of a member is on its way to the backing, while another thread writes the dictionary around it.
    @Test(arguments: [nil, 5] as [PropertyListValue?])
    func `a write that is later than a batch on its way stays`(later: PropertyListValue?) {
        var memory: PropertyListTable = ["tls": ["port": 0]]
        memory.naming = NestedNaming(groups: GroupNames(of: ["tls.port"]))
        var (ledger, backing) = (WriteLedger(of: memory), memory)
        var member = PropertyListBatch()
        member.set(1, forKey: "tls.port")
        _ = ledger.takeOutgoing(before: member)
        backing.applyWrites(of: member)
        var dictionary = PropertyListBatch()
        dictionary.set(later, forKey: "tls")
        memory.applyWrites(of: dictionary)
        _ = ledger.record(dictionary, in: memory, isPlain: false)
        ledger.noteSaved(PendingWrites(), [member], in: backing)
        let changes = ledger.show(member, in: &memory)
        #expect(changes.isEmpty)
        #expect(memory["tls"] == later && memory["tls.port"] == nil)
    }

    @Test(arguments: [nil, 5, ["a": 1]] as [PropertyListValue?])
    func `a removal of all that is shown below a later write removes everything else`(later: PropertyListValue?) {
        var memory: PropertyListTable = ["tls.b": 5, "x": 1]
        memory.naming = NestedNaming(groups: GroupNames(of: ["tls.b"]))
        let before = memory
        var ledger = WriteLedger(of: memory)
        let removal = PropertyListBatch(.removeAll)
        _ = ledger.takeOutgoing(before: removal)
        var dictionary = PropertyListBatch()
        dictionary.set(later, forKey: "tls")
        memory.applyWrites(of: dictionary)
        _ = ledger.record(dictionary, in: memory, isPlain: false)
        let changes = ledger.show(removal, in: &memory)
        var backing = PropertyListTable()
        backing.naming = before.naming
        ledger.noteSaved(PendingWrites(), [removal], in: backing)
        #expect(Set(changes.map(\.key)).isSuperset(of: ["tls.b", "x"]))
        #expect(memory["tls.b"] == nil && memory["x"] == nil && memory["tls"] == later)
        #expect(ledger.show(in: &memory).isEmpty)
    }

    @Test func `the names in a value end where names lead nowhere`() {
        let members = PropertyListDictionary((0..<500).map { (key: "k\($0)", value: 1) })
        let deep = (1..<100).reduce(PropertyListValue.dictionary(members)) { value, _ in ["n": value] }
        #expect("n".entries(changedByWriting: deep).count == GroupNames.mostLevels + 1)
        let flat: PropertyListValue = ["a": ["b": 1, "$c": ["d": 1]], "e.f": 2]
        #expect("n".entries(changedByWriting: flat) == ["n", "n.a", "n.a.b", "n.e", "n.e.f"])
    }
}

import KeyspanTesting

/// Makes correct histories: clients, observers and readers of a simulated cluster, one small step after the other.
///
/// It has what makes checks hard: unknown calls that did happen, at once or late, and such that did not, clients that die,
/// observers that list anew or begin late, background stores that send several calls at once or drop refused ones,
/// calls without tags, and values that come back.
struct HistorySimulation {
    private var random: SeededGenerator
    private var cluster: HistoryCluster
    private var stores: [HistoryStore] = []
    private var clients: [SimulatedClient] = []
    /// The unknown calls that the cluster has not applied yet.
    private var late: [Int] = []
    /// The positions of the calls that the cluster applied one at a time.
    private var positions: [Int: Int] = [:]
    private var now: UInt64 = 1_000_000
    private var history: RecordedHistory

    private static let keys = ["a", "b", "c", "d", "e/f", "e/g"]
    private static let counters = ["count", "e/count"]

    /// Prepares a run.
    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        let start = [["a": "\"start\"", "count": "5"], [:]][Int.random(in: 0...1, using: &random)]
        cluster = HistoryCluster(startRevision: 100, start: start)
        history = RecordedHistory(seed: seed)
        for number in 0..<Int.random(in: 2...4, using: &random) {
            let mode: StoreMode = chance(30) ? .background : .direct
            let store = HistoryStore(name: "store\(number)", mode: mode, position: 0)
            history.stores[store.name] = mode
            stores.append(store)
            for reader in 0...1 {
                history.readers.append(RecordedReader(name: "reader\(number).\(reader)", store: store.name))
            }
            for client in 0..<Int.random(in: 1...2, using: &random) {
                clients.append(SimulatedClient(name: "c\(number).\(client)", store: number, hasTags: chance(80)))
            }
            if chance(80) { observe(number) }
        }
    }

    /// Runs until everything has healed.
    mutating func run(steps: Int = 300) -> RecordedHistory {
        for _ in 0..<steps { step() }
        for client in clients.indices {
            while clients[client].pending != nil { advance(client) }
        }
        for call in late where chance(50) { apply(call) }
        for store in stores.indices {
            while !stores[store].queue.isEmpty { send(from: store) }
        }
        for store in stores.indices {
            synchronize(store, to: cluster.position)
            for observer in stores[store].observers.indices {
                while stores[store].mode == .direct, stores[store].observerPositions[observer] < cluster.position {
                    notify(store, observer)
                }
                history.observers[stores[store].observers[observer]].final = stores[store].view(of: cluster)
            }
        }
        history.truth = cluster.truth
        return history
    }

    private mutating func step() {
        let store = Int.random(in: stores.indices, using: &random)
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<42: advance(Int.random(in: clients.indices, using: &random))
        case 42..<55: synchronize(store, to: Int.random(in: stores[store].position...cluster.position, using: &random))
        case 55..<75:
            guard stores[store].mode == .direct,
                let observer = stores[store].observers.indices.randomElement(using: &random)
            else { return }
            notify(store, observer)
        case 75..<82: send(from: store)
        case 82..<83: if stores[store].observers.count < 3 { observe(store) }
        case 83..<85:
            guard !late.isEmpty else { return }
            apply(late.removeFirst())
        default: read(store * 2 + Int.random(in: 0...1, using: &random))
        }
    }

    // MARK: Calls

    private mutating func advance(_ client: Int) {
        guard clients[client].isAlive else { return }
        let store = clients[client].store
        if stores[store].mode == .background {
            let call = invoke(client)
            stores[store].queue.append(HistoryStore.Unsent(call: call, batch: batch(of: call)))
            notifyAll(store, from: stores[store].queue.dropLast())
            return
        }
        guard var pending = clients[client].pending else {
            clients[client].pending = (invoke(client), .random(using: &random), false)
            return
        }
        if !pending.isApplied, [.acknowledged, .unknownAtOnce].contains(pending.fate) {
            pending.isApplied = true
            if !apply(pending.call) { pending.fate = .refused }
            clients[client].pending = pending
            return
        }
        end(pending.call, pending.fate)
        clients[client].pending = nil
        if pending.fate == .dies { clients[client].isAlive = false }
        if pending.fate == .unknownLate { late.append(pending.call) }
        if history.calls[pending.call].outcome == .acknowledged, let position = positions[pending.call] {
            synchronize(store, to: max(position, stores[store].position))
        }
    }

    private mutating func end(_ call: Int, _ fate: SimulatedClient.Fate) {
        guard fate != .dies else { return }
        history.calls[call].returned = tick()
        switch fate {
        case .acknowledged:
            history.calls[call].outcome = .acknowledged
            if let counter = history.calls[call].kind.counter, let position = positions[call] {
                history.calls[call].result = cluster.states[position][counter]
            }
        case .refused:
            let isConditional = if case .compareAndSet = history.calls[call].kind { true } else { false }
            history.calls[call].outcome = .refused(isConditional ? .conflict : .other)
        default: history.calls[call].outcome = .unknown
        }
    }

    private mutating func invoke(_ client: Int) -> Int {
        clients[client].calls += 1
        let name = clients[client].name
        let id = "\(name)-\(clients[client].calls)"
        let store = stores[clients[client].store]
        let kind: CallKind
        switch store.mode == .background ? 0 : Int.random(in: 0..<100, using: &random) {
        case 0..<60: kind = .write(randomBatch("\"\(id)\"", hasTag: clients[client].hasTags))
        case 60..<80:
            let key = Self.keys.randomElement(using: &random) ?? "a"
            let shown = store.view(of: cluster)[key]
            let new: String? = clients[client].hasTags && chance(15) ? nil : "\"\(id)\""
            kind = .compareAndSet(key: key, expected: chance(85) ? shown : "\"other\"", new: new)
        default: kind = .increment(key: Self.counters.randomElement(using: &random) ?? "count")
        }
        // An increment without a tag leaves no trace, unless its caller learns the result.
        let hasTag = clients[client].hasTags || kind.counter != nil
        history.calls.append(
            RecordedCall(
                id: id,
                client: name,
                store: store.name,
                kind: kind,
                tag: hasTag ? "calls/\(id)" : nil,
                invoked: tick()
            )
        )
        return history.calls.count - 1
    }

    private mutating func randomBatch(_ value: String, hasTag: Bool) -> RecordedBatch {
        var changes: [String: String?] = [:]
        for key in Self.keys.shuffled(using: &random).prefix(Int.random(in: 1...4, using: &random)) {
            changes.updateValue(chance(75) ? value : nil, forKey: key)
        }
        if hasTag, chance(2) { changes = [:] }
        // Far enough from all other values of the counter that no increment writes it again.
        if hasTag, chance(2) { changes.updateValue("\(1_000 * (history.calls.count + 1))", forKey: Self.counters[0]) }
        return RecordedBatch(changes, removesAll: chance(3))
    }

    /// What a call writes to the current state.
    private func batch(of call: Int) -> RecordedBatch {
        let call = history.calls[call]
        let batch =
            switch call.kind {
            case .write(let batch): batch
            case .compareAndSet(let key, _, let new): RecordedBatch([key: new])
            case .increment(let key): RecordedBatch([key: "\((cluster.table[key].flatMap { Int($0) } ?? 0) + 1)"])
            }
        return batch.tagged(call.tag, "\"\(call.id)\"")
    }

    @discardableResult
    private mutating func apply(_ call: Int) -> Bool {
        if case .compareAndSet(let key, let expected, _) = history.calls[call].kind, cluster.table[key] != expected {
            return false
        }
        cluster.apply(batch(of: call), step: revisionStep())
        positions[call] = cluster.position
        return true
    }

    // MARK: Stores

    /// Sends the first unsent calls of a background store in one transaction.
    private mutating func send(from store: Int) {
        guard !stores[store].queue.isEmpty else { return }
        let sent = stores[store].queue.prefix(Int.random(in: 1...stores[store].queue.count, using: &random))
        let before = stores[store]
        let fate = Int.random(in: 0..<100, using: &random)
        if fate < 93 {
            let batch = sent.dropFirst().reduce(sent[0].batch) { $0.followed(by: $1.batch) }
            cluster.apply(batch, step: revisionStep())
            // A store that does not learn that its write happened can drop it before it has seen it.
            if fate < 89 { stores[store].position = cluster.position }
        }
        stores[store].queue.removeFirst(sent.count)
        for unsent in sent {
            end(unsent.call, fate < 89 ? .acknowledged : fate < 96 ? .unknownAtOnce : .refused)
        }
        notifyAll(store, from: before)
    }

    private mutating func synchronize(_ store: Int, to position: Int) {
        let before = stores[store]
        stores[store].position = position
        if before.mode == .background { notifyAll(store, from: before) }
    }

    private mutating func notifyAll(_ store: Int, from queue: some Collection<HistoryStore.Unsent>) {
        var before = stores[store]
        before.queue = Array(queue)
        notifyAll(store, from: before)
    }

    /// Notifies the observers of a background store of the differences between two of its views.
    private mutating func notifyAll(_ store: Int, from before: HistoryStore) {
        let values = observedDifference(before.view(of: cluster), stores[store].view(of: cluster))
        guard !values.isEmpty else { return }
        for observer in stores[store].observers {
            history.observers[observer].changes.append(ObservedChange(values, time: tick()))
        }
    }

    /// Notifies an observer of a direct store of the next revision, or of several after listing anew.
    private mutating func notify(_ store: Int, _ observer: Int) {
        let position = stores[store].observerPositions[observer]
        guard position < cluster.position else { return }
        let jumps = chance(5)
        let next = jumps ? Int.random(in: position + 1...cluster.position, using: &random) : position + 1
        stores[store].observerPositions[observer] = next
        let values = observedDifference(cluster.states[position], cluster.states[next])
        guard !values.isEmpty else { return }
        let index = stores[store].observers[observer]
        let isCounted = jumps && next > position + 1 && chance(30)
        if isCounted { history.observers[index].allowedJumps += 1 }
        history.observers[index].changes.append(
            ObservedChange(values, time: tick(), listsAnew: jumps && !isCounted)
        )
    }

    private mutating func observe(_ store: Int) {
        let position = stores[store].position
        let revision = position == 0 ? cluster.truth.startRevision : cluster.truth.revisions[position - 1].revision
        stores[store].observers.append(history.observers.count)
        stores[store].observerPositions.append(position)
        history.observers.append(
            RecordedObserver(
                name: "observer\(store).\(stores[store].observers.count)",
                store: stores[store].name,
                start: stores[store].view(of: cluster),
                startRevision: chance(50) ? revision : nil,
                began: tick()
            )
        )
    }

    private mutating func read(_ reader: Int) {
        let store = stores[reader / 2]
        let table = store.view(of: cluster)
        let content: ReadContent
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<6: content = .snapshot(table)
        case 6..<7: content = .digest(TableDigest(table))
        default:
            let key = (Self.keys + Self.counters).randomElement(using: &random) ?? "a"
            content = .value(key: key, table[key])
        }
        history.readers[reader].reads.append(RecordedRead(began: tick(), ended: tick(), content))
    }

    // MARK: Chance

    private mutating func tick() -> UInt64 {
        now += .random(in: 1...5_000, using: &random)
        return now
    }

    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    /// Odd numbers stay free for the revisions that mutations insert.
    private mutating func revisionStep() -> Int64 { 2 * .random(in: 1...2, using: &random) }
}

/// Everything that was recorded in a run of a test, sorted by who did it: what the checks work on.
package struct RecordedHistory: Codable, Sendable, Equatable {
    /// The seed with which the run can be repeated.
    package var seed: UInt64
    /// The modes of the stores; a store that is not named here is direct.
    package var stores: [String: StoreMode]
    /// The calls of all clients.
    package var calls: [RecordedCall]
    /// The observers of all stores.
    package var observers: [RecordedObserver]
    /// The readers of all stores.
    package var readers: [RecordedReader]
    /// The history that the cluster itself has.
    package var truth: ClusterTruth

    /// Makes an empty history.
    package init(seed: UInt64, truth: ClusterTruth = ClusterTruth(startRevision: 0, start: [:])) {
        (self.seed, self.truth) = (seed, truth)
        (stores, calls, observers, readers) = ([:], [], [], [])
    }

    /// Makes a history of the events of one process, in their order.
    ///
    /// An event that belongs to a call or an observer that never began is dropped.
    package init(_ events: some Sequence<HistoryEvent>) {
        self.init(seed: 0)
        var callIndex: [String: Int] = [:]
        var observerIndex: [String: Int] = [:]
        var readerIndex: [String: Int] = [:]
        for event in events {
            switch event {
            case .seed(let seed): self.seed = seed
            case .store(let name, let mode): stores[name] = mode
            case .began(let call):
                callIndex[call.id] = calls.count
                calls.append(call)
            case .ended(let id, let time, let outcome, let result):
                guard let index = callIndex[id] else { continue }
                calls[index].returned = time
                calls[index].outcome = outcome
                calls[index].result = result
            case .observing(let observer):
                observerIndex[observer.name] = observers.count
                observers.append(observer)
            case .changed(let name, let change):
                guard let index = observerIndex[name] else { continue }
                observers[index].changes.append(change)
            case .finished(let name, let final, let endsEarly):
                guard let index = observerIndex[name] else { continue }
                observers[index].final = final
                observers[index].endsEarly = endsEarly
            case .read(let name, let store, let read):
                if let index = readerIndex[name] {
                    readers[index].reads.append(read)
                } else {
                    readerIndex[name] = readers.count
                    readers.append(RecordedReader(name: name, store: store, reads: [read]))
                }
            case .truth(let truth): self.truth = truth
            }
        }
    }

    /// The events that make this history again.
    package var events: [HistoryEvent] {
        var events: [HistoryEvent] = [.seed(seed)]
        events += stores.sorted { $0.key < $1.key }.map { .store($0.key, $0.value) }
        for call in calls {
            var begun = call
            (begun.returned, begun.outcome, begun.result) = (nil, .unknown, nil)
            events.append(.began(begun))
            guard let returned = call.returned else { continue }
            events.append(.ended(id: call.id, time: returned, call.outcome, result: call.result))
        }
        for observer in observers {
            var begun = observer
            (begun.changes, begun.final, begun.endsEarly) = ([], nil, false)
            events.append(.observing(begun))
            events += observer.changes.map { .changed(observer: observer.name, $0) }
            events.append(.finished(observer: observer.name, observer.final, endsEarly: observer.endsEarly))
        }
        for reader in readers {
            events += reader.reads.map { .read(reader: reader.name, store: reader.store, $0) }
        }
        events.append(.truth(truth))
        return events
    }

    /// Adds what another process of the same run recorded.
    ///
    /// The times fit together because all processes of a machine have one monotonic clock. The seed and the truth stay
    /// those of this history, which is that of the process that runs the test.
    package mutating func merge(_ other: RecordedHistory) {
        stores.merge(other.stores) { own, _ in own }
        calls += other.calls
        observers += other.observers
        readers += other.readers
    }

    /// The mode of a store.
    package func mode(of store: String) -> StoreMode { stores[store] ?? .direct }
}

@_spi(StoreAuthors) import KeyspanCore

@testable import KeyspanEtcd

/// A store whose use is recorded.
struct HistoryStore: Sendable {
    let name: String
    let store: any PropertyListStore
    /// Whether batches without expectations are sent in the background.
    var isBackground = false
}

/// Records what threads do with stores.
final class HistoryRecorder: Sendable {
    private struct State {
        var history = History()
        var time = 0
        /// The accepted calls of each client that wait for a synchronization.
        var waiting: [String: [Int]] = [:]
        var failures: [String] = []

        mutating func tick() -> Int {
            time += 1
            return time
        }
    }

    private let state = Locked(State())

    var history: History { state.withLock(\.history) }

    /// The failures that the threads have found themselves.
    var failures: [String] { state.withLock(\.failures) }

    func fail(_ failure: String) {
        state.withLock { $0.failures.append(failure) }
    }

    /// Records a call that a program other than a store makes, and whose effect is certain.
    func call(_ name: String, _ changes: [String: String?], _ body: () -> Void) {
        let index = begin(History.Call(name: name, store: "etcdctl", changes: changes))
        body()
        end(index, .acknowledged)
    }

    /// Applies a batch.
    ///
    /// - Returns: The error of the store.
    @discardableResult
    func apply(_ batch: PropertyListBatch, to store: HistoryStore, as name: String, of client: String) -> StoreError? {
        var call = History.Call(name: name, store: store.name, changes: [:])
        for operation in batch.operations {
            switch operation {
            case .set(let value, let key): call.changes[key] = value.text
            case .remove(let key): call.changes.updateValue(nil, forKey: key)
            case .removeAll: (call.changes, call.removesAll) = ([:], true)
            }
        }
        for expectation in batch.expectations {
            call.expected.updateValue(expectation.value?.text, forKey: expectation.key)
        }
        let isSentLater = store.isBackground && call.expected.isEmpty
        let index = begin(call)
        do throws(StoreError) {
            try store.store.apply(batch)
            if isSentLater {
                state.withLock { $0.waiting[client, default: []].append(index) }
            } else {
                end(index, .acknowledged)
            }
            return nil
        } catch {
            end(index, error.code == .outcomeUnknown || error.code == .notShown ? .unknown : .refused)
            return error
        }
    }

    /// Records that the last call of a client will be refused, although its store has accepted it.
    func willBeRefused(by store: HistoryStore, of client: String) {
        state.withLock { state in
            if let index = state.waiting[client]?.popLast() { state.history.calls[index].outcome = .refused }
        }
    }

    /// Synchronizes a store, after which the cluster has the calls of a client.
    func synchronize(_ store: HistoryStore, for client: String) throws(StoreError) {
        try store.store.synchronize()
        for index in state.withLock({ $0.waiting.removeValue(forKey: client) }) ?? [] { end(index, .acknowledged) }
    }

    /// Records that stores are synchronized, so that the cluster has the calls of all clients.
    func finishCalls() {
        for indices in state.withLock({ $0.waiting.values }) {
            for index in indices { end(index, .acknowledged) }
        }
    }

    /// Observes a store from now on.
    func observe(_ store: HistoryStore) -> StoreObservation {
        state.withLock { state in
            state.history.observers[store.name] = History.Observer()
            if store.isBackground { state.history.background.insert(store.name) }
        }
        return store.store.observe(.all, initial: true) { [self] change in
            var values: [String: (old: String?, new: String?)] = [:]
            for entry in change.entries { values[entry.key] = (entry.old?.text, entry.new?.text) }
            state.withLock { [values] state in
                let time = state.tick()
                if change.isInitial {
                    state.history.observers[store.name]?.start = values.compactMapValues(\.new)
                } else {
                    state.history.observers[store.name]?.changes.append(History.Change(values: values, time: time))
                }
            }
        }
    }

    /// Reads all values of a store.
    func read(_ store: HistoryStore) {
        let time = state.withLock { $0.tick() }
        let texts = store.store.texts
        state.withLock { $0.history.reads[store.name, default: []].append(History.Read(values: texts, began: time)) }
    }

    private func begin(_ call: History.Call) -> Int {
        state.withLock { state in
            var call = call
            call.began = state.tick()
            state.history.calls.append(call)
            return state.history.calls.count - 1
        }
    }

    private func end(_ index: Int, _ outcome: History.Outcome) {
        state.withLock { state in
            state.history.calls[index].ended = state.tick()
            state.history.calls[index].outcome = outcome
        }
    }
}

extension PropertyListStore {
    /// The texts that readers see, by key.
    var texts: [String: String] {
        snapshot().reduce(into: [:]) { $0[$1.key] = $1.value.text }
    }
}

extension PropertyListValue {
    /// The value as a text of the cluster.
    var text: String { String(decoding: EntryText.encode(self), as: UTF8.self) }
}

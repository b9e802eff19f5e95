import KeyspanCore

@testable import KeyspanEtcd

/// A write of the model, and what the store said of it.
struct ModelWrite: Sendable {
    /// What became of the write.
    enum Outcome: Sendable {
        /// The store says that it happened.
        case acknowledged
        /// The store cannot say.
        case unknown
        /// The store says that it did not happen.
        case refused
    }

    /// The texts that it writes, which no other write has.
    let texts: [String]
    /// Whether a later write of the store may replace it before it is sent.
    let isPending: Bool
    var outcome = Outcome.refused
}

/// The failures of a run, and its writes.
final class ModelRecord: Sendable {
    private struct State {
        var writes: [ModelWrite] = []
        var failures: [String] = []
    }

    private let state = Locked(State())

    var failures: [String] { state.withLock(\.failures) }

    func note(_ write: ModelWrite) {
        state.withLock { $0.writes.append(write) }
    }

    func fail(_ failure: String) {
        state.withLock { $0.failures.append(failure) }
    }

    /// Compares what stores said of writes with the history.
    func compareWrites(with history: SimulatedHistory) {
        var revisions: [String: [Int64]] = [:]
        for revision in history.revisions {
            for event in revision.events where event.type == .put {
                revisions[String(decoding: event.kv.value, as: UTF8.self), default: []].append(revision.number)
            }
        }
        for write in state.withLock(\.writes) {
            let found = write.texts.map { revisions[$0] ?? [] }
            let isWhole = write.isPending || Set(found).count == 1
            if !isWhole { fail("\(write.texts) happened in parts: \(found)") }
            for (text, numbers) in zip(write.texts, found) {
                if numbers.count > 1 { fail("\(text) happened at \(numbers), \(write.outcome)") }
                switch write.outcome {
                case .acknowledged where numbers.isEmpty && !write.isPending: fail("\(text) was acknowledged and lost")
                case .refused where !numbers.isEmpty: fail("\(text) was refused and happened")
                default: break
                }
            }
        }
    }
}

/// What an observer of a store saw, compared with the history.
final class ModelObserver: Sendable {
    private struct State {
        var values: [String: String] = [:]
        /// The states after each change.
        var states: [[String: String]] = []
        /// The values of each key in the order in which they came.
        var sequences: [String: [String?]] = [:]
        var changes: [[String: String?]] = []
    }

    private let state = Locked(State())
    private let name: String
    private let record: ModelRecord

    init(_ name: String, _ record: ModelRecord) {
        (self.name, self.record) = (name, record)
    }

    /// What the observer believes to be the values.
    var values: [String: String] { state.withLock(\.values) }

    func receive(_ change: PropertyListChange) {
        let failures: [String] = state.withLock { state in
            var failures: [String] = []
            var entries: [String: String?] = [:]
            for entry in change.entries {
                let old = entry.old.map(Self.text)
                let new = entry.new.map(Self.text)
                if !change.isInitial, state.values[entry.key] != old {
                    failures.append(
                        "\(name) saw \(entry.key) change from \(old ?? "nil"), not \(state.values[entry.key] ?? "nil")"
                    )
                }
                state.values[entry.key] = new
                state.sequences[entry.key, default: []].append(new)
                entries[entry.key] = .some(new)
            }
            state.states.append(state.values)
            if !change.isInitial { state.changes.append(entries) }
            return failures
        }
        for failure in failures { record.fail(failure) }
    }

    /// Compares all states with those of the history, of which they must be a part, in the same order.
    func compareStates(with history: SimulatedHistory, in space: KeySpace) {
        var numbers = history.states(in: space)[...]
        for state in state.withLock(\.states) {
            guard let index = numbers.firstIndex(of: state) else {
                return record.fail("\(name) saw \(state), which is no state of the cluster behind the one before")
            }
            numbers = numbers[index...]
        }
    }

    /// Compares the values of each key with those of the history, of which they must be a part, in the same order.
    func compareSequences(with history: SimulatedHistory, in space: KeySpace) {
        let states = history.states(in: space)
        for (key, sequence) in state.withLock(\.sequences) {
            var rest = states[...]
            for value in sequence {
                guard let index = rest.firstIndex(where: { $0[key] == value }) else {
                    record.fail("\(name) saw \(key) as \(sequence), which is not its history")
                    break
                }
                rest = rest[index...]
            }
        }
        for change in state.withLock(\.changes)
        where !states.contains(where: { state in change.allSatisfy { state[$0.key] == $0.value } }) {
            record.fail("\(name) saw the change \(change), which is of no revision")
        }
    }

    private static func text(_ value: PropertyListValue) -> String {
        String(decoding: EntryText.encode(value), as: UTF8.self)
    }
}

extension SimulatedHistory {
    /// The texts of the entries of a store after each revision.
    func states(in space: KeySpace) -> [[String: String]] {
        var state: [String: String] = [:]
        var states = [state]
        for revision in revisions {
            for event in revision.events {
                guard event.kv.key.starts(with: space.prefix), case .entry(let name) = space.name(of: event.kv.key)
                else { continue }
                state[name] = event.type == .delete ? nil : String(decoding: event.kv.value, as: UTF8.self)
            }
            states.append(state)
        }
        return states
    }
}

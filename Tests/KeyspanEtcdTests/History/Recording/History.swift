import Dispatch
import KeyspanCore

/// Records what the clients, observers and readers of one process do, from any thread.
///
/// Each event is one append under one lock. Everything else, such as assigning returns to calls, waits until
/// ``recorded`` is read.
package final class History: Sendable {
    /// The seed with which the run can be repeated.
    package let seed: UInt64

    private struct State {
        var events: [HistoryEvent] = []
        var callCounts: [String: Int] = [:]
    }

    private let state: Locked<State>
    private let writeLine: (@Sendable (String) -> Void)?

    /// Makes an empty history.
    ///
    /// - Parameters:
    ///   - seed: The seed of the run.
    ///   - writeLine: Receives each event as a line of ``HistoryLines`` at once, outside of the lock, so that a process can
    ///     be killed without losing what it recorded. Lines of different threads may come in any order.
    package init(seed: UInt64, writingLinesTo writeLine: (@Sendable (String) -> Void)? = nil) {
        self.seed = seed
        self.writeLine = writeLine
        state = Locked(State())
        append(.seed(seed))
    }

    /// The time of the monotonic clock in nanoseconds, which all processes of a machine share.
    package static func now() -> UInt64 {
        DispatchTime.now().uptimeNanoseconds
    }

    // MARK: Calls

    /// Makes the name of the next call of a client, from which the test derives the values and the tag.
    package func nextCall(of client: String) -> String {
        state.withLock { state in
            let number = state.callCounts[client, default: 0] + 1
            state.callCounts[client] = number
            return "\(client)-\(number)"
        }
    }

    /// Records that a call is about to be made.
    package func began(_ id: String, client: String, store: String, _ kind: CallKind, tag: String? = nil) {
        append(
            .began(RecordedCall(id: id, client: client, store: store, kind: kind, tag: tag, invoked: Self.now()))
        )
    }

    /// Records what came of a call.
    package func ended(_ id: String, _ outcome: CallOutcome, result: String? = nil) {
        append(.ended(id: id, time: Self.now(), outcome, result: result))
    }

    // MARK: Views

    /// Records that there is a store of this mode.
    package func opened(_ store: String, _ mode: StoreMode) {
        append(.store(store, mode))
    }

    /// Records that an observation began with a snapshot.
    package func observing(
        _ observer: String,
        store: String,
        start: [String: String],
        revision: Int64? = nil,
        allowedJumps: Int = 0
    ) {
        append(
            .observing(
                RecordedObserver(
                    name: observer,
                    store: store,
                    start: start,
                    startRevision: revision,
                    began: Self.now(),
                    allowedJumps: allowedJumps,
                    // Until the end is recorded: the process may be killed before.
                    endsEarly: true
                )
            )
        )
    }

    /// Records that an observer was notified.
    package func changed(_ observer: String, _ values: [String: ObservedValues], listsAnew: Bool = false) {
        append(.changed(observer: observer, ObservedChange(values, time: Self.now(), listsAnew: listsAnew)))
    }

    /// Records that an observation ended, after which no change of the observer counts.
    ///
    /// - Parameters:
    ///   - final: The table that the store shows after everything has healed.
    ///   - endsEarly: Whether the observer need not have seen the last revision.
    package func finished(_ observer: String, final: [String: String]?, endsEarly: Bool = false) {
        append(.finished(observer: observer, final, endsEarly: endsEarly))
    }

    /// Records what a read returned that began at the given time and has just ended.
    package func read(_ content: ReadContent, by reader: String, store: String, began: UInt64) {
        append(.read(reader: reader, store: store, RecordedRead(began: began, ended: Self.now(), content)))
    }

    // MARK: Results

    /// Everything that was recorded so far.
    package var recorded: RecordedHistory { RecordedHistory(events) }

    /// All events so far, in the order in which they were recorded.
    package var events: [HistoryEvent] { state.withLock { $0.events } }

    private func append(_ event: HistoryEvent) {
        let number = state.withLock { state in
            state.events.append(event)
            return state.events.count - 1
        }
        guard let writeLine else { return }
        do {
            writeLine(try HistoryLines.line(event, number: number))
        } catch {
            preconditionFailure("The history cannot write \(event): \(error)")
        }
    }
}

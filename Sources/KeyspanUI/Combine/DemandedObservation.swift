internal import KeyspanCore

/// What an observation hears, handed to one receiver who gets as much as it has asked for.
///
/// This is a subscription of Combine but for its name. Elements that the receiver has not asked for yet wait in memory, all
/// of them and in order. Calls of the receiver never overlap and are made without a lock: by the thread that delivers the
/// change, or by the one that asks for more. The receiver may ask for more, end the observation and write to the store in
/// such a call.
///
/// The receiver is held until ``end()``.
final class DemandedObservation<Element>: Sendable {
    // Unchecked for the reason given at `UncheckedHandler`, through which the elements come: calls of the receiver do not
    // overlap, and each sees what the ones before it did, because all of them begin and end at the lock.
    private struct State: @unchecked Sendable {
        var buffer = DemandBuffer<Element>()
        var receive: ((Element) -> Demand)?
        var observation: (any Defaults.Observation)?
    }

    /// An element on its way out of the lock, with who gets it.
    // Unchecked for the same reason.
    private struct Handover: @unchecked Sendable {
        let element: Element
        let receive: (Element) -> Demand
    }

    /// An element on its way into the lock.
    // Unchecked for the same reason.
    private struct Arrival: @unchecked Sendable {
        let element: Element
    }

    private let state: Locked<State>

    /// Makes an observation that has not begun.
    ///
    /// - Parameter receive: Gets the elements, and answers how many more it wants.
    init(receive: @escaping (Element) -> Demand) {
        state = Locked(State(receive: receive))
    }

    /// Begins to observe, unless this has been ended before.
    ///
    /// - Parameter observe: Registers a handler.
    func begin(_ observe: (@escaping (Element) -> Void) -> any Defaults.Observation) {
        guard !state.withLock(\.buffer.isOver) else { return }
        let observation = observe(send)
        let isOver = state.withLock { state in
            if !state.buffer.isOver { state.observation = observation }
            return state.buffer.isOver
        }
        // It was ended in a call of the receiver, or by another thread, before there was anything to invalidate.
        if isOver { observation.invalidate() }
    }

    /// Hands over as many more elements: those that wait now, and then those that come.
    func request(_ demand: Demand) {
        state.withLock { $0.buffer.request(demand) }
        // What waits is no change of a closure that happens to ask for it.
        OperationScope.leave(for: .current, deliver)
    }

    /// Ends the observation and lets go of the receiver: no call of it begins after this returns.
    ///
    /// A call that had already begun on another thread may still be running.
    func end() {
        let ended = state.withLock { state in
            defer {
                state.buffer.end()
                state.receive = nil
                state.observation = nil
            }
            return state
        }
        // Outside the lock, where also the waiting elements and the receiver are released: that can run anyone's `deinit`.
        ended.observation?.invalidate()
    }

    private func send(_ element: Element) {
        let arrival = Arrival(element: element)
        state.withLock { $0.buffer.append(arrival.element) }
        deliver()
    }

    private func deliver() {
        var next = handover { $0.beginDelivery() }
        while let present = next {
            let more = present.receive(present.element)
            next = handover { $0.nextDelivery(demanding: more) }
        }
    }

    private func handover(_ take: (inout DemandBuffer<Element>) -> Element?) -> Handover? {
        state.withLock { state in
            guard let element = take(&state.buffer), let receive = state.receive else { return nil }
            return Handover(element: element, receive: receive)
        }
    }
}

internal import DequeModule
internal import KeyspanCore

/// An observation that hands its elements to one receiver as the receiver requests them.
///
/// This has the logic of a Combine subscription without importing Combine. Elements without demand wait in memory, all of them
/// and in order. Calls of the receiver never overlap and are made without a lock, by the thread that delivers the change or by
/// the one that requests more. In such a call, the receiver may request more, end the observation and write to the store.
///
/// The receiver is retained until ``end()``.
final class DemandedObservation<Element>: Sendable {
    // Unchecked for the reason given at `UncheckedHandler`, through which the elements come: calls of the receiver do not
    // overlap, and each sees the effects of the earlier ones, because all of them begin and end at the lock.
    private struct State: @unchecked Sendable {
        var buffer = DemandBuffer<Element>()
        var receive: ((Element) -> Demand)?
        var observation: (any Defaults.Observation)?
    }

    /// An element that crosses the lock, with the receiver on its way out.
    // Unchecked for the same reason.
    private struct Transfer: @unchecked Sendable {
        let element: Element
        var receive: ((Element) -> Demand)?
    }

    private let state: Locked<State>

    /// Makes an observation that has not begun.
    ///
    /// - Parameter receive: Receives the elements, and returns how many more it wants.
    init(receive: @escaping (Element) -> Demand) {
        state = Locked(State(receive: receive))
    }

    /// Begins to observe, unless the observation has already ended.
    ///
    /// - Parameter observe: Registers a handler.
    func begin(_ observe: (@escaping (Element) -> Void) -> any Defaults.Observation) {
        guard !state.withLock(\.buffer.isOver) else { return }
        let observation = observe(send)
        let isOver = state.withLock { state in
            if !state.buffer.isOver { state.observation = observation }
            return state.buffer.isOver
        }
        // The receiver or another thread ended it before there was a registration to invalidate.
        if isOver { observation.invalidate() }
    }

    /// Requests more elements: first those that wait, then new ones.
    func request(_ demand: Demand) {
        state.withLock { $0.buffer.request(demand) }
        // Waiting elements are not changes made by the closure that happens to request them.
        OperationScope.leave(for: .current, deliver)
    }

    /// Ends the observation and releases the receiver: no call of it begins after this returns.
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
        // The waiting elements and the receiver are released outside the lock, because that can run any deinitializer.
        ended.observation?.invalidate()
    }

    private func send(_ element: Element) {
        let arrival = Transfer(element: element)
        state.withLock { $0.buffer.append(arrival.element) }
        deliver()
    }

    private func deliver() {
        var next = transfer { $0.beginDelivery() }
        while let present = next, let receive = present.receive {
            let more = receive(present.element)
            next = transfer { $0.nextDelivery(demanding: more) }
        }
    }

    private func transfer(_ take: (inout DemandBuffer<Element>) -> Element?) -> Transfer? {
        state.withLock { state in
            guard let element = take(&state.buffer), let receive = state.receive else { return nil }
            return Transfer(element: element, receive: receive)
        }
    }
}

/// A queue of elements for a receiver that gets as many as it has requested; the others wait, in order.
///
/// One delivery runs at a time: the thread that begins it, with ``beginDelivery()``, hands elements over until
/// ``nextDelivery(demanding:)`` returns `nil`. That delivery also serves the elements and the demand that arrive meanwhile.
struct DemandBuffer<Element> {
    private var waiting: Deque<Element> = []
    private var demand = Demand.none
    private var isDelivering = false
    private(set) var isOver = false

    /// Adds an element at the end, unless the buffer has ended.
    mutating func append(_ element: Element) {
        if !isOver { waiting.append(element) }
    }

    /// Adds to the demand of the receiver.
    mutating func request(_ more: Demand) {
        demand += more
    }

    /// Begins a delivery.
    ///
    /// - Returns: The element to hand over; `nil` if there is none, or another delivery is running.
    mutating func beginDelivery() -> Element? {
        isDelivering ? nil : nextDelivery(demanding: .none)
    }

    /// Continues a delivery, with the demand that the receiver returned for the last element.
    ///
    /// - Returns: The element to hand over; `nil` if the delivery has ended.
    mutating func nextDelivery(demanding more: Demand) -> Element? {
        demand += more
        isDelivering = !waiting.isEmpty && demand.take()
        return isDelivering ? waiting.popFirst() : nil
    }

    /// Ends the buffer: it releases the waiting elements and accepts no more.
    mutating func end() {
        isOver = true
        waiting = []
    }
}

/// The number of elements that a receiver has requested and not received.
struct Demand: Equatable {
    static let none = Demand(remaining: 0)
    static let unlimited = Demand(remaining: nil)

    // `nil` for no limit.
    private var remaining: Int?

    static func max(_ count: Int) -> Demand { Demand(remaining: count) }

    /// Adds a demand; a sum that overflows is unlimited.
    static func += (demand: inout Demand, more: Demand) {
        guard let left = demand.remaining, let right = more.remaining else { return demand = .unlimited }
        let (sum, isTooLarge) = left.addingReportingOverflow(right)
        demand.remaining = isTooLarge ? nil : sum
    }

    /// Takes one element off.
    ///
    /// - Returns: Whether there was demand.
    mutating func take() -> Bool {
        guard let remaining else { return true }
        guard remaining > 0 else { return false }
        self.remaining = remaining - 1
        return true
    }
}

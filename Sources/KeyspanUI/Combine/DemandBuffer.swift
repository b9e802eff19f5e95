internal import DequeModule

/// Elements on their way to a receiver who gets as many as it has asked for, in order; the others wait.
///
/// One delivery is under way at a time: who begins one, with ``beginDelivery()``, hands elements over until
/// ``nextDelivery(demanding:)`` has none. Elements and demand that come meanwhile are served by that delivery.
struct DemandBuffer<Element> {
    private var waiting: Deque<Element> = []
    private var demand = Demand.none
    private var isDelivering = false
    private(set) var isOver = false

    /// Adds an element behind all others, unless the receiver wants no more.
    mutating func append(_ element: Element) {
        if !isOver { waiting.append(element) }
    }

    /// Adds to what the receiver has asked for.
    mutating func request(_ more: Demand) {
        demand += more
    }

    /// Begins a delivery.
    ///
    /// - Returns: The element to hand over; `nil` if there is nothing to do, or another delivery does it.
    mutating func beginDelivery() -> Element? {
        isDelivering ? nil : nextDelivery(demanding: .none)
    }

    /// Goes on with a delivery, with what the receiver has asked for when it got the last element.
    ///
    /// - Returns: The element to hand over; `nil` if the delivery is at its end.
    mutating func nextDelivery(demanding more: Demand) -> Element? {
        demand += more
        isDelivering = !waiting.isEmpty && demand.take()
        return isDelivering ? waiting.popFirst() : nil
    }

    /// Ends everything: nothing is handed over any more, and what was waiting is released.
    mutating func end() {
        isOver = true
        waiting = []
    }
}

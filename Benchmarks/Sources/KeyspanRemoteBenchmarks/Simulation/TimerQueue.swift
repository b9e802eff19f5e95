#if Remote
/// Timers in the order of their times, with a slot for each millisecond of the simulated time.
///
/// Setting, canceling and taking a timer all take constant time, and two runs take the timers of one millisecond in the same order.
struct TimerQueue {
    private static let none = UInt32.max

    /// The first timer of each slot.
    private var heads: [UInt32]
    /// The neighbors of each timer in the list of its slot.
    private var (next, previous): ([UInt32], [UInt32])
    /// The slot of each timer, or `none`.
    private var slots: [UInt32]
    /// The slot in which the next timer is looked for.
    private(set) var now = 0

    /// - Parameters:
    ///   - count: The number of timers, whose numbers begin at zero.
    ///   - end: The end of the simulated time, in milliseconds.
    init(count: Int, end: Int) {
        heads = Array(repeating: Self.none, count: end)
        next = Array(repeating: Self.none, count: count)
        previous = next
        slots = next
    }

    /// The time at which a timer fires, if it is set.
    func time(of timer: Int) -> Int? { slots[timer] == Self.none ? nil : Int(slots[timer]) }

    /// Sets a timer anew; a time after the end of the simulation never comes.
    mutating func set(_ timer: Int, at time: Int) {
        cancel(timer)
        let slot = max(time, now)
        guard slot < heads.count else { return }
        let (index, head) = (UInt32(timer), heads[slot])
        (next[timer], previous[timer], slots[timer]) = (head, Self.none, UInt32(slot))
        if head != Self.none { previous[Int(head)] = index }
        heads[slot] = index
    }

    mutating func cancel(_ timer: Int) {
        guard let slot = time(of: timer) else { return }
        let (after, before) = (next[timer], previous[timer])
        if after != Self.none { previous[Int(after)] = before }
        if before != Self.none { next[Int(before)] = after } else { heads[slot] = after }
        slots[timer] = Self.none
    }

    /// Takes the next timer; afterwards `now` is its time.
    mutating func popFirst() -> Int? {
        while now < heads.count {
            if heads[now] != Self.none {
                let timer = Int(heads[now])
                cancel(timer)
                return timer
            }
            now += 1
        }
        return nil
    }
}
#endif

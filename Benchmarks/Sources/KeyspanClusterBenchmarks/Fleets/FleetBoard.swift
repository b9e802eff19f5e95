#if Etcd
/// Counts how many of a fleet were notified of each number, and reports those of which all were.
final class FleetBoard: Sendable {
    private let count: Int
    private let notified = Locked<[Int: Int]>([:])

    /// Makes a board for that many clients.
    init(count: Int) {
        self.count = count
    }

    /// Notes that one more client was notified of a number.
    func note(_ number: Int) {
        let isLast = notified.withLock { notified in
            notified[number, default: 0] += 1
            guard notified[number] == count else { return false }
            notified[number] = nil
            return true
        }
        if isLast { FleetNotice(number: number, nanoseconds: Stopwatch.wall.now / .nanoseconds(1)).print() }
    }
}
#endif

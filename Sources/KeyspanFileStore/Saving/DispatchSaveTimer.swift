internal import Dispatch

/// Runs work on a queue of its own, so that a slow disk under one store does not hold up another one.
package struct DispatchSaveTimer: SaveTimer {
    private let queue = DispatchQueue(label: "keyspan.save", qos: .utility)

    /// Makes a timer.
    package init() {}

    package func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) {
        queue.asyncAfter(deadline: .now() + .nanoseconds(delay.wholeNanoseconds), execute: work)
    }
}

extension Duration {
    /// The duration in nanoseconds, at most a year, which no timer needs to exceed.
    var wholeNanoseconds: Int {
        let (seconds, attoseconds) = min(max(self, .zero), .seconds(365 * 86_400)).components
        return Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
    }
}

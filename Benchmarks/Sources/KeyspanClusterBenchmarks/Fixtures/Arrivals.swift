#if Etcd || Remote
import Dispatch
import KeyspanCore

/// Numbers that arrive on other threads, each with the time at which it did, and for which one thread waits.
final class Arrivals: Sendable {
    private struct State {
        var times: [Int: Duration] = [:]
        /// The number that the thread waits for.
        var awaited: Int?
    }

    private let state = Locked(State())
    private let wake = DispatchSemaphore(value: 0)

    /// Notes that a number has arrived now.
    func note(_ number: Int) {
        let now = Stopwatch.wall.now
        let isAwaited = state.withLock { state in
            if state.times[number] == nil { state.times[number] = now }
            defer { if state.awaited == number { state.awaited = nil } }
            return state.awaited == number
        }
        if isAwaited { wake.signal() }
    }

    /// Notes the number that a change gives a key.
    func note(_ change: PropertyListChange, of key: String) {
        guard case .integer(let number)? = change[key]?.new, let number: Int = number.converted() else { return }
        note(number)
    }

    /// Blocks the thread until a number has arrived, and forgets it and those before it.
    ///
    /// - Returns: The time of its arrival.
    func time(of number: Int) throws -> Duration {
        let isHere = state.withLock { state in
            if state.times[number] != nil { return true }
            state.awaited = number
            return false
        }
        if !isHere, wake.wait(timeout: .now() + .seconds(60)) == .timedOut {
            throw BenchmarkError("the number \(number) did not arrive")
        }
        let time = state.withLock { state in
            defer { state.times = state.times.filter { $0.key > number } }
            return state.times[number]
        }
        guard let time else { throw BenchmarkError("the number \(number) did not arrive") }
        return time
    }
}
#endif

public import Synchronization

/// A value behind a mutex, as `Mutex` is, whose hand-over from thread to thread the thread sanitizer can see.
///
/// On Linux a `Mutex` for which threads compete is handed to the next one by the kernel (`FUTEX_LOCK_PI`). No instruction
/// of the process takes part in that, so the thread sanitizer sees two holders without an order and reports a race for
/// each such hand-over. One atomic that is written at the end of a critical section and read at the beginning of the next
/// makes the order visible. It costs two plain moves, and what the sanitizer still reports is real.
@usableFromInline
package struct Locked<Value: ~Copyable>: ~Copyable, Sendable {
    @usableFromInline let mutex: Mutex<Value>
    @usableFromInline let handOver = Atomic<Bool>(false)

    /// Puts a value behind a mutex.
    @inlinable
    package init(_ value: consuming sending Value) {
        mutex = Mutex(value)
    }

    /// Runs the body with the value while no other thread has it; waits for that if necessary.
    @inlinable
    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try mutex.withLock { (value: inout sending Value) throws(Failure) -> sending Result in
            _ = handOver.load(ordering: .acquiring)
            defer { handOver.store(true, ordering: .releasing) }
            return try body(&value)
        }
    }

    /// Runs the body with the value if no other thread has it, or else answers `nil` at once.
    @inlinable
    package borrowing func withLockIfAvailable<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result? {
        try mutex.withLockIfAvailable { (value: inout sending Value) throws(Failure) -> sending Result in
            _ = handOver.load(ordering: .acquiring)
            defer { handOver.store(true, ordering: .releasing) }
            return try body(&value)
        }
    }
}

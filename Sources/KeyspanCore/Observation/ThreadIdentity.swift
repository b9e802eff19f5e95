#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// One thread of the process, told from all others that run at the same time.
///
/// A thread that begins after another one has ended may have the same identity.
package struct ThreadIdentity: Sendable, Hashable {
    private let value: UInt

    /// The thread that asks; costs a call of the C library that reads a register.
    package static var current: ThreadIdentity {
        // An address or an integer of its size, depending on the system.
        withUnsafeBytes(of: pthread_self()) { ThreadIdentity(value: $0.load(as: UInt.self)) }
    }
}

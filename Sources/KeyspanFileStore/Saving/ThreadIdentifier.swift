#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Which thread it is, among those that run.
struct ThreadIdentifier: Sendable, Hashable {
    private let rawValue: UInt

    /// The thread that asks.
    static var ofThisThread: ThreadIdentifier {
        #if canImport(Glibc)
        ThreadIdentifier(rawValue: UInt(pthread_self()))
        #else
        // A pointer there.
        ThreadIdentifier(rawValue: UInt(bitPattern: pthread_self()))
        #endif
    }
}

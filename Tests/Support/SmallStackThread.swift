import Foundation
import KeyspanCore
import Testing

/// A thread with a stack of 512 KB, the size of Apple's secondary threads: the smallest that applications run code on.
package enum SmallStackThread {
    /// Runs a body on a thread of its own and waits for its end.
    ///
    /// - Returns: The result of the body, or `nil` if it does not come.
    package static func run<Result: Sendable>(_ body: @escaping @Sendable () -> Result) -> Result? {
        let result = Locked<Result?>(nil)
        let done = Gate()
        let thread = Thread {
            let value = body()
            result.withLock { $0 = value }
            done.open()
        }
        thread.stackSize = 512 * 1024
        thread.start()
        return done.pass() ? result.withLock { $0 } : nil
    }
}

import Foundation

/// How the work of code grows with its input.
///
/// No counter of instructions works in all the containers and virtual machines that run the tests. The processor time of the thread stands
/// for them, as the ratio of two sizes: it is the same on slow and fast machines and in all builds, and what other threads and
/// processes do can only lengthen single rounds, of which the shortest counts.
package enum Growth {
    /// The work on a large input in units of that on a small one.
    ///
    /// - Parameters:
    ///   - enough: The greatest acceptable ratio, at which the measurement ends.
    ///   - small: The work on the small input.
    ///   - large: The work on the large input.
    package static func ratio(
        enough: Double,
        small: () throws -> Void,
        large: () throws -> Void
    ) rethrows -> Double {
        // The first round includes work that a process does once.
        try small()
        var (least, most) = (UInt64.max, UInt64.max)
        for _ in 0..<3 { least = min(least, try time(of: small)) }
        for _ in 0..<5 {
            most = min(most, try time(of: large))
            if Double(most) <= enough * Double(least) { break }
            least = min(least, try time(of: small))
        }
        return Double(most) / Double(least)
    }

    /// The processor time that the thread spends, in nanoseconds.
    private static func time(of work: () throws -> Void) rethrows -> UInt64 {
        let start = now
        try work()
        return max(now - start, 1)
    }

    private static var now: UInt64 {
        var time = timespec()
        // Cannot fail: the clock exists on Linux and on Apple systems, and the pointer is valid.
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A generator for property-based tests that returns the same numbers for the same seed on every platform.
///
/// The algorithm is SplitMix64, from G. L. Steele, D. Lea and C. H. Flood, *Fast Splittable Pseudorandom Number Generators*
/// (2014).
package struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) {
        state = seed
    }

    /// The seed of this run: `KEYSPAN_SEED` in the environment, which repeats an earlier run, or a random number.
    package static let seedOfRun: UInt64 = {
        guard let text = ProcessInfo.processInfo.environment["KEYSPAN_SEED"] else {
            let seed = UInt64.random(in: 1...UInt64(UInt32.max))
            // For a run that ends before a test can report it.
            print("KEYSPAN_SEED=\(seed) repeats the random choices of this run")
            return seed
        }
        guard let seed = UInt64(text) else {
            preconditionFailure("KEYSPAN_SEED is \"\(text)\"; it may be a number from 0 to \(UInt64.max)")
        }
        return seed
    }()

    /// Seeds for the repetitions of a test, the same ones in each run with the same ``seedOfRun``, which is the first of them.
    package static func seeds(_ count: Int) -> [UInt64] {
        (0..<UInt64(count)).map { seedOfRun &+ $0 }
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

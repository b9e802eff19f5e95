#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The depth of the tests of a run: `KEYSPAN_TEST_LEVEL` in the environment, or ``quick``.
///
/// Suites whose work has no natural end ask for their counts:
/// `static let kills = TestLevel.current.pick(14, thorough: 200, exhaustive: 1_000)`.
package enum TestLevel: String, Comparable, CaseIterable {
    /// Every behavior once, within a minute: what `swift test` runs.
    case quick
    /// Every combination, and enough repetitions to meet rare interleavings: what continuous integration runs.
    case thorough
    /// Every bit, every point of a power loss, and runs of hours: what a nightly job runs.
    case exhaustive

    /// The level of this run.
    package static let current: TestLevel = {
        guard let name = ProcessInfo.processInfo.environment["KEYSPAN_TEST_LEVEL"] else { return .quick }
        guard let level = TestLevel(rawValue: name) else {
            preconditionFailure("KEYSPAN_TEST_LEVEL is \(name); it may be \(allCases.map(\.rawValue))")
        }
        return level
    }()

    /// The value for this level.
    ///
    /// Without a value of its own, the exhaustive level has that of the thorough one.
    package func pick<Value>(_ quick: Value, thorough: Value, exhaustive: Value? = nil) -> Value {
        switch self {
        case .quick: quick
        case .thorough: thorough
        case .exhaustive: exhaustive ?? thorough
        }
    }

    package static func < (lower: TestLevel, higher: TestLevel) -> Bool { lower.depth < higher.depth }

    private var depth: Int { pick(0, thorough: 1, exhaustive: 2) }
}

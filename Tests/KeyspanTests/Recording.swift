import KeyspanCore
import KeyspanTestSupport

/// The problems that an operation reports, as their sentences.
func reportedProblems<Result>(of operation: () throws -> Result) rethrows -> [String] {
    let problems = Recorder<String>()
    _ = try Defaults.withProblemHandler({ problems.record($0.description) }, operation: operation)
    return problems.values
}

/// Does something when it is released, as any object may that a closure of a program holds.
final class Releasing: Sendable {
    private let action: @Sendable () -> Void

    init(_ action: @escaping @Sendable () -> Void) {
        self.action = action
    }

    deinit {
        action()
    }
}

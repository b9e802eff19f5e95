import KeyspanCore

/// The problems that an operation meets.
final class Problems: Sendable {
    private let found = Locked<[Defaults.Problem]>([])

    var all: [Defaults.Problem] { found.withLock(\.self) }

    var descriptions: [String] { all.map(\.description) }

    /// The keys of the values that a provider refused.
    var refusedKeys: [String] {
        all.compactMap { problem in
            guard case .storeFailed(let error) = problem, error.code.description == "valueRefused" else { return nil }
            return error.key
        }
    }

    func collect<Result>(_ operation: () throws -> Result) rethrows -> Result {
        try Defaults.withProblemHandler({ problem in self.found.withLock { $0.append(problem) } }, operation: operation)
    }
}

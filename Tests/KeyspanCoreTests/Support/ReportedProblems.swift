import KeyspanCore

/// The problems that an operation reports, as their sentences.
func reportedProblems(of operation: () throws -> Void) rethrows -> [String] {
    let problems = Locked<[String]>([])
    try Defaults.withProblemHandler { problem in
        problems.withLock { $0.append(problem.description) }
    } operation: {
        try operation()
    }
    return problems.withLock(\.self)
}

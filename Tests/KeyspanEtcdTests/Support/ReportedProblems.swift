import KeyspanCore

/// The problems that stores of this process have reported from threads of their own.
enum ReportedProblems {
    private static let log: Locked<[String]> = {
        Defaults.onProblem { problem in add(problem.description) }
        return Locked([])
    }()

    /// Records problems from here on.
    static func begin() { log.withLock { _ in } }

    /// The sentences of the problems of a store.
    static func of(_ store: any PropertyListStore) -> [String] {
        log.withLock { log in log.filter { $0.contains(store.name) } }
    }

    private static func add(_ sentence: String) { log.withLock { $0.append(sentence) } }
}

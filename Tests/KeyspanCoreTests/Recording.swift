import KeyspanCore

/// The changes of a store that an operation makes, each as the names of its entries.
func recordedChanges(of store: any PropertyListStore, during operation: () throws -> Void) rethrows -> [[String]] {
    let changes = Locked<[[String]]>([])
    let observation = store.observe(.all, initial: false) { change in
        changes.withLock { $0.append(change.entries.map(\.key).sorted()) }
    }
    try operation()
    observation.cancel()
    return changes.withLock(\.self)
}

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

@_spi(StoreAuthors) import KeyspanCore
import KeyspanRemote

/// The problems that an operation, and the tasks that it starts, meet.
final class Problems: Sendable {
    private let found = Locked<[Defaults.Problem]>([])

    var all: [Defaults.Problem] { found.withLock(\.self) }

    /// The kinds of the notices of stores and publishers, in their order.
    var kinds: [String] { all.map { $0.fields["kind"] ?? $0.description } }

    func collect<Result>(_ operation: () throws -> Result) rethrows -> Result {
        try Defaults.withProblemHandler({ problem in self.found.withLock { $0.append(problem) } }, operation: operation)
    }
}

/// A number that tasks add to.
final class Counter: Sendable {
    private let number = Locked(0)

    var count: Int { number.withLock(\.self) }

    func add() { number.withLock { $0 += 1 } }
}

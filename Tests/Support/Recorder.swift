import KeyspanCore

/// The values that handlers, observers and other closures received, in order.
package final class Recorder<Value: Sendable>: Sendable {
    private let state = Locked<[Value]>([])

    package init() {}

    package var values: [Value] { state.withLock(\.self) }

    package var count: Int { state.withLock(\.count) }

    package var last: Value? { state.withLock(\.last) }

    package func record(_ value: Value) {
        state.withLock { $0.append(value) }
    }

    /// Records a value, as a function that can be passed on.
    package func callAsFunction(_ value: Value) {
        record(value)
    }
}

/// The problems that an operation reports, as their sentences.
package func reportedProblems<Result>(of operation: () throws -> Result) rethrows -> [String] {
    let problems = Recorder<String>()
    _ = try Defaults.withProblemHandler({ problems.record($0.description) }, operation: operation)
    return problems.values
}

/// Does something when it is released, as any object may that a closure of a program holds.
package final class Releasing: Sendable {
    private let action: @Sendable () -> Void

    package init(_ action: @escaping @Sendable () -> Void) {
        self.action = action
    }

    deinit {
        action()
    }
}

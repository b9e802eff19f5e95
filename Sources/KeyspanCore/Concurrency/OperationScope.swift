internal import Synchronization

/// What an operation, with the tasks that it starts, has in place of the process: its standard store and its handler of problems.
///
/// This is one value, so that code which another thread runs on behalf of an operation can be given all of it: a thread that
/// delivers a change has a scope of its own, or none, and the change comes from another one.
package struct OperationScope: Sendable {
    @TaskLocal private static var ofTask: OperationScope?

    // Programs without such operations are spared the look at the task.
    private static let isUsed = Atomic(false)

    /// Receives the problems; `nil` if the operation has no handler of its own.
    var problemHandler: ProblemReporter.Handler?

    /// The standard store; `nil` if the operation has none of its own.
    package var standard: StandardScope?

    /// The scope of the code that asks; `nil` outside of all such operations.
    package static var current: OperationScope? { isUsed.load(ordering: .relaxed) ? ofTask : nil }

    /// Runs code in a scope, or outside of all for `nil`.
    package static func run<Result>(
        in scope: OperationScope?,
        _ operation: () throws -> Result
    ) rethrows -> Result {
        if scope == nil, !isUsed.load(ordering: .relaxed) { return try operation() }
        isUsed.store(true, ordering: .relaxed)
        return try $ofTask.withValue(scope, operation: operation)
    }

    /// Runs an operation in the present scope with a change of it.
    package static func run<Result>(
        changing change: (inout OperationScope) -> Void,
        _ operation: () throws -> Result
    ) rethrows -> Result {
        try run(in: changed(by: change), operation)
    }

    /// Runs an operation in the present scope with a change of it, on the actor of the caller.
    package static func run<Result>(
        changing change: (inout OperationScope) -> Void,
        isolation: isolated (any Actor)?,
        _ operation: () async throws -> Result
    ) async rethrows -> Result {
        let scope = changed(by: change)
        isUsed.store(true, ordering: .relaxed)
        return try await $ofTask.withValue(scope, operation: operation, isolation: isolation)
    }

    /// Runs what a thread does on behalf of another one or of the whole process: in the scope of that, and no part of a closure of
    /// ``Defaults/withoutPropagation(_:)`` that the thread happens to run.
    package static func leave(for scope: OperationScope? = nil, _ body: () -> Void) {
        QuietScope.leave { run(in: scope, body) }
    }

    private static func changed(by change: (inout OperationScope) -> Void) -> OperationScope {
        var scope = current ?? OperationScope()
        change(&scope)
        return scope
    }
}

internal import Synchronization

/// The standard store and the problem handler that an operation, with the tasks it starts, uses instead of the process-wide ones.
///
/// This is one value, so that a thread that delivers a change can run the observer in the whole scope of the writer.
package struct OperationScope: Sendable {
    @TaskLocal private static var ofTask: OperationScope?

    // Spares programs without such operations the access to the task-local value.
    private static let isUsed = Atomic(false)

    /// Receives the problems; `nil` if the operation has no handler of its own.
    var problemHandler: ProblemReporter.Handler?

    /// The standard store; `nil` if the operation has none of its own.
    package var standard: TrackedStore?

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

    /// Runs work that a thread does for another one, or for the whole process, in that one's scope and outside of any closure of
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

/// The extent of one call of ``Defaults/withoutPropagation(_:)``: the changes made in it are quiet.
///
/// The thread that makes a batch looks once whether it is quiet, and the batch and its change carry the answer to observers
/// on other threads.
final class QuietScope: Sendable {
    @TaskLocal private static var current: QuietScope?

    // Spares programs without quiet changes the access to the task-local value on each write.
    private static let isUsed = Atomic(false)

    private let task = QuietScope.presentTask
    private let isOver = Atomic(false)

    /// Whether the code that asks is called by the closure of a scope.
    ///
    /// A task that the closure starts inherits the task-local value but is not part of the closure: it may outlive it. The
    /// scope compares the identity of the task, which is unique only while the task lives, so the scope also ends.
    static var isActive: Bool {
        guard isUsed.load(ordering: .relaxed), let scope = current else { return false }
        return scope.task == presentTask && !scope.isOver.load(ordering: .acquiring)
    }

    /// Runs the closure so that the changes it makes are quiet.
    static func run(_ closure: () throws -> Void) rethrows {
        isUsed.store(true, ordering: .relaxed)
        let scope = QuietScope()
        defer { scope.isOver.store(true, ordering: .releasing) }
        try $current.withValue(scope, operation: closure)
    }

    /// Runs code that is called within a scope without belonging to its closure: the observers that a write calls.
    static func leave(_ closure: () -> Void) {
        guard isUsed.load(ordering: .relaxed), current != nil else { return closure() }
        $current.withValue(nil, operation: closure)
    }

    /// The running task by its hash, which is of its address; `nil` for a thread that runs none.
    private static var presentTask: Int? {
        withUnsafeCurrentTask { $0?.hashValue }
    }
}

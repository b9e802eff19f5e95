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

/// The extent of one call of ``Defaults/withoutPropagation(_:)``: the changes made in it are quiet.
///
/// Whether a change is quiet is asked once, by the thread that makes it, and written on the change. Observers may hear of it
/// on any other thread.
final class QuietScope: Sendable {
    @TaskLocal private static var current: QuietScope?

    // Programs that never ask for a quiet change are spared the look at the task on each write.
    private static let isUsed = Atomic(false)

    private let task = QuietScope.presentTask
    private let isOver = Atomic(false)

    /// Whether the code that asks is called by the closure of a scope.
    ///
    /// A task that the closure starts inherits the task-local value, but is not the closure: it may run on beside it and
    /// long after it. It is told by its identity. That is unique only as long as the task lives, so the scope also ends.
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

    /// Runs what is called from inside a scope but is no part of its closure: the observers that a write calls.
    static func leave(_ closure: () -> Void) {
        guard isUsed.load(ordering: .relaxed), current != nil else { return closure() }
        $current.withValue(nil, operation: closure)
    }

    /// The running task by its hash, which is of its address; `nil` for a thread that runs none.
    private static var presentTask: Int? {
        withUnsafeCurrentTask { $0?.hashValue }
    }
}

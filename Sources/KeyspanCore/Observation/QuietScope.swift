internal import Synchronization

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

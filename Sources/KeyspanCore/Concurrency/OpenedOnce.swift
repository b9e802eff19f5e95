/// What is opened once for all threads, at its first use, and reports problems only when it is there for all of them.
///
/// Kept in a `static let`, whose initializer makes every thread wait that comes meanwhile, its own included. So `open` must not
/// call code of the program, and handlers of problems, which are such code, are called by ``published``.
package struct OpenedOnce<Value: Sendable>: Sendable {
    /// What was opened; its problems may not have been reported yet.
    package let value: Value

    private let problems: HeldProblems

    /// Opens something.
    package init(_ open: () -> Value) {
        (value, problems) = HeldProblems.hold(open)
    }

    /// What was opened, after its problems were reported; called without a lock, and not by the initializer of a `static let`.
    package var published: Value {
        problems.release()
        return value
    }
}

extension Defaults {
    /// Hands all problems from now on to a handler of yours, in place of the one before.
    ///
    /// Without a handler, problems are written to standard error, one line each, once the program has opened a file store
    /// or used its standard store. An unreadable value is reported once for each key and stored value, not on each read.
    ///
    /// A handler may read and write keys. What opening the standard store meets is reported when the store is there for every
    /// thread. A store of your own reports while its initializer runs; if that is the initializer of a `static let`, a handler
    /// must not use that constant.
    ///
    /// - Parameter handler: Called on the thread that met the problem, without any lock; `nil` returns to standard error.
    public static func onProblem(_ handler: (@Sendable (Problem) -> Void)?) {
        ProblemReporter.shared.setHandler(handler)
    }

    /// Hands the problems met by one operation, and by the tasks it starts, to a handler of its own.
    ///
    /// This is how a test sees its own problems while others run beside it. Problems of observers belong to the operation that
    /// makes the change, whichever thread calls them.
    ///
    /// - Parameters:
    ///   - handler: Called in place of the handler set by ``onProblem(_:)``.
    ///   - operation: The operation.
    /// - Returns: What the operation returns.
    public static func withProblemHandler<Result>(
        _ handler: @escaping @Sendable (Problem) -> Void,
        operation: () throws -> Result
    ) rethrows -> Result {
        try OperationScope.run(changing: { $0.problemHandler = handler }, operation)
    }
}

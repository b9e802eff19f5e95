extension Defaults {
    /// Hands all problems from now on to a handler of yours, in place of the one before.
    ///
    /// Without a handler, problems are written to standard error, one line each, once the program has opened a file store
    /// or used its standard store. An unreadable value is reported once for each key and stored value, not on each read.
    ///
    /// - Parameter handler: Called on the thread that met the problem, without any lock; `nil` returns to standard error.
    public static func onProblem(_ handler: (@Sendable (Problem) -> Void)?) {
        ProblemReporter.shared.setHandler(handler)
    }

    /// Hands the problems met by one operation, and by the tasks it starts, to a handler of its own.
    ///
    /// This is how a test sees its own problems while others run beside it.
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

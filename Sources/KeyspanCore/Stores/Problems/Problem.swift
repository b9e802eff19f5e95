extension Defaults {
    /// Something that went wrong where no error could be thrown; handed to ``onProblem(_:)``.
    ///
    /// Its description is one sentence for a log: key, store, what happened, what to do. It shows a value that cannot be used, shortened,
    /// unless the key is marked as secret.
    public enum Problem: Sendable {
        /// A stored value, or a part of one, could not be read, or breaks a rule of its key. The default was read in its place, or the part
        /// left out.
        case unreadable(ReadError)
        /// A value could not be written. The old one is still there.
        case writeFailed(WriteError)
        /// A change in place, such as `defaults[.count] += 1`, has replaced what another writer stored after it had read.
        ///
        /// That other change is lost. ``Defaults/modify(_:_:)-(Defaults.Key<Value>,_)`` loses none.
        case changeOverwritten(key: String, store: String)
        /// A source has a name that no key has, so that its value is ignored.
        case unknownName(UnknownName)
        /// A store did not do what it was asked.
        case storeFailed(StoreError)
        /// A store could not be opened, or could not save in the background.
        case storeUnavailable(name: String, cause: any Error)
        /// A store works, but there is something about it that a person should know.
        case storeNotice(name: String, notice: any CustomStringConvertible & Sendable)
    }
}

extension Defaults.Problem: CustomStringConvertible {
    /// The problem in one sentence.
    public var description: String {
        switch self {
        case .unreadable(let error): error.description
        case .writeFailed(let error): error.description
        case .changeOverwritten(let key, let store):
            """
            key \(key.quoted) of \(store): a change in place has replaced a value that another writer stored in \
            between; change it with modify(_:_:), which reads and writes in one step.
            """
        case .unknownName(let name): name.description
        case .storeFailed(let error): error.description
        case .storeUnavailable(_, let cause): String(describing: cause)
        case .storeNotice(_, let notice): notice.description
        }
    }
}

extension Defaults {
    /// Hands all problems from now on to a handler of yours, in place of the one before.
    ///
    /// Without a handler, problems are written to standard error, one line each. Set one before the first store is opened or made,
    /// so that it receives what that reports. A value that its key cannot use is reported once for each key and stored value, not
    /// on each read.
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
    /// - Returns: The result of the operation.
    public static func withProblemHandler<Result>(
        _ handler: @escaping @Sendable (Problem) -> Void,
        operation: () throws -> Result
    ) rethrows -> Result {
        try OperationScope.run(changing: { $0.problemHandler = handler }, operation)
    }
}

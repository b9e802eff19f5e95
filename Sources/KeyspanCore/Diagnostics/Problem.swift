extension Defaults {
    /// Something that went wrong where no error could be thrown; handed to ``onProblem(_:)``.
    ///
    /// Its description is one sentence for a log: key, store, what happened, what to do. It never contains a value.
    public enum Problem: Sendable {
        /// A stored value, or a part of one, could not be read. The default was read in its place, or the part left out.
        case unreadable(ReadError)
        /// A value could not be written. The old one is still there.
        case writeFailed(WriteError)
        /// A change in place, such as `defaults[.count] += 1`, has replaced what another writer stored after it had read.
        ///
        /// That other change is lost. ``Defaults/modify(_:_:)-(Defaults.Key<Value>,_)`` loses none.
        case changeOverwritten(key: String, store: String)
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
            key \(key.debugDescription) of \(store): a change in place has replaced a value that another writer stored in \
            between; change it with modify(_:_:), which reads and writes in one step.
            """
        case .storeFailed(let error): error.description
        case .storeUnavailable(_, let cause): String(describing: cause)
        case .storeNotice(_, let notice): notice.description
        }
    }
}

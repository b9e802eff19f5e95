/// A store whose place cannot be opened, where no one can be told by an error: the program goes on with its values in
/// memory.
///
/// The failure is reported when the store is made, and thrown by each `synchronize()`. What is on the disk is not touched.
package final class UnsavedStore: ForwardingStore {
    package let base: InMemoryStore
    private let cause: any Error

    /// Makes an empty store and reports why.
    ///
    /// - Parameters:
    ///   - name: What the store would have been called.
    ///   - cause: Why it could not be opened.
    package init(name: String, cause: any Error) {
        base = InMemoryStore(name: name)
        self.cause = cause
        Defaults.Problem.storeUnavailable(name: name, cause: cause).report()
    }

    package func synchronize() throws(StoreError) {
        throw StoreError(
            .notDurable,
            store: name,
            reason: "the store could not be opened, so its values are in memory only (\(cause))",
            remedy: "mend what prevents it and start the program again",
            underlying: cause
        )
    }
}

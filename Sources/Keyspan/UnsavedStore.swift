/// The standard store when its file cannot be opened: the program goes on with its values in memory.
///
/// The failure is reported when the store is made, and thrown by each `synchronize()`. The file is not touched.
final class UnsavedStore: ForwardingStore {
    let base: InMemoryStore
    private let cause: any Error

    init(name: String, cause: any Error) {
        base = InMemoryStore(name: name)
        self.cause = cause
        Defaults.Problem.storeUnavailable(name: name, cause: cause).report()
    }

    func synchronize() throws(StoreError) {
        throw StoreError(
            .notDurable,
            store: name,
            reason: "the store could not be opened, so its values are in memory only (\(cause))",
            remedy: "mend what prevents it and start the program again",
            underlying: cause
        )
    }
}

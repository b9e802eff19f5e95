/// The standard store when its file cannot be opened: the program goes on with its values in memory.
///
/// The failure is reported when the store is made, and thrown by each `synchronize()`. The file is not touched.
final class UnsavedStore: PropertyListStore {
    private let memory: InMemoryStore
    private let cause: any Error

    init(name: String, cause: any Error) {
        memory = InMemoryStore(name: name)
        self.cause = cause
        Defaults.Problem.storeUnavailable(name: name, cause: cause).report()
    }

    var name: String { memory.name }

    var revision: StoreRevision? { memory.revision }

    func value(forKey key: String) -> PropertyListValue? { memory.value(forKey: key) }

    func snapshot() -> PropertyListTable { memory.snapshot() }

    func apply(_ batch: PropertyListBatch) throws(StoreError) { try memory.apply(batch) }

    func observe(
        _ keys: ObservedKeys,
        initial: Bool,
        _ receive: @escaping @Sendable (PropertyListChange) -> Void
    ) -> StoreObservation {
        memory.observe(keys, initial: initial, receive)
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

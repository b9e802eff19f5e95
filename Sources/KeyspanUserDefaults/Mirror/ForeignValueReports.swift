import KeyspanCore

/// Takes objects across the Foundation border, and tells of those that are no property list, each key once.
final class ForeignValueReports: Sendable {
    private let store: String
    private let told = Locked<Set<String>>([])

    /// Makes reports of a store.
    init(store: String) {
        self.store = store
    }

    /// The value that an object is; if it is none, `nil`, and that is told unless it was before.
    func value(of object: Any, forKey key: String) -> PropertyListValue? {
        do {
            return try FoundationValue.value(object)
        } catch {
            report(error, ofKey: key)
            return nil
        }
    }

    private func report(_ value: ForeignValue, ofKey key: String) {
        guard told.withLock({ $0.insert(key).inserted }) else { return }
        let error = StoreError(
            .notPropertyList,
            store: store,
            key: key,
            reason: "\(value)",
            remedy: "find out which code stored it; it is left as it is, and read as no value until it is replaced",
            underlying: value
        )
        Defaults.Problem.storeNotice(name: store, cause: error).report()
    }
}
